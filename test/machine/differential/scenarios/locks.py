"""Advisory locks: POSIX byte ranges and flock, between processes."""

import fcntl
import os

from trace import write_file


def byte_ranges(t):
    write_file('f', b'')
    fd = os.open('f', os.O_RDWR)
    t.do(fcntl.lockf, fd, fcntl.LOCK_EX, 20, 10)

    def other(t):
        fd = os.open('f', os.O_RDWR)
        t.do(fcntl.lockf, fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 5, 25)
        t.do(fcntl.lockf, fd, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 29)
        t.do(fcntl.lockf, fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)
        t.do(fcntl.lockf, fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 0, 30)

    t.child(other)
    t.do(fcntl.lockf, fd, fcntl.LOCK_UN, 5, 15)
    t.child(lambda t: t.do(fcntl.lockf, os.open('f', os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB, 5, 15))
    os.close(os.open('f', os.O_RDONLY))
    t.child(lambda t: t.do(fcntl.lockf, os.open('f', os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB))


def whole_files(t):
    write_file('f', b'')
    fd = os.open('f', os.O_RDWR)
    t.do(fcntl.flock, fd, fcntl.LOCK_EX)

    def other(t):
        own = os.open('f', os.O_RDWR)
        t.do(fcntl.flock, own, fcntl.LOCK_SH | fcntl.LOCK_NB)
        t.do(fcntl.flock, fd, fcntl.LOCK_SH)
        t.do(fcntl.flock, own, fcntl.LOCK_SH | fcntl.LOCK_NB)
        t.do(fcntl.flock, fd, fcntl.LOCK_UN)
        t.do(fcntl.flock, own, fcntl.LOCK_EX | fcntl.LOCK_NB)

    t.child(other)
    t.do(fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def a_lock_that_is_waited_for(t):
    write_file('f', b'')
    fd = os.open('f', os.O_RDWR)
    fcntl.lockf(fd, fcntl.LOCK_EX)
    ready, tell = os.pipe()
    if os.fork() == 0:
        os.write(tell, b'r')
        fcntl.lockf(os.open('f', os.O_RDWR), fcntl.LOCK_EX)
        os._exit(7)
    os.read(ready, 1)
    t.do(fcntl.lockf, fd, fcntl.LOCK_UN)
    t.note('waited', os.waitstatus_to_exitcode(os.wait()[1]))
