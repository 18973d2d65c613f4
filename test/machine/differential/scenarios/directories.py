"""Directories that are large, listed while they change, watched, or removed while in use."""

import ctypes
import fcntl
import os
import signal
import struct

from trace import drop_caches, write_file

libc = ctypes.CDLL(None, use_errno=True)


def _read_entries(fd, buffers=None):
    """Names, each with the position behind it, by getdents64 with a buffer that holds a few."""
    buffer = ctypes.create_string_buffer(400)
    entries = []
    while buffers != 0 and (count := libc.getdents64(fd, buffer, len(buffer))) > 0:
        at = 0
        while at < count:
            _, position, length = struct.unpack_from('<QqH', buffer, at)
            entries.append((buffer.raw[at + 19 : at + length].split(b'\0')[0].decode(), position))
            at += length
        buffers = buffers and buffers - 1
    return entries


def a_directory_that_no_single_message_lists(t):
    os.mkdir('many')
    for index in range(2_000):
        os.mkdir(f'many/{index:0250}')
    t.list('many')
    t.stat('many')
    drop_caches()
    t.list('many')
    removed = 0
    with os.scandir('many') as entries:
        for entry in entries:
            os.rmdir(entry.path)
            removed += 1
    t.note('removed', removed)
    t.list('many')
    t.stat('many')
    t.do(os.rmdir, 'many')


def a_directory_read_again_from_its_start_or_a_position(t):
    os.mkdir('d')
    for index in range(40):
        write_file(f'd/{index:02}', b'')
    fd = os.open('d', os.O_RDONLY)
    t.note('a buffer is a part', 2 < len(_read_entries(fd, buffers=1)) < 42)
    write_file('d/new', b'')
    os.lseek(fd, 0, os.SEEK_SET)
    entries = _read_entries(fd)
    t.note('from the start', *sorted(name for name, _ in entries))
    os.lseek(fd, entries[9][1], os.SEEK_SET)
    t.note('from a position', _read_entries(fd, buffers=1)[0] == entries[10])
    os.lseek(fd, entries[19][1], os.SEEK_SET)
    t.note('from a position', _read_entries(fd) == entries[20:])


def a_directory_watched_by_signal(t):
    os.mkdir('d')
    fd = os.open('d', os.O_RDONLY)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
    fcntl.fcntl(fd, fcntl.F_NOTIFY, fcntl.DN_CREATE)
    write_file('d/f', b'')
    t.note('signal', signal.sigtimedwait([signal.SIGIO], 5).si_signo)


def removing_what_is_not_empty(t):
    os.makedirs('d/e')
    t.do(os.rmdir, 'd')
    t.do(os.unlink, 'd')
    t.do(os.rmdir, 'd/e')
    t.do(os.rmdir, 'd')
    write_file('f', b'')
    t.do(os.rmdir, 'f')
    t.do(os.rmdir, 'none')


def a_directory_removed_while_it_is_open(t):
    os.mkdir('d')
    fd = t.do(os.open, 'd', os.O_RDONLY)
    t.do(os.rmdir, 'd')
    t.list('d')
    t.fstat(fd)
    t.do(os.open, 'x', os.O_CREAT | os.O_RDWR, dir_fd=fd)
    t.do(os.mkdir, 'x', dir_fd=fd)


def a_working_directory_removed(t):
    os.mkdir('gone')
    os.chdir('gone')
    t.do(os.rmdir, '../gone')
    t.do(os.open, 'x', os.O_CREAT | os.O_WRONLY)
    t.do(os.getcwd)
    t.list('.')
    t.stat('.')
    t.do(os.chdir, '..')


def paths_relative_to_a_descriptor_that_moved(t):
    os.makedirs('a/sub')
    fd = t.do(os.open, 'a', os.O_RDONLY)
    os.rename('a', 'b')
    t.do(os.stat, 'none', dir_fd=fd)
    write_file('b/f', b'content')
    inside = t.do(os.open, 'f', os.O_RDONLY, dir_fd=fd)
    t.read(inside, 0, 10)
    t.do(os.rename, 'f', 'g', src_dir_fd=fd, dst_dir_fd=fd)
    t.list('b')
