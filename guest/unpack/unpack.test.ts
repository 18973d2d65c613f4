import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UnpackBatch } from '../../bridge-server/roots/unpack/unpack-frames.ts';
import { fileMode } from '../../tree/live/file-mode.ts';
import type { TreeEntry } from '../../tree/objects/tree-entry.ts';
import { compileSanitized, sourcesIn } from '../test/compile-sanitized.ts';

const isRoot = process.geteuid?.() === 0;
const abilities = { isRoot, hasIds: isRoot };
let place: string;
let program: string;
let folder: string;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'coppice-unpack-'));
  program = join(place, 'unpack');
  compileSanitized(program, { sources: sourcesIn(import.meta.dirname), include: import.meta.dirname });
});
afterAll(() => rmSync(place, { recursive: true }));
beforeEach(() => {
  folder = join(mkdtempSync(join(place, 'in-')), 'made');
});

function entry(mode: number, more: Partial<TreeEntry> = {}): TreeEntry {
  return {
    name: '',
    mode,
    uid: isRoot ? 12 : 0,
    gid: isRoot ? 34 : 0,
    mtimeSeconds: -5,
    mtimeNanoseconds: 123_456_789,
    rdev: 0,
    sizeBytes: 0,
    content: undefined,
    directory: undefined,
    target: undefined,
    xattrs: new Map(),
    ...more,
  };
}

const directory = entry(fileMode.directory | 0o751);
const file = (sizeBytes: number, mode = 0o640) => entry(fileMode.file | mode, { sizeBytes });

function batchOf(fill: (batch: UnpackBatch) => void): Uint8Array {
  const batch = new UnpackBatch();
  batch.entry('', directory, abilities);
  fill(batch);
  return batch.take();
}

function unpack(input: Uint8Array) {
  const { status, stderr } = spawnSync(program, [folder], { input, encoding: 'utf8' });
  return { status, stderr };
}

const at = (...names: string[]) => join(folder, ...names);

