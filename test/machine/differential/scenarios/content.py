"""File content: reading, writing, appending, truncating, holes, copies."""

import ctypes
import os

from trace import drop_caches, write_file

libc = ctypes.CDLL(None, use_errno=True)
KEEP_SIZE, PUNCH_HOLE = 1, 2
PATTERN = bytes((index * 7) & 0xFF for index in range(300_000))


def writing_and_reading(t):
    fd = t.do(os.open, 'a', os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o644)
    t.fstat(fd)
    t.do(os.write, fd, b'hello world')
    t.read(fd, 0, 100)
    t.read(fd, 6, 3)
    t.read(fd, 11, 10)
    t.do(os.lseek, fd, -5, os.SEEK_END)
    t.do(os.write, fd, PATTERN)
    t.read(fd, 0, 300_100)
    t.fstat(fd)
    drop_caches()
    t.read(fd, 4090, 12)
    t.read(fd, 0, 300_100)


def modes_of_opening_are_kept(t):
    write_file('f', b'content')
    read_only = t.do(os.open, 'f', os.O_RDONLY)
    t.do(os.pwrite, read_only, b'x', 0)
    t.do(os.ftruncate, read_only, 0)
    write_only = t.do(os.open, 'f', os.O_WRONLY)
    t.read(write_only, 0, 10)
    t.do(os.pwrite, write_only, b'C', 0)
    t.content('f')
    t.do(os.open, 'f', os.O_WRONLY | os.O_TRUNC)
    t.stat('f')
    t.read(read_only, 0, 10)


def truncating_zeroes_what_comes_after(t):
    fd = t.do(os.open, 'f', os.O_CREAT | os.O_RDWR, 0o644)
    os.pwrite(fd, PATTERN[:10_000], 0)
    t.do(os.ftruncate, fd, 5_001)
    t.do(os.ftruncate, fd, 9_000)
    t.read(fd, 4_990, 30)
    t.read(fd, 0, 10_000)
    drop_caches()
    t.read(fd, 4_990, 30)
    t.do(os.truncate, 'f', 3)
    t.read(fd, 0, 10)
    os.pwrite(fd, b'end', 4_100)
    t.read(fd, 0, 10_000)
    t.do(os.truncate, 'f', 1 << 40)
    t.fstat(fd)
    t.do(os.ftruncate, fd, -1)


def holes_and_far_offsets(t):
    fd = t.do(os.open, 'f', os.O_CREAT | os.O_RDWR, 0o644)
    t.do(os.pwrite, fd, b'end', 1_000_000)
    t.read(fd, 999_990, 100)
    t.read(fd, 500_000, 10)
    t.do(os.pwrite, fd, b'far', 1 << 33)
    t.read(fd, (1 << 33) - 2, 10)
    t.fstat(fd)
    drop_caches()
    t.read(fd, (1 << 33) - 2, 10)
    t.read(fd, 999_990, 100)
    t.do(os.ftruncate, fd, 0)
    t.fstat(fd)


def appending(t):
    write_file('f', b'start ')
    first = t.do(os.open, 'f', os.O_WRONLY | os.O_APPEND)
    second = t.do(os.open, 'f', os.O_RDWR | os.O_APPEND)
    plain = t.do(os.open, 'f', os.O_RDWR)
    for round in range(3):
        t.do(os.write, first, b'first ')
        t.do(os.write, second, b'second ')
        t.do(os.pwrite, plain, b'S', 0)
    t.do(os.pwrite, first, b'pwrite appends', 0)
    t.content('f')
    t.do(os.ftruncate, plain, 6)
    t.do(os.write, first, b'after the cut')
    t.content('f')
    t.child(lambda child: child.do(os.write, first, b' by the child'))
    drop_caches()
    t.do(os.write, second, b' cold')
    t.content('f')


def copying_between_files(t):
    write_file('from', PATTERN)
    source = t.do(os.open, 'from', os.O_RDONLY)
    target = t.do(os.open, 'to', os.O_CREAT | os.O_RDWR, 0o644)
    t.note('sendfile', os.sendfile(target, source, 100, 150_000))
    t.note('copy_file_range', os.copy_file_range(source, target, 150_000, 7, 150_000))
    t.content('to')
    drop_caches()
    t.content('to')


def space_allocated_ahead_and_given_back(t):
    def fallocate(fd, mode, offset, length):
        if libc.fallocate64(fd, mode, ctypes.c_int64(offset), ctypes.c_int64(length)) < 0:
            raise OSError(ctypes.get_errno(), 'fallocate')

    write_file('f', PATTERN)
    fd = os.open('f', os.O_RDWR)
    t.do(fallocate, fd, 0, 0, 400_000)
    t.do(fallocate, fd, KEEP_SIZE | PUNCH_HOLE, 100, 5_000)
    # The C library writes where the file system does not allocate.
    t.do(os.posix_fallocate, fd, 0, 500_000)
    t.stat('f')


def blocks_are_of_a_size_that_programs_can_use(t):
    write_file('f', b'')
    size = os.stat('f').st_blksize
    t.note('from 4 to 128 KiB', 4_096 <= size <= 131_072)
    os.setxattr('f', 'trusted.block', b'x' * size)
    t.note('an attribute takes one', len(os.getxattr('f', 'trusted.block')) == size)


def writing_vectors(t):
    fd = t.do(os.open, 'f', os.O_CREAT | os.O_RDWR, 0o644)
    t.do(os.pwritev, fd, [b'one ', b'', b'two ', PATTERN[:9000]], 3)
    t.note('preadv', os.preadv(fd, [bytearray(5), bytearray(9000)], 1))
    t.content('f')
