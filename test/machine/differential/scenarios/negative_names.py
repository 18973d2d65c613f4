"""Names that were looked for in vain: the patched client remembers them (images/kernel/patches/0002)."""

import os
import stat

from trace import write_file


def a_missed_name_appears_by_every_way_of_making_one(t):
    os.mkdir('d')
    write_file('source', b'source')
    makers = {
        'opened': lambda: write_file('opened', b'x'),
        'directory': lambda: os.mkdir('directory'),
        'linked': lambda: os.link('source', 'linked'),
        'symlinked': lambda: os.symlink('source', 'symlinked'),
        'node': lambda: os.mknod('node', stat.S_IFIFO | 0o600),
        'renamed': lambda: os.rename('source', 'renamed'),
    }
    for name, make in makers.items():
        t.stat(name)
        make()
        t.stat(name)
    t.stat('source')
    t.list('.')


def a_missed_name_appears_when_its_directory_is_replaced(t):
    os.makedirs('full/sub')
    os.mkdir('empty')
    write_file('full/x', b'x')
    t.stat('empty/x')
    t.stat('empty/sub/y')
    t.do(os.rename, 'full', 'empty')
    t.content('empty/x')
    t.stat('empty/sub')
    t.stat('full/x')
    t.do(os.rename, 'empty', 'full')
    t.content('full/x')
    t.stat('empty/x')


def a_removed_name_stays_missed_until_it_is_made_again(t):
    for _ in range(3):
        write_file('f', b'f')
        t.stat('f')
        t.do(os.unlink, 'f')
        t.stat('f')
        t.do(os.open, 'f', os.O_RDWR)
        t.do(os.mkdir, 'f')
        t.stat('f')
        t.do(os.rmdir, 'f')
        t.stat('f')


def a_name_in_a_directory_that_was_removed_and_made_again(t):
    os.mkdir('d')
    write_file('d/x', b'1')
    t.stat('d/y')
    os.unlink('d/x')
    os.rmdir('d')
    t.stat('d/x')
    os.mkdir('d')
    t.stat('d/x')
    write_file('d/y', b'2')
    t.content('d/y')
    t.list('d')


def what_another_process_makes_is_seen(t):
    t.stat('f')
    t.child(lambda child: write_file('f', b'by the child'))
    t.content('f')
    t.child(lambda child: os.rename('f', 'g'))
    t.stat('f')
    t.content('g')


def exclusive_creation_after_a_miss(t):
    t.stat('f')
    t.do(os.open, 'f', os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    t.do(os.open, 'f', os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    t.stat('f')
