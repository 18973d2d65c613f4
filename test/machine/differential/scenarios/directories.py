"""Directories that are large, listed while they change, or removed while in use."""

import os

from trace import drop_caches, write_file


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
