"""Names: making, moving, linking and removing them."""

import os
import stat

from trace import write_file


def making_what_exists_or_lacks_its_directory(t):
    t.do(os.mkdir, 'd', 0o777)
    t.do(os.mkdir, 'd', 0o777)
    t.do(os.mkdir, 'none/d')
    write_file('f', b'f')
    t.do(os.open, 'f', os.O_CREAT | os.O_EXCL | os.O_RDWR)
    t.do(os.open, 'f/x', os.O_RDONLY)
    t.do(os.open, 'f/x', os.O_CREAT | os.O_RDWR)
    t.do(os.open, 'f', os.O_RDONLY | os.O_DIRECTORY)
    t.do(os.open, 'd', os.O_RDWR)
    t.do(os.open, 'none', os.O_RDONLY)
    t.do(os.symlink, 'x', 'f')
    t.do(os.mknod, 'd', stat.S_IFREG | 0o600)


def renaming_files_and_directories(t):
    os.makedirs('d/e')
    write_file('f', b'f')
    t.do(os.rename, 'd', 'd/e/x')
    t.do(os.rename, 'f', 'd')
    t.do(os.rename, 'd', 'f')
    t.do(os.rename, 'none', 'f')
    t.do(os.rename, 'f', 'g')
    t.do(os.rename, 'd/e', 'e')
    t.stat('d')
    t.stat('.')
    os.mkdir('d2')
    t.do(os.rename, 'e', 'd2')
    t.list('.')
    write_file('d2/x', b'x')
    t.do(os.rename, 'd', 'd2')
    t.do(os.rename, 'd2', 'd')
    t.list('d')
    t.do(os.rename, 'd/x', '../elsewhere/x')


def renaming_over_an_open_file(t):
    write_file('old', b'old')
    write_file('new', b'newer')
    old = t.do(os.open, 'old', os.O_RDWR)
    new = t.do(os.open, 'new', os.O_RDWR)
    t.do(os.rename, 'new', 'old')
    t.stat('old')
    t.stat('new')
    t.fstat(old)
    t.do(os.pwrite, old, b'gone', 0)
    t.do(os.pwrite, new, b'here', 0)
    t.read(old, 0, 10)
    t.read(new, 0, 10)
    t.content('old')


def hard_links(t):
    write_file('a', b'one')
    os.mkdir('d')
    t.do(os.link, 'a', 'b')
    t.do(os.link, 'a', 'd/c')
    t.do(os.link, 'd', 'e')
    t.do(os.link, 'none', 'e')
    t.stat('a')
    t.note('same inode', os.stat('a').st_ino == os.stat('d/c').st_ino)
    t.do(os.rename, 'a', 'b')
    t.list('.')
    t.do(os.unlink, 'a')
    t.stat('b')
    t.do(os.unlink, 'd/c')
    t.stat('b')
    os.symlink('b', 's')
    t.do(os.link, 's', 's2', follow_symlinks=False)
    t.stat('s2')


def symbolic_links(t):
    write_file('target', b'content')
    t.do(os.symlink, 'd/../target', 'dangling')
    t.do(os.symlink, 'target', 'link')
    t.do(os.symlink, 'loop', 'loop')
    t.do(os.symlink, '', 'empty')
    t.do(os.symlink, 'x' * 4095, 'long')
    t.do(os.symlink, 'x' * 4096, 'longer')
    t.stat('link')
    t.stat('long')
    t.do(os.readlink, 'dangling')
    t.do(os.readlink, 'target')
    t.content('link')
    t.do(os.open, 'dangling', os.O_RDONLY)
    t.do(os.open, 'link', os.O_RDONLY | os.O_NOFOLLOW)
    t.do(os.open, 'loop', os.O_RDONLY)
    t.do(os.unlink, 'link')
    t.content('target')


def names_at_their_limits(t):
    for name in ('n' * 255, 'n' * 256, b'\xff\xfe\x01', 'ü' * 127, 'with\nnewline', '\\', ' '):
        t.do(os.mkdir, name)
        t.do(os.rmdir, name)
    t.do(os.mkdir, '')
    t.do(os.rmdir, '.')
    t.do(os.mkdir, '..')
    t.do(os.unlink, '/')


def special_files(t):
    t.do(os.mknod, 'char', stat.S_IFCHR | 0o600, os.makedev(1, 3))
    t.do(os.mknod, 'block', stat.S_IFBLK | 0o600, os.makedev(259, 70000))
    t.do(os.mkfifo, 'fifo', 0o644)
    for name in ('char', 'block', 'fifo'):
        t.stat(name)
    fd = t.do(os.open, 'char', os.O_WRONLY)
    t.do(os.write, fd, b'x')
    fd = t.do(os.open, 'fifo', os.O_RDWR)
    t.do(os.write, fd, b'pipe')
    t.do(os.read, fd, 10)
