import { describe, expect, test } from 'vitest';
import { ContentCache } from './content-cache.ts';
import { errno } from './errno.ts';
import { LiveTree } from './live-tree.ts';
import { pathsOf } from './paths.ts';

const file = { mode: 0o100644, uid: 0, gid: 0 };
const directory = { mode: 0o040755, uid: 0, gid: 0 };

function list(tree: LiveTree, ino: number, from = 0): string[] {
  const names: string[] = [];
  tree.readdir(ino, from, (name) => Boolean(names.push(name)));
  return names;
}

describe('a live tree (H-1 H-3 H-5)', () => {
  test('a snapshot keeps its state, and a restore brings it back whole', () => {
    const tree = new LiveTree();
    const ino = tree.create(tree.root, 'file', file);
    tree.write(ino, 0, new Uint8Array([1, 2, 3]));
    const snapshot = tree.snapshot();
    tree.write(ino, 1, new Uint8Array([9]));
    tree.unlink(tree.root, 'file');
    tree.create(tree.root, 'newer', file);
    tree.restore(snapshot);
    const bytes = new Uint8Array(3);
    expect([list(tree, tree.root), tree.read(ino, 0, bytes), [...bytes]]).toEqual([['file'], 3, [1, 2, 3]]);
    expect(tree.usage()).toMatchObject({ usedInodes: 2, usedBytes: 4_096 });
  });

  test('two trees from one snapshot do not see one another', () => {
    const one = new LiveTree();
    const ino = one.create(one.root, 'file', file);
    const two = one.fork();
    one.write(ino, 0, new Uint8Array([1]));
    two.write(ino, 0, new Uint8Array([2]));
    const bytes = new Uint8Array(1);
    expect([one.read(ino, 0, bytes), bytes[0]]).toEqual([1, 1]);
    expect([two.read(ino, 0, bytes), bytes[0]]).toEqual([1, 2]);
  });

  test('the journal names what changed since a mark, and its paths', () => {
    const tree = new LiveTree();
    const folder = tree.create(tree.root, 'folder', directory);
    const ino = tree.create(folder, 'file', file);
    tree.create(tree.root, 'other', file);
    const mark = tree.snapshot();
    tree.write(ino, 0, new Uint8Array(1));
    tree.link(ino, tree.root, 'link');
    const changed = tree.changedSince(mark);
    expect([...changed].sort()).toEqual([tree.root, ino]);
    expect(pathsOf(ino, (number) => tree.inode(number))).toEqual(['/folder/file', '/link']);
  });

  test('onChange is called once until it is armed again', () => {
    let calls = 0;
    const tree = new LiveTree({ onChange: () => calls++ });
    const ino = tree.create(tree.root, 'file', file);
    tree.write(ino, 0, new Uint8Array(1));
    tree.lookup(tree.root, 'file');
    tree.rearm();
    tree.unlink(tree.root, 'nothing');
    expect(calls).toBe(1);
    tree.truncate(ino, 0);
    expect(calls).toBe(2);
  });

  test('what is open survives its removal; after a restore it goes when nobody claims it', () => {
    const tree = new LiveTree();
    const ino = tree.create(tree.root, 'file', file);
    tree.write(ino, 0, new Uint8Array([7]));
    tree.retain(ino);
    tree.unlink(tree.root, 'file');
    expect(tree.stat(ino)).toMatchObject({ nlink: 0, sizeBytes: 1 });
    const snapshot = tree.snapshot();
    tree.release(ino);
    expect(tree.stat(ino)).toBeUndefined();
    tree.restore(snapshot);
    tree.retain(ino);
    tree.dropUnlinked();
    expect(tree.read(ino, 0, new Uint8Array(1))).toBe(1);
    tree.restore(snapshot);
    tree.dropUnlinked();
    expect([tree.stat(ino), tree.usage().usedBytes]).toEqual([undefined, 0]);
  });

  test('a read-only tree answers EROFS to every mutation', () => {
    const tree = new LiveTree();
    const ino = tree.create(tree.root, 'file', file);
    tree.setReadOnly(true);
    const results = [
      tree.create(tree.root, 'b', file),
      tree.link(ino, tree.root, 'b'),
      tree.unlink(tree.root, 'file'),
      tree.rmdir(tree.root, 'file'),
      tree.rename(tree.root, 'file', tree.root, 'b'),
      tree.write(ino, 0, new Uint8Array(1)),
      tree.truncate(ino, 1),
      tree.setAttributes(ino, { uid: 1 }),
      tree.setXattr(ino, 'user.a', new Uint8Array(1)),
      tree.removeXattr(ino, 'user.a'),
    ];
    expect(results).toEqual(results.map(() => -errno.EROFS));
  });

  test('sizes are bounded: bytes, inodes, names, files, attributes', () => {
    const tree = new LiveTree({ totalBytes: 10_000, totalInodes: 4 });
    const ino = tree.create(tree.root, 'a', file);
    expect(tree.write(ino, 0, new Uint8Array(10_001))).toBe(-errno.ENOSPC);
    expect(tree.write(ino, 0, new Uint8Array(8_192))).toBe(8_192);
    expect(tree.setXattr(ino, 'user.a', new Uint8Array(5_000))).toBe(-errno.ENOSPC);
    expect(tree.truncate(ino, 2 ** 40)).toBe(-errno.ENOSPC);
    tree.truncate(ino, 0);
    expect(tree.truncate(ino, 2 ** 40)).toBe(0);
    expect(tree.write(ino, 2 ** 44, new Uint8Array(1))).toBe(-errno.EFBIG);
    expect(tree.link(ino, tree.root, 'b')).toBe(0);
    tree.create(tree.root, 'c', file);
    expect(tree.create(tree.root, 'd', file)).toBe(-errno.ENOSPC);
    expect(tree.link(ino, tree.root, 'd')).toBe(-errno.ENOSPC);
    const names = ['', '.', '..', 'a/b', 'a\0', 'n'.repeat(256)];
    expect(names.map((name) => tree.create(tree.root, name, file))).toEqual([
      ...names.slice(1).map(() => -errno.EINVAL),
      -errno.ENAMETOOLONG,
    ]);
  });

  test('directories nest 1,024 deep, however they get there', () => {
    const tree = new LiveTree();
    const chain = (length: number) => {
      let at = tree.root;
      for (let level = 0; level < length; level++) at = tree.create(at, 'd', directory);
      return at;
    };
    const deepest = chain(1_024);
    expect(tree.create(deepest, 'd', directory)).toBe(-errno.ENAMETOOLONG);
    tree.rename(tree.root, 'd', tree.root, 'first');
    chain(2);
    const half = tree.lookup(tree.lookup(tree.root, 'd'), 'd');
    expect(tree.rename(tree.root, 'first', half, 'x')).toBe(-errno.ENAMETOOLONG);
    expect(tree.rename(tree.lookup(tree.root, 'first'), 'd', tree.root, 'second')).toBe(0);
  });

  test('no path gets longer than Linux opens, however it would get there', () => {
    const tree = new LiveTree();
    const long = 'd'.repeat(255);
    const chain = (at: number, names: readonly string[]) =>
      names.reduce((above, name) => tree.create(above, name, directory), at);
    // 15 of them are 3,840 bytes, of which 4,095 leave one slash and 254.
    const deepest = chain(tree.root, Array(15).fill(long));
    expect(tree.create(deepest, 'f'.repeat(255), file)).toBe(-errno.ENAMETOOLONG);
    const ino = tree.create(deepest, 'f'.repeat(254), file);
    expect(pathsOf(ino, (number) => tree.inode(number))[0]).toHaveLength(4_095);
    expect(tree.link(ino, deepest, 'g'.repeat(255))).toBe(-errno.ENAMETOOLONG);
    expect(tree.rename(deepest, 'f'.repeat(254), deepest, 'g'.repeat(255))).toBe(-errno.ENAMETOOLONG);
    expect(tree.create(deepest, 'x'.repeat(255), directory)).toBe(-errno.ENAMETOOLONG);

    expect(tree.rename(tree.root, long, tree.root, 'short')).toBe(0);
    expect(tree.rename(tree.root, 'short', tree.root, `${long.slice(1)}x`)).toBe(0);
    tree.create(tree.root, 'above', directory);
    const above = tree.lookup(tree.root, 'above');
    expect(tree.rename(tree.root, `${long.slice(1)}x`, above, 'd'.repeat(250))).toBe(-errno.ENAMETOOLONG);
    expect(tree.rename(tree.root, `${long.slice(1)}x`, above, 'd'.repeat(249))).toBe(0);
    expect(pathsOf(ino, (number) => tree.inode(number))[0]).toHaveLength(4_095);
  });

  test('a tree that is not deep is measured where a move makes it deep', () => {
    const tree = new LiveTree();
    const long = 'd'.repeat(255);
    const chain = () => {
      let at = tree.root;
      for (let level = 0; level < 10; level++) at = tree.create(at, long, directory);
      return at;
    };
    chain();
    tree.rename(tree.root, long, tree.root, 'first');
    expect(tree.rename(tree.root, 'first', chain(), 'x')).toBe(-errno.ENAMETOOLONG);
  });

  test('a listing goes on from its cookie while names come and go, 10,000 of them', () => {
    const tree = new LiveTree();
    for (let index = 0; index < 10_000; index++) tree.create(tree.root, `stays${index}`, file);
    const seen = new Map<string, number>();
    let round = 0;
    for (let cookie = 0, more = true; more; round++) {
      let count = 0;
      more = false;
      tree.readdir(tree.root, cookie, (name, _, next) => {
        if (count++ >= 100) {
          more = true;
          return false;
        }
        seen.set(name, (seen.get(name) ?? 0) + 1);
        cookie = next;
        expect(next).toBeLessThanOrEqual(2 ** 30);
        return true;
      });
      tree.create(tree.root, `new${round}`, file);
      if (round % 2) tree.unlink(tree.root, `new${round - 1}`);
    }
    const stayed = [...seen].filter(([name]) => name.startsWith('stays'));
    expect([stayed.length, stayed.every(([, times]) => times === 1)]).toEqual([10_000, true]);
  });

  test('B-10 a tree that is full refuses what takes room, tells of it, and can be altered and emptied', () => {
    let changes = 0;
    const tree = new LiveTree({ onChange: () => changes++ });
    const ino = tree.create(tree.root, 'file', file);
    tree.write(ino, 0, new Uint8Array(8));
    tree.setFull(true);
    tree.rearm();
    changes = 0;
    const refused = [
      tree.create(tree.root, 'new', file),
      tree.link(ino, tree.root, 'again'),
      tree.write(ino, 8_000, new Uint8Array(8)),
      tree.truncate(ino, 1_000_000),
      tree.setXattr(ino, 'user.a', new Uint8Array(100)),
    ];
    expect([refused, changes]).toEqual([Array(5).fill(-errno.ENOSPC), 1]);
    const { usedBytes, totalBytes } = tree.usage();
    expect(totalBytes).toBe(usedBytes);
    expect([tree.write(ino, 0, new Uint8Array(4)), tree.unlink(tree.root, 'file')]).toEqual([4, 0]);
    tree.setFull(false);
    expect(tree.create(tree.root, 'new', file)).toBeGreaterThan(0);
  });

  test('content past the budget is forgotten and read again', () => {
    const reads: string[] = [];
    const chunk = new Uint8Array(101).fill(1);
    const source = {
      read: (id: string) => {
        reads.push(id);
        return chunk;
      },
    };
    const cache = new ContentCache(source, { budgetBytes: 250 });
    expect(cache.heldBytes).toBe(0);
    for (let index = 0; index < 10; index++) {
      cache.load({ epoch: 0, pages: undefined, owned: 0, id: `${index}` as never, used: false });
    }
    expect(cache.heldBytes).toBeLessThanOrEqual(250);
    expect(reads.length).toBe(10);
  });
});
