"""What comes later has a later time; the values themselves are each file system's own."""

import mmap
import os
import subprocess
import time

from trace import drop_caches, write_file

# tmpfs counts in ticks of 10 ms; on the root, some times are the guest's and some the host's.
SKEW_S = 0.05
TICK_S = 2 * SKEW_S


def _later(t, what, before, after):
    t.note(what, 'later' if after > before else 'same' if after == before else 'EARLIER')


def files_made_one_after_another(t):
    names = ['first', 'second', 'third', 'fourth']
    for name in names:
        write_file(name, name.encode())
        time.sleep(TICK_S)
    t.note('by mtime', sorted(names, key=lambda name: os.stat(name).st_mtime_ns))
    t.note('by ctime', sorted(names, key=lambda name: os.stat(name).st_ctime_ns))
    drop_caches()
    t.note('by mtime', sorted(names, key=lambda name: os.stat(name).st_mtime_ns))
    write_file('first', b'again')
    t.note('by mtime', sorted(names, key=lambda name: os.stat(name).st_mtime_ns))


def content_keeps_the_time_of_its_write(t):
    def by_name(flags):
        fd = os.open('f', os.O_CREAT | os.O_RDWR | flags, 0o644)
        os.write(fd, b'x' * 5000)
        os.close(fd)

    def by_map():
        with open('f', 'r+b') as file, mmap.mmap(file.fileno(), 5000) as mapped:
            mapped[100:103] = b'map'

    ways = {
        'created': lambda: by_name(0),
        'overwritten': lambda: by_name(0),
        'truncated and written': lambda: by_name(os.O_TRUNC),
        'appended': lambda: by_name(os.O_APPEND),
        'mapped': by_map,
        'written and renamed': lambda: (by_name(0), os.rename('f', 'g'), os.stat('g'), os.rename('g', 'f')),
        'written and linked': lambda: (by_name(0), os.link('f', 'g'), os.stat('g'), os.unlink('g')),
        'written and chmodded': lambda: (by_name(0), os.chmod('f', 0o600)),
        'truncated to its size': lambda: (by_name(0), os.truncate('f', os.stat('f').st_size)),
    }
    for name, write in ways.items():
        write()
        before = os.stat('f')
        time.sleep(TICK_S)
        drop_caches()
        after = os.stat('f')
        _later(t, f'{name} mtime', before.st_mtime_ns, after.st_mtime_ns)
        _later(t, f'{name} ctime', before.st_ctime_ns, after.st_ctime_ns)


def a_later_change_keeps_the_time_of_the_write(t):
    changes = {
        'chmod': lambda: os.chmod('f', 0o600),
        'chown': lambda: os.chown('f', 1, 1),
        'rename': lambda: (os.rename('f', 'g'), os.rename('g', 'f')),
        'link': lambda: os.link('f', 'g'),
        'atime': lambda: subprocess.run(['touch', '-a', 'f'], check=True),
    }
    for name, change in changes.items():
        write_file('f', name.encode())
        before = os.stat('f')
        time.sleep(TICK_S)
        change()
        _later(t, f'{name} mtime', before.st_mtime_ns, os.stat('f').st_mtime_ns)
        drop_caches()
        _later(t, f'{name} mtime', before.st_mtime_ns, os.stat('f').st_mtime_ns)


def a_time_that_is_set_stays_when_content_is_written_back(t):
    fd = os.open('f', os.O_CREAT | os.O_RDWR, 0o644)
    os.write(fd, b'written')
    os.utime(fd, ns=(1, 981_173_106_123_456_789))
    t.note(os.fstat(fd).st_mtime_ns)
    drop_caches()
    t.note(os.fstat(fd).st_mtime_ns)
    os.close(fd)
    drop_caches()
    t.note(os.stat('f').st_mtime_ns)


def no_file_is_from_the_future(t):
    for round in range(3):
        write_file('f', b'x' * round)
        os.mkdir(f'd{round}')
        now = time.time_ns() + int(SKEW_S * 1e9)
        for name in ('f', '.', f'd{round}'):
            t.note(name, os.stat(name).st_mtime_ns <= now, os.stat(name).st_ctime_ns <= now)
        drop_caches()
        t.note('f', os.stat('f').st_mtime_ns <= now)


def what_changes_which_time(t):
    write_file('f', b'f')
    fd = os.open('f', os.O_RDWR)
    changes = {
        'write': lambda: os.pwrite(fd, b'w', 0),
        'chmod': lambda: os.chmod('f', 0o600),
        'chown': lambda: os.chown('f', 1, 1),
        'link': lambda: os.link('f', 'g'),
        'unlink': lambda: os.unlink('g'),
        'truncate': lambda: os.truncate('f', 7),
        'rename': lambda: os.rename('f', 'f2'),
        'setxattr': lambda: os.setxattr('f2', 'trusted.x', b'1'),
    }
    for name, change in changes.items():
        before = os.fstat(fd)
        time.sleep(TICK_S)
        change()
        after = os.fstat(fd)
        _later(t, f'{name} mtime', before.st_mtime_ns, after.st_mtime_ns)
        _later(t, f'{name} ctime', before.st_ctime_ns, after.st_ctime_ns)


def a_rename_over_one_name_of_two(t):
    write_file('f', b'content')
    os.link('f', 'second')
    write_file('other', b'')
    before = os.stat('second')
    time.sleep(TICK_S)
    os.rename('other', 'f')
    after = os.stat('second')
    _later(t, 'ctime of the second name', before.st_ctime_ns, after.st_ctime_ns)
    _later(t, 'mtime of the second name', before.st_mtime_ns, after.st_mtime_ns)
    t.stat('second')


def what_changes_a_directory(t):
    os.mkdir('d')
    os.mkdir('e')
    changes = {
        'create': lambda: write_file('d/f', b'f'),
        'write into it': lambda: write_file('d/f', b'more'),
        'chmod in it': lambda: os.chmod('d/f', 0o600),
        'mkdir': lambda: os.mkdir('d/s'),
        'link': lambda: os.link('d/f', 'd/g'),
        'symlink': lambda: os.symlink('f', 'd/l'),
        'rename inside': lambda: os.rename('d/g', 'd/h'),
        'rename out': lambda: os.rename('d/s', 'e/s'),
        'rename in': lambda: os.rename('e/s', 'd/s'),
        'unlink': lambda: os.unlink('d/h'),
        'rmdir': lambda: os.rmdir('d/s'),
    }
    for name, change in changes.items():
        before = {path: os.stat(path) for path in 'de'}
        time.sleep(TICK_S)
        change()
        for path in 'de':
            after = os.stat(path)
            t.note(name, path, 'links', after.st_nlink)
            _later(t, f'{name} {path}', before[path].st_mtime_ns, after.st_mtime_ns)
