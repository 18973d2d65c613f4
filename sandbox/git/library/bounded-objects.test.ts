import { deflateSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { boundedObjects, CheckedPacks } from './bounded-objects.ts';
import type { GitFileCalls, GitFileStat } from './git-files.ts';

const pack = '/p/.git/objects/pack/pack-1.pack';
const loose = `/p/.git/objects/ab/${'cd'.repeat(19)}`;
const hello = Buffer.from('hello');
const bomb = deflateSync(new Uint8Array(limits.gitFileBytes + 1), { level: 1 });
const tooLong = { code: 'limit-exceeded', message: expect.stringContaining(String(limits.gitFileBytes)) };

let files: Map<string, Uint8Array>;
let looks: number;
let git: GitFileCalls;
beforeEach(() => {
  files = new Map();
  looks = 0;
  const calls: Partial<GitFileCalls> = {
    readFile: async (path) => files.get(path) ?? new Uint8Array(0),
    writeFile: async (path, content) => void files.set(path, Buffer.from(content)),
    lstat: async (path) => ({ size: files.get(path)?.length, ino: ++looks }) as GitFileStat,
  };
  git = boundedObjects(calls as GitFileCalls, new CheckedPacks());
});

/** Entries of a pack, each with its type and what is before its deflated bytes. */
function packOf(...entries: readonly [type: number, before: Uint8Array, deflated: Uint8Array][]): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(entries.length, 8);
  const bodies = entries.map(([type, before, deflated]) =>
    Buffer.concat([Buffer.of((type << 4) | 5), before, deflated]),
  );
  return Buffer.concat([header, ...bodies, Buffer.alloc(20)]);
}

const none = new Uint8Array(0);
const blob = [3, none, deflateSync(hello)] as const;
/** A delta from 5 bytes to as many as these bytes say. */
const delta = (...size: number[]) => deflateSync(Buffer.of(5, ...size, 0x90, 5));

test('H-9 a pack is taken as it is, with deltas, and one that is damaged is refused', async () => {
  const fine = packOf(
    [...blob],
    [6, Buffer.of(0x81, 0x02), delta(5)],
    [7, Buffer.alloc(20, 1), delta(5)],
    [...blob],
  );
  await git.writeFile(pack, fine);
  expect(await git.readFile(pack)).toEqual(fine);
  const damaged = Buffer.from(fine);
  damaged[13] = 0;
  await expect(git.writeFile(pack, damaged)).rejects.toMatchObject({ code: 'asset-unavailable' });
});

test('H-9 a pack with an object that inflates to too much is neither written nor read', async () => {
  const evil = packOf([...blob], [3, none, bomb], [...blob]);
  await expect(git.writeFile(pack, evil)).rejects.toMatchObject(tooLong);
  expect(files.has(pack)).toBe(false);
  files.set(pack, evil);
  await expect(git.readFile(pack)).rejects.toMatchObject(tooLong);
});

test('H-9 a pack with a delta that makes too much is neither written nor read', async () => {
  for (const [type, before] of [
    [6, Buffer.of(0x01)],
    [7, Buffer.alloc(20, 1)],
  ] as const) {
    const evil = packOf([...blob], [type, before, delta(0xff, 0xff, 0xff, 0xff, 0x7f)]);
    await expect(git.writeFile(pack, evil)).rejects.toMatchObject(tooLong);
  }
});

test('H-9 an index that leads into an object is not that of its pack', async () => {
  const index = pack.replace(/pack$/, 'idx');
  const indexOf = (...offsets: readonly number[]) => {
    const bytes = Buffer.alloc(8 + 1_024 + 28 * offsets.length + 40);
    bytes.writeUInt32BE(0xff744f63);
    bytes.writeUInt32BE(2, 4);
    bytes.writeUInt32BE(offsets.length, 8 + 1_020);
    for (const [at, offset] of offsets.entries()) {
      bytes.writeUInt32BE(offset, 8 + 1_024 + 24 * offsets.length + 4 * at);
    }
    return bytes;
  };
  const second = 12 + 1 + blob[2].length;
  files.set(pack, packOf([...blob], [...blob]));
  files.set(index, indexOf(second, 12));
  expect(await git.readFile(index)).toEqual(files.get(index));
  files.set(index, indexOf(12, second + 1));
  await expect(git.readFile(index)).rejects.toMatchObject({ code: 'asset-unavailable' });
});

test('H-9 a loose object that inflates to too much is not read, whatever size it says', async () => {
  files.set(loose, bomb);
  await expect(git.readFile(loose)).rejects.toMatchObject(tooLong);
  files.set(loose, deflateSync(hello));
  expect(await git.readFile(loose)).toEqual(deflateSync(hello));
});
