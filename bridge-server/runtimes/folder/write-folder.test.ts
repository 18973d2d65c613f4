import fs, {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { FolderRules } from './folder-rules.ts';
import { noLook } from './last-look.ts';
import { OpenFolder } from './open-folder.ts';
import { readFolder } from './read-folder.ts';
import { writeFolder } from './write-folder.ts';

const none = () => false;
const rules = new FolderRules({ before: none, now: none });
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function read(tree: LiveTree, since = noLook): Promise<void> {
  using opened = new OpenFolder(folder);
  await readFolder(tree, { folder: opened, rules, since });
}

async function write(tree: LiveTree, before: TreeSnapshot): Promise<void> {
  using opened = new OpenFolder(folder);
  await writeFolder(tree, { folder: opened, rules: rules.writeRules(none), before });
}

/** Every path, with its mode and its text. */
function look(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const stat = statSync(join(folder, path));
      const text = stat.isFile() ? readFileSync(join(folder, path), 'utf8') : '';
      return `${path} ${stat.mode.toString(8)} ${text}`;
    });
}

test('R-12 a file that has changed since it was read refuses the checkout, and nothing is changed', async () => {
  const tree = new LiveTree();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), `old ${name}`);
  await read(tree);
  const old = tree.snapshot();
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), `new ${name}`);
  rmSync(join(folder, 'c'));
  await read(tree);
  const before = tree.snapshot();
  writeFileSync(join(folder, 'b'), 'somebody is quicker');
  tree.restore(old);
  const refused = write(tree, before);
  await expect(refused).rejects.toMatchObject({ code: 'conflict', details: { path: 'b' } });
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new a');
  expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
  await read(tree);
  const again = tree.snapshot();
  tree.restore(old);
  await write(tree, again);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    'old a',
    'old b',
    'old c',
  ]);
});

test('R-12 a new file that appears where one is to be written is not overwritten', async () => {
  const tree = new LiveTree();
  writeFileSync(join(folder, 'a'), 'old');
  await read(tree);
  const old = tree.snapshot();
  rmSync(join(folder, 'a'));
  await read(tree);
  const before = tree.snapshot();
  writeFileSync(join(folder, 'a'), 'of somebody else');
  tree.restore(old);
  await expect(write(tree, before)).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('of somebody else');
});

test('R-12 a write that fails half way puts back what it changed, and says so', async () => {
  const tree = new LiveTree();
  const at = (path: string) => join(folder, path);
  for (const name of ['changed', 'new', 'x'.repeat(250)]) writeFileSync(at(name), `old ${name}`);
  mkdirSync(at('kind'));
  writeFileSync(at('kind/in'), 'old');
  await read(tree);
  // As if the store had lost what is written last.
  const lost = tree.lookup(tree.root, 'x'.repeat(250));
  const readTree = tree.read.bind(tree);
  vi.spyOn(tree, 'read').mockImplementation((ino, offset, into) =>
    ino === lost ? -5 : readTree(ino, offset, into),
  );
  const old = tree.snapshot();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const name of ['changed', 'gone', 'kind']) writeFileSync(at(name), `now ${name}`);
  mkdirSync(at('removed/deep'), { recursive: true });
  writeFileSync(at('removed/deep/file'), 'now', { mode: 0o640 });
  await read(tree);
  const before = tree.snapshot();
  const had = look();
  tree.restore(old);
  const failed = write(tree, before);
  await expect(failed).rejects.toThrow('was put back');
  expect(look()).toEqual(had);
  vi.restoreAllMocks();
  tree.restore(old);
  await write(tree, before);
  expect(readdirSync(folder).sort()).toEqual(['changed', 'kind', 'new', 'x'.repeat(250)]);
});

test('R-12 large files and holes are read and written whole, and what is the same is not written', async () => {
  const tree = new LiveTree();
  const large = Buffer.alloc(3_000_000, 'x');
  large.fill(0, 500_000, 2_000_000);
  writeFileSync(join(folder, 'large'), large);
  writeFileSync(join(folder, 'same'), 'same');
  await read(tree);
  const old = tree.snapshot();
  writeFileSync(join(folder, 'large'), 'short');
  const { ino } = statSync(join(folder, 'same'));
  await read(tree);
  const before = tree.snapshot();
  tree.restore(old);
  await write(tree, before);
  expect(readFileSync(join(folder, 'large')).equals(large)).toBe(true);
  expect(statSync(join(folder, 'same')).ino).toBe(ino);
});

test('R-12 modes and times of one name of a file are put back, and those of its other names stay', async () => {
  const outside = `${folder} outside`;
  onTestFinished(() => rmSync(outside));
  const tree = new LiveTree();
  for (const name of ['one', 'two']) writeFileSync(join(folder, name), 'same');
  utimesSync(join(folder, 'one'), 1, 1);
  chmodSync(join(folder, 'one'), 0o600);
  await read(tree);
  const [old, first] = [tree.snapshot(), look()];
  linkSync(join(folder, 'two'), outside);
  rmSync(join(folder, 'one'));
  linkSync(outside, join(folder, 'one'));
  utimesSync(outside, 2, 2);
  chmodSync(outside, 0o640);
  await read(tree);
  const before = tree.snapshot();
  tree.restore(old);
  await write(tree, before);
  expect(look()).toEqual(first);
  expect(statSync(join(folder, 'one')).mtimeMs).toBe(1_000);
  expect(statSync(outside)).toMatchObject({ mtimeMs: 2_000, mode: 0o100640 });
});

test('R-12 a folder that the history has no room for is refused with what helps', async () => {
  const tree = new LiveTree({ totalBytes: 65_536 });
  writeFileSync(join(folder, 'large'), Buffer.alloc(200_000, 'x'));
  await expect(read(tree)).rejects.toMatchObject({ code: 'storage-full' });
  rmSync(folder, { recursive: true });
  await expect(read(new LiveTree())).rejects.toMatchObject({ code: 'not-found' });
  folder = mkdtempSync(join(tmpdir(), 'coppice-folder-'));
});

for (const count of [1, 70]) {
  test.runIf(process.platform === 'linux')(`R-12 ${count} files are on disk before HEAD moves`, async () => {
    const tree = new LiveTree();
    const names = Array.from({ length: count }, (_, at) => `f${at}`);
    for (const name of names) writeFileSync(join(folder, name), 'old');
    await read(tree);
    const old = tree.snapshot();
    for (const name of names) rmSync(join(folder, name));
    await read(tree);
    const before = tree.snapshot();
    tree.restore(old);
    // A stand-in for sync(1), and fsync(2) told of: which of the two is called when.
    const tools = mkdtempSync(join(tmpdir(), 'coppice-tools-'));
    onTestFinished(() => rmSync(tools, { recursive: true }));
    writeFileSync(join(tools, 'sync'), `#!/bin/sh\ncat ${folder}/f* > ${tools}/flushed\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${tools}:${process.env.PATH}`);
    const flush = vi.spyOn(fs, 'fsyncSync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      flush.mockRestore();
      syncBuiltinESMExports();
    });
    using opened = new OpenFolder(folder);
    const moveHead = async () => {
      // The file, and the directory that has its name.
      if (count === 1) expect(flush).toHaveBeenCalledTimes(2);
      else expect(readFileSync(join(tools, 'flushed'), 'utf8')).toBe('old'.repeat(count));
    };
    await writeFolder(tree, { folder: opened, rules: rules.writeRules(none), before, moveHead });
    expect.assertions(1);
  });
}
