"""Modes, owners, times and extended attributes."""

import os

from trace import drop_caches, write_file


def modes_and_owners(t):
    write_file('f', b'content')
    t.do(os.chmod, 'f', 0o7777)
    t.stat('f')
    t.do(os.chown, 'f', 5, 6)
    t.stat('f')
    t.do(os.chmod, 'f', 0o2644)
    t.do(os.chown, 'f', 7, -1)
    t.stat('f')
    t.do(os.chmod, 'f', 0o6755)
    t.do(os.truncate, 'f', 0)
    t.stat('f')
    os.symlink('f', 's')
    t.do(os.chown, 's', 8, 9, follow_symlinks=False)
    t.stat('s')
    t.do(os.chmod, 's', 0o640)
    drop_caches()
    t.stat('f')
    t.stat('s')


def the_mask_applies_to_what_is_made(t):
    before = os.umask(0o027)
    write_file('f', b'', 0o666)
    os.mkdir('d')
    os.mkfifo('p')
    os.umask(before)
    for name in ('f', 'd', 'p'):
        t.stat(name)


def times_are_set_to_the_nanosecond(t):
    write_file('f', b'content')
    os.symlink('f', 's')
    t.do(os.utime, 'f', ns=(100_000_000_005, 200_999_999_999))
    t.do(os.utime, 's', ns=(300_000_000_007, 400_000_000_008), follow_symlinks=False)
    drop_caches()
    for name in ('f', 's'):
        info = os.lstat(name)
        t.note(name, info.st_atime_ns, info.st_mtime_ns)
    t.do(os.utime, 'f', ns=(1, 2))
    drop_caches()
    t.note(os.stat('f').st_mtime_ns)
    t.do(os.utime, 'f', ns=(2_000_000_000_000_000_000, 2_100_000_000_000_000_001))
    t.note(os.stat('f').st_mtime_ns)


def extended_attributes(t):
    write_file('f', b'')
    t.do(os.setxattr, 'f', 'trusted.a', b'1234')
    t.do(os.getxattr, 'f', 'trusted.a')
    t.do(os.setxattr, 'f', 'trusted.a', b'x', os.XATTR_CREATE)
    t.do(os.setxattr, 'f', 'trusted.b', b'x', os.XATTR_REPLACE)
    t.do(os.setxattr, 'f', 'trusted.empty', b'')
    t.do(os.getxattr, 'f', 'trusted.empty')
    t.do(os.getxattr, 'f', 'trusted.none')
    t.do(os.setxattr, 'f', 'trusted.long', b'v' * 4096)
    t.do(os.getxattr, 'f', 'trusted.long')
    t.note(sorted(os.listxattr('f')))
    t.do(os.removexattr, 'f', 'trusted.a')
    t.do(os.removexattr, 'f', 'trusted.a')
    drop_caches()
    t.note(sorted(os.listxattr('f')))
    t.do(os.setxattr, '.', 'trusted.d', b'on a directory')
    t.do(os.getxattr, '.', 'trusted.d')


def capabilities_of_a_file_go_with_a_write(t):
    write_file('f', b'program', 0o755)
    value = bytes.fromhex('0100000200200000000000000000000000000000')
    t.do(os.setxattr, 'f', 'security.capability', value)
    t.do(os.getxattr, 'f', 'security.capability')
    write_file('f', b'changed', 0o755)
    t.do(os.getxattr, 'f', 'security.capability')
