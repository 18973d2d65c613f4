"""Does a list of operations, JSON on stdin, in the folder that is its argument. What Linux refuses is skipped.

A place is {"pick": n} (something that is there) or {"pick": n, "name": s} (a name in a directory that is).
"""
import json, os, shutil, stat, sys

root = os.fsencode(sys.argv[1])


def existing():
    found = [root]
    for directory, directories, files in os.walk(root):
        found += [os.path.join(directory, name) for name in directories + files]
    return sorted(found)


def is_directory(path):
    return stat.S_ISDIR(os.lstat(path).st_mode)


def resolve(place):
    paths = existing()
    if "name" not in place:
        return paths[place["pick"] % len(paths)]
    directories = [path for path in paths if is_directory(path)]
    return os.path.join(directories[place["pick"] % len(directories)], place["name"].encode("latin1"))


def write(path, offset, data):
    file = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CREAT)
    try:
        if stat.S_ISREG(os.fstat(file).st_mode):
            os.pwrite(file, data, offset)
    finally:
        os.close(file)


def remove(path):
    if path == root:
        return
    if is_directory(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def rewrite_unseen(path):
    """Other bytes, same size, same mtime."""
    before = os.lstat(path)
    if stat.S_ISREG(before.st_mode) and before.st_size > 0:
        write(path, 0, os.urandom(1))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns), follow_symlinks=False)


def replace(path, data):
    if not is_directory(path):
        write(path + b"~", 0, data)
        os.rename(path + b"~", path)


def remake(path):
    if path != root and is_directory(path):
        shutil.rmtree(path)
        os.mkdir(path)


def operate(step):
    kind, path = step["type"], resolve(step["path"])
    if kind == "create":
        write(path, 0, b"c" * step["size"])
    elif kind == "write":
        write(path, step["offset"], bytes([step["fill"]]) * step["length"])
    elif kind == "truncate":
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.truncate(path, step["size"])
    elif kind == "mkdir":
        os.mkdir(path)
    elif kind == "remove":
        remove(path)
    elif kind == "rewriteUnseen":
        rewrite_unseen(path)
    elif kind == "replace":
        replace(path, b"r" * step["size"])
    elif kind == "remake":
        remake(path)
    elif kind == "rename":
        # As mv does where a directory of a lower layer cannot be renamed.
        to = resolve(step["to"])
        try:
            os.rename(path, to)
        except OSError:
            if is_directory(path) and not os.path.lexists(to) and not to.startswith(path + b"/"):
                shutil.copytree(path, to, symlinks=True)
                remove(path)
    elif kind == "link":
        # GNU tar, which the test compares with, does not tell links of devices and fifos.
        if stat.S_ISREG(os.lstat(path).st_mode) or stat.S_ISLNK(os.lstat(path).st_mode):
            os.link(path, resolve(step["to"]), follow_symlinks=False)
    elif kind == "symlink":
        os.symlink(step["target"], path)
    elif kind == "mknod":
        os.mknod(path, step["mode"], os.makedev(1, 3))
    elif kind == "chmod":
        if not stat.S_ISLNK(os.lstat(path).st_mode):
            os.chmod(path, step["mode"])
    elif kind == "chown":
        os.chown(path, step["uid"], step["uid"] + 1, follow_symlinks=False)
    elif kind == "utime":
        os.utime(path, ns=(0, step["ns"]), follow_symlinks=False)
    elif kind == "setxattr":
        os.setxattr(path, step["name"], step["value"].encode("latin1"), follow_symlinks=False)
    elif kind == "removexattr":
        os.removexattr(path, step["name"], follow_symlinks=False)
    elif kind == "setcap":
        capability = bytes([1, 0, 0, 2]) + bytes([255]) + bytes(15)
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.setxattr(path, "security.capability", capability)
    else:
        raise SystemExit("unknown step " + kind)


for step in json.load(sys.stdin):
    try:
        operate(step)
    except (OSError, shutil.Error, RecursionError):
        pass
