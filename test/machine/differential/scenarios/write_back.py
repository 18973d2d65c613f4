"""Dirty pages on their way to the server: through the fid of the file that was opened (patch 0002)."""

import mmap
import os

from trace import drop_caches, write_file

PATTERN = bytes((index * 11 + 1) & 0xFF for index in range(20_000))


def part_of_a_page_written_without_reading(t):
    write_file('f', PATTERN)
    drop_caches()
    fd = t.do(os.open, 'f', os.O_WRONLY)
    t.do(os.pwrite, fd, b'middle', 5_000)
    t.do(os.pwrite, fd, b'across', 8_189)
    os.close(fd)
    t.content('f')
    drop_caches()
    t.content('f')


def part_of_a_page_appended_without_reading(t):
    write_file('f', PATTERN[:10_001])
    drop_caches()
    fd = t.do(os.open, 'f', os.O_WRONLY | os.O_APPEND)
    t.do(os.write, fd, b'appended')
    t.fstat(fd)
    os.close(fd)
    drop_caches()
    t.content('f')


def readers_writers_and_appenders_of_one_file(t):
    write_file('f', PATTERN)
    drop_caches()
    appender = t.do(os.open, 'f', os.O_WRONLY | os.O_APPEND)
    t.do(os.write, appender, b'appended')
    reader = t.do(os.open, 'f', os.O_RDONLY)
    writer = t.do(os.open, 'f', os.O_WRONLY)
    t.do(os.pwrite, writer, b'written', 4_093)
    os.close(appender)
    t.read(reader, 4_090, 16)
    os.close(writer)
    t.do(os.fsync, reader)
    drop_caches()
    t.read(reader, 0, 20_100)
    t.do(os.pwrite, t.do(os.open, 'f', os.O_WRONLY), b'again', 1)
    t.read(reader, 0, 16)


def written_and_unlinked_before_it_is_written_back(t):
    fd = t.do(os.open, 'f', os.O_CREAT | os.O_RDWR, 0o644)
    os.pwrite(fd, PATTERN, 0)
    t.do(os.unlink, 'f')
    t.fstat(fd)
    t.do(os.pwrite, fd, b'dead', 0)
    t.do(os.fsync, fd)
    drop_caches()
    t.read(fd, 0, 20_000)
    again = t.do(os.open, f'/proc/self/fd/{fd}', os.O_RDWR)
    t.do(os.pwrite, again, b'DEAD', 0)
    t.read(fd, 0, 8)
    t.do(os.fchmod, fd, 0o600)
    t.do(os.ftruncate, fd, 4)
    t.fstat(again)
    t.list('.')


def written_and_renamed_or_linked_before_it_is_written_back(t):
    write_file('a', PATTERN)
    t.do(os.rename, 'a', 'b')
    t.do(os.link, 'b', 'c')
    t.do(os.unlink, 'b')
    drop_caches()
    t.content('c')


def hard_links_share_their_pages(t):
    fd = t.do(os.open, 'a', os.O_CREAT | os.O_RDWR, 0o644)
    os.pwrite(fd, b'one', 0)
    os.link('a', 'b')
    drop_caches()
    t.do(os.pwrite, fd, b'two', 0)
    other = t.do(os.open, 'b', os.O_RDWR)
    t.read(other, 0, 10)
    t.do(os.pwrite, other, b'three', 0)
    t.read(fd, 0, 10)
    t.fstat(fd)
    t.stat('a')
    t.stat('b')
    drop_caches()
    t.content('a')
    t.content('b')


def pages_mapped_shared(t):
    fd = t.do(os.open, 'f', os.O_CREAT | os.O_RDWR, 0o644)
    os.ftruncate(fd, 8192)
    with mmap.mmap(fd, 8192) as mapped:
        mapped[4000:4200] = PATTERN[:200]
        t.read(fd, 4000, 200)
        t.do(os.pwrite, fd, b'by write', 10)
        t.note('mapped', mapped[10:18])
        mapped.flush()
        mapped[0:4] = b'late'
    drop_caches()
    t.content('f')


def pages_mapped_by_two_processes(t):
    write_file('f', bytes(4096))
    drop_caches()
    fd = t.do(os.open, 'f', os.O_RDWR)
    with mmap.mmap(fd, 4096) as mapped:
        def write_through_a_map(child):
            with mmap.mmap(os.open('f', os.O_RDWR), 4096) as other:
                other[100:105] = b'child'
        t.child(write_through_a_map)
        t.note('mapped', mapped[100:105])
        mapped[200:206] = b'parent'
        t.do(os.unlink, 'f')
        t.read(fd, 100, 106)


def a_program_runs_as_soon_as_it_is_written(t):
    write_file('script', b'#!/bin/sh\necho "ran $1"\n', 0o755)
    fd = os.open('out', os.O_CREAT | os.O_RDWR, 0o644)
    pid = os.posix_spawn('./script', ['./script', 'well'], {}, file_actions=[(os.POSIX_SPAWN_DUP2, fd, 1)])
    t.note('exit', os.waitpid(pid, 0)[1])
    t.content('out')
