import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../content/object-id.ts';
import { LiveTree } from '../live/live-tree.ts';
import { diffTrees } from './diff-trees.ts';
import { directoryFormat } from './directory.ts';
import { storedObject } from './hash-object.ts';
import { encodePages, endsPage } from './pages.ts';
import { sealTree } from './seal-tree.ts';
import type { TreeEntry } from './tree-entry.ts';
import { encodeTreeRoot } from './tree-root.ts';

const text = new TextEncoder();

function setUp() {
  const objects = new Map<ObjectId, Uint8Array>();
  const read: ObjectId[] = [];
  const get = async (id: ObjectId) => {
    read.push(id);
    return objects.get(id);
  };
  let seconds = 0;
  const tree = new LiveTree({ clock: () => ({ seconds: ++seconds, nanoseconds: 0 }) });
  const seal = () => {
    const { id, objects: made } = sealTree(tree.snapshot());
    for (const object of made) objects.set(object.id, object.bytes);
    return id;
  };
  const put = (directory: number, name: string, content: string) => {
    const found = tree.lookup(directory, name);
    const ino = found || tree.create(directory, name, { mode: 0o100644, uid: 0, gid: 0 });
    tree.truncate(ino, 0);
    tree.write(ino, 0, text.encode(content));
    return ino;
  };
  const mkdir = (directory: number, name: string) =>
    tree.create(directory, name, { mode: 0o040755, uid: 0, gid: 0 });
  const diff = async (a: ObjectId, b: ObjectId, maxChanges = 1_000) => {
    read.length = 0;
    const { changes, truncated } = await diffTrees(get, a, b, { maxChanges });
    const lines = changes.map(({ type, path, from }) =>
      from ? `${type} ${from} ${path}` : `${type} ${path}`,
    );
    return { lines, truncated, reads: read.length };
  };
  return { tree, seal, put, mkdir, diff };
}