describe('an unpacker', () => {
  test('H-2: makes files as they are told, in a folder that it makes', () => {
    const name = 'n'.repeat(255);
    const input = batchOf((batch) => {
      batch.entry('a', entry(fileMode.directory | 0o500), abilities);
      batch.entry('a/holes', file(1_000_000, 0o4755), abilities);
      batch.data(500_000, Buffer.from('some'));
      batch.data(500_004, Buffer.from('more'));
      batch.entry(`a/${name}`, entry(fileMode.symlink | 0o777, { target: '../../outside' }), abilities);
      batch.entry(
        'a/noted',
        entry(fileMode.file, { xattrs: new Map([['user.n', Uint8Array.of(0, 1)]]) }),
        abilities,
      );
      batch.link('b', 'a/holes');
      batch.entry('pipe', entry(fileMode.fifo | 0o620), abilities);
      batch.whiteout('gone');
      batch.end();
    });
    expect(unpack(input)).toEqual({ status: 0, stderr: '' });
    const facts = (...names: string[]) => {
      const { mode, uid, gid, mtimeMs } = lstatSync(at(...names));
      return [mode, uid, gid, mtimeMs];
    };
    const owned = [lstatSync(place).uid, lstatSync(place).gid].map((own, n) => (isRoot ? [12, 34][n] : own));
    const whenMs = -5000 + 123.456789;
    for (const [path, mode] of [
      ['', fileMode.directory | 0o751],
      ['a', fileMode.directory | 0o500],
      ['a/holes', fileMode.file | 0o4755],
      ['a/noted', fileMode.file],
      [`a/${name}`, fileMode.symlink | 0o777],
      ['pipe', fileMode.fifo | 0o620],
    ] as const) {
      const [isMode, uid, gid, mtimeMs] = facts(path);
      expect([path, isMode, uid, gid]).toEqual([path, mode, ...owned]);
      expect(mtimeMs).toBeCloseTo(whenMs, 2);
    }
    const holes = readFileSync(at('a/holes'));
    expect([holes.length, holes.subarray(500_000, 500_008).toString()]).toEqual([1_000_000, 'somemore']);
    expect(lstatSync(at('a/holes')).blocks * 512).toBeLessThan(100_000);
    expect(lstatSync(at('b')).ino).toBe(lstatSync(at('a/holes')).ino);
    const { rdev, mode } = lstatSync(at('gone'));
    expect([rdev, mode & fileMode.typeMask]).toEqual([0, fileMode.characterDevice]);
    expect(readdirSync(join(folder, '..'))).toEqual(['made']);
  });

  test('H-2: makes a directory as deep as Linux opens', () => {
    const paths = Array.from({ length: 1_000 }, (_, n) =>
      Array(n + 1)
        .fill('ddd')
        .join('/'),
    );
    const batch = new UnpackBatch();
    const pieces = ['', ...paths].map((path) => {
      batch.entry(path, directory, abilities);
      return batch.take();
    });
    batch.entry('z', file(0), abilities);
    batch.end();
    expect(unpack(Buffer.concat([...pieces, batch.take()]))).toEqual({ status: 0, stderr: '' });
    expect(lstatSync(at(paths.at(-1) ?? '')).mode).toBe(fileMode.directory | 0o751);
  });

  const bare = (...fields: number[]) => Uint8Array.from(fields);
  const deep = `${'d/'.repeat(2_100)}x`;
  test.each([
    ['a name that leads up', (b: UnpackBatch) => b.entry('../x', file(0), abilities), /the path "\.\.\/x"/],
    [
      'a path that leads up on its way',
      (b: UnpackBatch) => b.entry('a/../../x', file(0), abilities),
      /the path/,
    ],
    ['a path from the root', (b: UnpackBatch) => b.entry('/x', file(0), abilities), /the path "\/x"/],
    [
      'a directory with a slash after it',
      (b: UnpackBatch) => b.entry('x/', directory, abilities),
      /the path/,
    ],
    ['an empty name', (b: UnpackBatch) => b.entry('a//b', file(0), abilities), /the path/],
    ['a NUL in a name', (b: UnpackBatch) => b.entry('a\0b', file(0), abilities), /the path/],
    [
      'a file in place of the folder',
      (b: UnpackBatch) => b.entry('', file(0), abilities),
      /the folder itself/,
    ],
    ['a name of 256 bytes', (b: UnpackBatch) => b.entry('n'.repeat(256), file(0), abilities), /the path/],
    [
      'a path that Linux does not open',
      (b: UnpackBatch) => b.entry(deep, file(0), abilities),
      /name too long/,
    ],
    ['a file in no directory', (b: UnpackBatch) => b.entry('none/x', file(0), abilities), /No such file/],
    [
      'a file that is there',
      (b: UnpackBatch) => {
        for (const _ of [1, 2]) b.entry('x', file(0), abilities);
      },
      /File exists/,
    ],
    [
      'a file below a link',
      (b: UnpackBatch) => {
        b.entry('l', entry(fileMode.symlink | 0o777, { target: '/tmp' }), abilities);
        b.entry('l/x', file(0), abilities);
      },
      /"l": (Too many levels|Not a directory)/,
    ],
    [
      'a directory in place of a link',
      (b: UnpackBatch) => {
        b.entry('l', entry(fileMode.symlink | 0o777, { target: '/tmp' }), abilities);
        b.entry('l', directory, abilities);
        b.end();
      },
      /"l": (Too many levels|Not a directory)/,
    ],
    ['a name of a file elsewhere', (b: UnpackBatch) => b.link('x', '../unpack'), /the path/],
    ['data of no file', (b: UnpackBatch) => b.data(0, bare(1)), /not of the file/],
    [
      'data beyond its file',
      (b: UnpackBatch) => {
        b.entry('x', file(3), abilities);
        b.data(2, bare(1, 2));
      },
      /not of the file/,
    ],
    [
      'data backwards',
      (b: UnpackBatch) => {
        b.entry('x', file(9), abilities);
        b.data(4, bare(1));
        b.data(0, bare(1));
      },
      /not of the file/,
    ],
    ['no end', (b: UnpackBatch) => b.entry('x', file(0), abilities), /end before their end/],
  ])('H-9: refuses %s', (_, fill, message) => {
    const { status, stderr } = unpack(batchOf(fill));
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  test.each([
    ['half a frame', [9, 0, 0, 0, 1, 1]],
    ['a frame that is too large', [1, 0, 1, 0, 1]],
    ['a frame of no known kind', [0, 0, 0, 0, 9]],
    ['half an entry', [2, 0, 0, 0, 1, 1, 1]],
    ['half a link', [1, 0, 0, 0, 3, 1]],
    [
      'an attribute that is longer than its entry',
      [47, 0, 0, 0, 1, 0, 0o100, 0, 0, ...Array(40).fill(0), 9, 9, 9],
    ],
  ])('H-9: refuses %s', (_, bytes) => {
    const { status, stderr } = unpack(Uint8Array.from([...bytes, ...[0, 0, 0, 0, 5]]));
    expect([status, stderr]).toEqual([1, expect.stringMatching(/frame|end before|link/)]);
  });

  test('H-9: makes nothing in the place of a link', () => {
    symlinkSync(place, folder);
    expect(unpack(batchOf((batch) => batch.end()))).toMatchObject({ status: 1 });
  });

  test('H-2: goes on in a folder that is there', () => {
    mkdirSync(at('kept'), { recursive: true });
    const input = batchOf((batch) => {
      batch.entry('kept', directory, abilities);
      batch.entry('kept/x', file(0), abilities);
      batch.end();
    });
    expect(unpack(input)).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(folder, { recursive: true })).toEqual(['kept', 'kept/x']);
  });
});
