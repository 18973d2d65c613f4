"""What an ordinary user may do: permissions, set-id bits, sticky directories."""

import os
import stat

from trace import drop_caches, write_file

USER = 1000


def _prepare():
    write_file('rootfile', b'r')
    write_file('secret', b's', 0o600)
    for name, mode in (('pub', 0o777), ('sticky', 0o1777), ('sgid', 0o2777), ('closed', 0o700)):
        os.mkdir(name)
        os.chown(name, 0, 50 if name == 'sgid' else 0)
        os.chmod(name, mode)
    for name in ('sticky/theirs', 'pub/drop', 'pub/suid', 'pub/suid2', 'pub/sgid'):
        write_file(name, b'0123456789' * 1000)
    for name, mode in (('pub/drop', 0o222), ('pub/suid', 0o6777), ('pub/suid2', 0o6777), ('pub/sgid', 0o2767)):
        os.chmod(name, mode)


def others_files(t):
    _prepare()

    def user(t):
        t.do(os.open, 'rootfile', os.O_RDWR)
        t.content('rootfile')
        t.do(os.open, 'secret', os.O_RDONLY)
        t.do(os.access, 'secret', os.R_OK)
        t.do(os.access, 'rootfile', os.R_OK)
        t.stat('closed/x')
        t.do(os.unlink, 'sticky/theirs')
        t.do(os.rename, 'sticky/theirs', 'sticky/x')
        t.do(os.mkdir, 'nope')
        t.do(os.chmod, 'rootfile', 0o777)
        t.do(os.utime, 'rootfile')
        t.do(os.utime, 'rootfile', ns=(1, 1))
        t.do(os.truncate, 'rootfile', 0)
        t.do(os.link, 'rootfile', 'pub/link')
        t.do(os.setxattr, 'rootfile', 'user.a', b'x')

    t.child(user, uid=USER)


def a_file_that_may_be_written_but_not_read(t):
    _prepare()
    drop_caches()

    def user(t):
        t.do(os.open, 'pub/drop', os.O_RDONLY)
        t.do(os.open, 'pub/drop', os.O_RDWR)
        fd = t.do(os.open, 'pub/drop', os.O_WRONLY)
        t.do(os.pwrite, fd, b'middle', 4_500)
        t.read(fd, 0, 10)
        fd = t.do(os.open, 'pub/drop', os.O_WRONLY | os.O_APPEND)
        t.do(os.write, fd, b'end')

    t.child(user, uid=USER)
    drop_caches()
    t.content('pub/drop')


def own_files(t):
    _prepare()

    def user(t):
        t.do(os.mkdir, 'pub/mine', 0o777)
        t.stat('pub/mine')
        fd = t.do(os.open, 'pub/f', os.O_CREAT | os.O_RDWR, 0o666)
        t.fstat(fd)
        t.do(os.chmod, 'pub/f', 0o6755)
        t.stat('pub/f')
        t.do(os.chown, 'pub/f', 0, 0)
        t.do(os.chown, 'pub/f', USER, USER)
        t.stat('pub/f')
        fd = t.do(os.open, 'pub/readonly', os.O_CREAT | os.O_RDWR, 0o444)
        t.do(os.write, fd, b'hello')
        t.do(os.open, 'pub/readonly', os.O_WRONLY)
        fd = t.do(os.open, 'pub/none', os.O_CREAT | os.O_WRONLY, 0)
        t.do(os.write, fd, b'hello')
        os.fsync(fd)
        t.do(os.open, 'pub/none', os.O_RDONLY)
        t.do(os.mknod, 'pub/device', stat.S_IFCHR | 0o666, os.makedev(1, 3))
        t.do(os.mkfifo, 'pub/fifo', 0o666)
        t.do(os.setxattr, 'pub/f', 'trusted.a', b'x')
        t.do(os.symlink, 'x', 'pub/symlink')
        t.stat('pub/symlink')
        t.do(os.chown, 'pub/symlink', USER, USER, follow_symlinks=False)
        t.do(os.rmdir, 'pub/mine')

    t.child(user, uid=USER)
    drop_caches()
    t.list('pub')
    t.stat('pub/none')


def set_id_bits_go_when_a_user_writes(t):
    _prepare()

    def user(t):
        fd = t.do(os.open, 'pub/suid', os.O_WRONLY)
        t.do(os.write, fd, b'x')
        t.stat('pub/suid')
        fd = t.do(os.open, 'pub/suid2', os.O_WRONLY)
        t.do(os.ftruncate, fd, 3)
        t.stat('pub/suid2')
        fd = t.do(os.open, 'pub/sgid', os.O_WRONLY)
        t.do(os.write, fd, b'x')
        t.stat('pub/sgid')

    t.child(user, uid=USER)
    drop_caches()
    for name in ('pub/suid', 'pub/suid2', 'pub/sgid'):
        t.stat(name)


def a_set_group_id_directory_hands_on_its_group(t):
    _prepare()

    def user(t):
        t.do(os.mkdir, 'sgid/sub', 0o755)
        t.stat('sgid/sub')
        fd = t.do(os.open, 'sgid/f', os.O_CREAT | os.O_WRONLY, 0o2775)
        t.fstat(fd)
        os.symlink('f', 'sgid/s')
        t.stat('sgid/s')

    t.child(user, uid=USER)
