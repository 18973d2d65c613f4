"""What a scenario sees: every call with its result or error name, every look at the files."""

import errno
import os
import stat
import zlib


class Trace:
    """Collects one line per observation. Lines hold nothing that two correct file systems may choose."""

    def __init__(self):
        self.lines = []

    def note(self, *words):
        self.lines.append(' '.join(str(word) for word in words))

    def do(self, call, *arguments, **options):
        """Calls `call`, notes its result or the name of its error, and answers the result or None."""
        shown = [self._show(argument) for argument in arguments]
        shown += [f'{name}={self._show(value)}' for name, value in options.items()]
        told = f'{call.__name__}({", ".join(shown)})'
        try:
            result = call(*arguments, **options)
        except OSError as error:
            self.note(told, errno.errorcode.get(error.errno, error.errno))
            return None
        self.note(told, '->', 'fd' if call is os.open else self._show(result))
        return result

    def stat(self, path):
        """Type, mode, link count, owner, size and device of a name, without following it."""
        try:
            self.note('stat', path, self._attributes(os.lstat(path)))
        except OSError as error:
            self.note('stat', path, errno.errorcode[error.errno])

    def fstat(self, fd):
        self.note('fstat', self._attributes(os.fstat(fd)))

    def read(self, fd, offset, count):
        """Length and checksum of what is there; short content as it is."""
        try:
            data = os.pread(fd, count, offset)
        except OSError as error:
            self.note('read', offset, count, errno.errorcode[error.errno])
            return
        told = repr(data) if len(data) <= 32 else f'crc {zlib.crc32(data):08x}'
        self.note('read', offset, count, '->', len(data), told)

    def content(self, path):
        """The whole file by a descriptor of its own."""
        fd = self.do(os.open, path, os.O_RDONLY)
        if fd is not None:
            self.read(fd, 0, 1 << 20)
            os.close(fd)

    def list(self, path):
        """Names and types of a directory, sorted: the order is the file system's own."""
        try:
            with os.scandir(path) as entries:
                names = sorted(entry.name + self._suffix(entry) for entry in entries)
        except OSError as error:
            self.note('list', path, errno.errorcode[error.errno])
            return
        told = ' '.join(names) if len(names) <= 24 else f'crc {zlib.crc32(" ".join(names).encode()):08x}'
        self.note('list', path, len(names), told)

    def child(self, work, *, uid=None):
        """Runs `work(trace)` in another process, as another user if asked, and takes over its lines."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            self.lines = []
            try:
                if uid is not None:
                    os.setgroups([])
                    os.setresgid(uid, uid, uid)
                    os.setresuid(uid, uid, uid)
                work(self)
            except BaseException as error:  # noqa: whatever it is belongs into the trace
                self.note('child failed:', repr(error))
            with os.fdopen(writer, 'w') as out:
                out.write('\n'.join(self.lines))
                out.flush()
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as told:
            self.lines += told.read().splitlines()
        os.waitpid(pid, 0)

    @staticmethod
    def _attributes(info):
        size = '-' if stat.S_ISDIR(info.st_mode) else info.st_size
        return f'{info.st_mode:o} links {info.st_nlink} owner {info.st_uid}:{info.st_gid} size {size} device {info.st_rdev:x}'

    @staticmethod
    def _suffix(entry):
        return '@' if entry.is_symlink() else '/' if entry.is_dir() else ''

    @staticmethod
    def _show(value):
        if isinstance(value, (bytes, str)) and len(value) > 40:
            return f'<{len(value)} bytes>'
        if isinstance(value, list):
            return f'[{", ".join(map(Trace._show, value))}]'
        if isinstance(value, int) and value > 2 and not isinstance(value, bool):
            return f'{value:#o}' if value < 0o10000 else str(value)
        return repr(value)


def drop_caches():
    """Writes everything back and makes the kernel forget it, so that the next look asks the server."""
    os.sync()
    with open('/proc/sys/vm/drop_caches', 'w') as file:
        file.write('3')


def write_file(path, data, mode=0o644):
    """Makes a file without a word in the trace."""
    fd = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, mode)
    os.write(fd, data)
    os.close(fd)