describe('diff of stored trees (B-3)', () => {
  test('lists created, modified, deleted, renamed and metadata-only changes', async () => {
    const { tree, seal, put, mkdir, diff } = setUp();
    const source = mkdir(tree.root, 'src');
    put(source, 'main.c', 'int main');
    put(source, 'old.c', 'to be moved');
    const gone = mkdir(tree.root, 'gone');
    put(gone, 'inner', 'goes too');
    const script = put(tree.root, 'script', 'echo');
    const a = seal();
    put(source, 'main.c', 'int main()');
    tree.rename(source, 'old.c', tree.root, 'new.c');
    tree.unlink(gone, 'inner');
    tree.rmdir(tree.root, 'gone');
    tree.setAttributes(script, { permissions: 0o755 });
    put(mkdir(tree.root, 'made'), 'file', 'fresh');
    tree.create(tree.root, 'empty', { mode: 0o100644, uid: 0, gid: 0 });
    const b = seal();
    expect((await diff(a, b)).lines).toEqual([
      'created /empty',
      'deleted /gone',
      'deleted /gone/inner',
      'created /made',
      'created /made/file',
      'renamed /src/old.c /new.c',
      'metadata /script',
      'modified /src/main.c',
    ]);
  });

  test('a moved directory is one rename; a file moved into a new directory is found', async () => {
    const { tree, seal, put, mkdir, diff } = setUp();
    const library = mkdir(tree.root, 'lib');
    for (let index = 0; index < 20; index++) put(library, `file${index}`, `${index}`);
    put(tree.root, 'note', 'a note');
    const a = seal();
    tree.rename(tree.root, 'lib', mkdir(tree.root, 'vendor'), 'library');
    tree.rename(tree.root, 'note', mkdir(tree.root, 'notes'), 'first');
    const { lines } = await diff(a, seal());
    expect(lines).toEqual(
      [
        'renamed /note /notes/first',
        'created /notes',
        'created /vendor',
        'renamed /lib /vendor/library',
      ].sort(byLastWord),
    );
  });

  test('reads only what differs, and stops at its limit', async () => {
    const { tree, seal, put, mkdir, diff } = setUp();
    for (let index = 0; index < 100; index++) {
      const directory = mkdir(tree.root, `d${index}`);
      for (let file = 0; file < 20; file++) put(directory, `f${file}`, `${index} ${file}`);
    }
    const a = seal();
    put(tree.lookup(tree.root, 'd50'), 'f7', 'changed');
    const one = await diff(a, seal());
    expect(one.lines).toEqual(['modified /d50/f7']);
    expect(one.reads).toBeLessThan(20);
    for (let file = 0; file < 20; file++) put(tree.lookup(tree.root, 'd1'), `f${file}`, 'other');
    expect(await diff(a, seal(), 5)).toMatchObject({ lines: { length: 5 }, truncated: true });
  });

  test('H-9 stops at a small tree of shared directories with millions of names', async () => {
    const objects = new Map<ObjectId, Uint8Array>();
    const entry = (name: string, mode: number, directory?: ObjectId): TreeEntry => ({
      ...{ name, mode, uid: 0, gid: 0, mtimeSeconds: 0, mtimeNanoseconds: 0, rdev: 0, sizeBytes: 0 },
      ...{ content: undefined, directory, target: undefined, xattrs: new Map() },
    });
    const store = (entries: TreeEntry[]): ObjectId => {
      const [page] = encodePages(entries, directoryFormat);
      if (!page) throw new TypeError('A directory has a page');
      objects.set(page.object.id, page.object.bytes);
      return page.object.id;
    };
    const seal = (prefix: string) => {
      const names = Array.from({ length: 200 }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
      let directory = store(names.filter((name) => !endsPage(name)).map((name) => entry(name, 0o010644)));
      for (let depth = 0; depth < 13; depth++) {
        directory = store(['left', 'right'].map((name) => entry(name, 0o040755, directory)));
      }
      const root = storedObject(
        encodeTreeRoot({ entry: { ...entry('', 0o040755, directory), directory }, links: [] }),
      );
      objects.set(root.id, root.bytes);
      return root.id;
    };
    let reads = 0;
    const get = async (id: ObjectId) => {
      reads++;
      return objects.get(id);
    };
    const { truncated } = await diffTrees(get, seal('a'), seal('b'));
    expect(truncated).toBe(true);
    expect(reads).toBeLessThan(20_000);
  });

  test('agrees with a comparison of all files', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    const files = fc.dictionary(name, fc.dictionary(name, fc.nat(3)));
    const property = fc.asyncProperty(files, files, async (before, after) => {
      const { tree, seal, put, mkdir, diff } = setUp();
      const fill = (what: Record<string, Record<string, number>>) => {
        for (const [directory, inside] of Object.entries(what)) {
          const ino = mkdir(tree.root, directory);
          // Content is unique to its path, so that nothing looks moved.
          for (const [file, value] of Object.entries(inside)) put(ino, file, `${directory}/${file}${value}`);
        }
      };
      const empty = tree.snapshot();
      fill(before);
      const a = seal();
      tree.restore(empty);
      fill(after);
      const { lines } = await diff(a, seal());
      const flat = (what: Record<string, Record<string, number>>) =>
        Object.entries(what).flatMap(([directory, inside]): [string, number][] => [
          [`/${directory}`, -1],
          ...Object.entries(inside).map(([file, value]): [string, number] => [
            `/${directory}/${file}`,
            value,
          ]),
        ]);
      const old = new Map(flat(before));
      const fresh = new Map(flat(after));
      const expected = [
        ...[...fresh.keys()].filter((path) => !old.has(path)).map((path) => `created ${path}`),
        ...[...old.keys()].filter((path) => !fresh.has(path)).map((path) => `deleted ${path}`),
        ...[...fresh]
          .filter(([path, value]) => (old.get(path) ?? value) !== value)
          .map(([path]) => `modified ${path}`),
      ];
      expect(lines.filter((line) => !line.startsWith('metadata')).sort()).toEqual(expected.sort());
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

function byLastWord(a: string, b: string): number {
  return (a.split(' ').at(-1) ?? '') < (b.split(' ').at(-1) ?? '') ? -1 : 1;
}
