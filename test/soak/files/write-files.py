"""Writes to files in the folder of the first argument in every way that Linux has, at random by the seed of the second.

Each line of stdin is a number of writes; its answer is one line of JSON with the size, the digest and the number of
names of each file there is then, as its own reads tell. Mappings stay open from line to line.
"""
import ctypes, hashlib, json, mmap, os, random, sys

folder, seed = sys.argv[1], int(sys.argv[2])
dice = random.Random(seed)
libc = ctypes.CDLL(None, use_errno=True)
page = 4096
most_files, most_bytes, most_mappings = 12, 262_144, 6
keep_size, punch_hole, zero_range = 1, 2, 16
# Each with the number of the file that it is of.
mappings = []


def names():
    return sorted(os.listdir(folder))


def any_path():
    found = names()
    return os.path.join(folder, dice.choice(found)) if found else create()


def new_path():
    return os.path.join(folder, "file-%d" % dice.randrange(most_files))


def some_bytes(limit=20_000):
    return dice.randbytes(dice.randint(1, limit))


def is_mapped(path):
    number = os.stat(path).st_ino
    return any(ino == number for ino, _ in mappings)


def pwrite(path, offset, data, flags=0):
    file = os.open(path, os.O_RDWR | flags)
    try:
        os.pwrite(file, data, offset)
    finally:
        os.close(file)


def create():
    path = new_path()
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(some_bytes(most_bytes))
    return path


def write():
    path = any_path()
    pwrite(path, dice.randint(0, most_bytes), some_bytes())


def append():
    with open(any_path(), "ab") as file:
        file.write(some_bytes(2_000))


def write_direct():
    path = any_path()
    buffer = mmap.mmap(-1, page)
    buffer.write(dice.randbytes(page))
    file = os.open(path, os.O_RDWR | os.O_DIRECT)
    try:
        os.pwritev(file, [buffer], page * dice.randrange(most_bytes // page))
    finally:
        os.close(file)
        buffer.close()


def write_unseen():
    """Other bytes, with the size and the time of before."""
    path = any_path()
    before = os.stat(path)
    if before.st_size > 0:
        pwrite(path, dice.randrange(before.st_size), dice.randbytes(1))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def write_sparse():
    pwrite(any_path(), dice.randint(1, 4) * 1_048_576, some_bytes(100))


def change_blocks():
    path = any_path()
    mode = dice.choice([0, keep_size, keep_size | punch_hole, zero_range])
    offset, length = dice.randrange(most_bytes), dice.randint(1, 5 * page)
    file = os.open(path, os.O_RDWR)
    try:
        # Refused where the file system has none: nothing is changed then.
        libc.fallocate64(file, mode, ctypes.c_longlong(offset), ctypes.c_longlong(length))
    finally:
        os.close(file)


def truncate():
    path = any_path()
    # A mapping beyond the end of its file ends whoever writes there.
    if not is_mapped(path):
        os.truncate(path, dice.randint(0, most_bytes))


def rename():
    os.rename(any_path(), new_path())


def replace():
    path = any_path()
    with open(path + "~", "wb") as file:
        file.write(some_bytes(most_bytes))
    os.rename(path + "~", path)


def link():
    path, other = any_path(), new_path()
    if not os.path.exists(other):
        os.link(path, other)


def remove():
    os.unlink(any_path())


def open_mapping():
    path = any_path()
    size = os.stat(path).st_size
    if len(mappings) < most_mappings and 0 < size <= 2 * most_bytes:
        file = os.open(path, os.O_RDWR)
        mappings.append((os.fstat(file).st_ino, mmap.mmap(file, size)))
        os.close(file)


def write_mapping():
    if mappings:
        _, memory = dice.choice(mappings)
        offset = dice.randrange(len(memory))
        data = some_bytes(200)[: len(memory) - offset]
        memory[offset : offset + len(data)] = data


def read_mapping():
    if mappings:
        _, memory = dice.choice(mappings)
        sum(memory[offset] for offset in range(0, len(memory), page))


def flush_mapping():
    if mappings:
        dice.choice(mappings)[1].flush()


def close_mapping():
    if mappings:
        mappings.pop(dice.randrange(len(mappings)))[1].close()


def write_and_exit():
    """Through a mapping of a process that ends without a word."""
    path = any_path()
    data = dice.randbytes(1)
    if os.stat(path).st_size > 0 and os.fork() == 0:
        file = os.open(path, os.O_RDWR)
        mmap.mmap(file, 1)[0:1] = data
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass


seldom = [create, append, write_direct, write_unseen, write_sparse, change_blocks, truncate, rename, replace, link]
seldom += [remove, flush_mapping, close_mapping, read_mapping, write_and_exit]
steps = 3 * [create] + 2 * [write, open_mapping] + seldom + 12 * [write_mapping]


def digest(name):
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    status = os.stat(path)
    return [status.st_size, found, status.st_nlink]


os.makedirs(folder, exist_ok=True)
for line in sys.stdin:
    for _ in range(int(line)):
        dice.choice(steps)()
    print(json.dumps({name: digest(name) for name in names()}), flush=True)
