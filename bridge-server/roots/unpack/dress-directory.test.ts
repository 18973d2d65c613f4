import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileMode } from '../../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { dressDirectory } from './dress-directory.ts';

const isRoot = process.geteuid?.() === 0;
const [uid, gid] = isRoot ? [12, 34] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
const entry: TreeEntry = {
  name: '',
  mode: fileMode.directory | 0o3751,
  uid,
  gid,
  mtimeSeconds: 1_700_000_001,
  mtimeNanoseconds: 0,
  rdev: 0,
  sizeBytes: 0,
  content: undefined,
  directory: undefined,
  target: undefined,
  xattrs: new Map(),
};
const abilities = { isRoot, hasIds: isRoot };

function makeDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'coppice-dress-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('H-2 a directory gets the mode, the owner and the time of its entry', () => {
  const path = makeDirectory();
  expect(dressDirectory(path, entry, abilities)).toBe(true);
  const { mode, uid: owner, gid: group, mtimeMs } = lstatSync(path);
  expect([mode & 0o7777, owner, group, mtimeMs]).toEqual([0o3751, uid, gid, 1_700_000_001_000]);
});

test.each([
  ['a time between seconds', { mtimeNanoseconds: 1 }],
  ['an extended attribute', { xattrs: new Map([['user.note', Uint8Array.of(1)]]) }],
])('%s is left to tar, with the directory as it is', (_, change) => {
  const path = makeDirectory();
  const before = lstatSync(path);
  expect(dressDirectory(path, { ...entry, ...change }, abilities)).toBe(false);
  expect(lstatSync(path)).toEqual(before);
});
