import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChangedFiles } from '../collect/changed-files.ts';
import { FolderScanner } from './folder-scanner.ts';
import { scanFolder } from './scan-folder.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-scanner-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that says `bytes`, whatever it is asked, and ends. */
function programThatSays(bytes: Uint8Array): string {
  const path = join(folder, 'program');
  writeFileSync(`${path}.said`, bytes);
  writeFileSync(path, `#!/bin/sh\ncat "$0.said"\n`);
  chmodSync(path, 0o755);
  return path;
}

function frame(kind: number, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const header = Buffer.alloc(5);
  header.writeUInt32LE(body.length);
  header.writeUInt8(kind, 4);
  return Buffer.concat([header, body]);
}

/** A file of mode `mode`. */
function file(name: string, mode: number, ino = 1): Buffer {
  const stat = Buffer.alloc(61);
  stat.writeUInt8(ino);
  stat.writeUInt32LE(mode, 40);
  stat.writeUInt8(name.length, 60);
  return frame(2, [...stat], name);
}

const enter = (path: string) => frame(1, [1], path);
const same = (name: string, ino = 1) => frame(3, [ino, 0, 0, 0, 0, 0, 0, 0], name, [0]);
const done = frame(6, [0, 0, 0, 0, 0, 0, 0, 0]);
const directory = 0o040755;
const regular = 0o100644;

async function scan(bytes: Uint8Array): Promise<unknown> {
  await using scanner = new FolderScanner(programThatSays(bytes), folder);
  const { changes } = await scanFolder(scanner, { before: undefined, isUpper: false, racyFromNs: 0n });
  return changes.map(({ path }) => path);
}

describe('a scanner that says what it should not', () => {
  test('is believed when all it says can be', async () => {
    const said = [file('', directory), enter(''), file('a', directory), enter('a'), same('x'), done];
    const rest = [enter('a'), file('x', regular), done];
    expect(await scan(Buffer.concat([...said, ...rest]))).toEqual(['', 'a', 'a/x']);
  });

  test.each([
    ['ends early', [file('', directory)]],
    ['says nothing of the folder itself', [done]],
    ['says nothing of what is in a directory', [file('', directory), done]],
    [
      'tells of a name and, when it is asked, of no file',
      [file('', directory), enter(''), same('x'), done, done],
    ],
    ['tells a frame that is too large', [Buffer.from([1, 4, 1, 0, 3])]],
    ['tells a frame of no known kind', [frame(9)]],
    ['tells half a file', [frame(2, [1, 2, 3])]],
    ['tells a name that is longer than its frame', [frame(4, [200, 65])]],
    ['tells a name with a slash', [file('', directory), enter(''), file('a/b', regular), done]],
    ['tells a name that leads up', [file('', directory), enter(''), file('..', regular), done]],
    ['tells a path that leads up', [file('', directory), enter('../a'), file('b', regular), done]],
    [
      'tells names without an end',
      [file('', directory), enter(''), frame(3, [1, 0, 0, 0, 0, 0, 0, 0], 'x'), done],
    ],
    ['tells a name that is empty', [file('', directory), enter(''), same(''), done]],
  ])('B2-39: is refused when it %s', async (_, said) => {
    await expect(scan(Buffer.concat(said))).rejects.toMatchObject({ code: 'internal' });
  });

  test('H-9: its reasons are told as text', async () => {
    await expect(scan(frame(7, [1], 'a\xff'))).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: 'Cannot read the files of a sandbox: a\ufffd',
    });
  });

  const data = (offset: number) => frame(5, [offset, 0, 0, 0, 0, 0, 0, 0], 'bytes');
  const attribute = frame(4, [1], 'n', 'v'.repeat(60_000));
  test.each([
    ['data backwards', [data(5), data(9), done], 'internal'],
    ['a size before the end of its data', [data(5), done], 'internal'],
    ['data and then attributes', [data(5), attribute, done], 'internal'],
    ['attributes without end', [attribute, attribute, attribute], 'limit-exceeded'],
  ])('B2-39: is refused when it reads %s', async (_, said, code) => {
    await using scanner = new FolderScanner(programThatSays(Buffer.concat(said)), folder);
    const files = ChangedFiles.open(scanner, ['x']);
    const read = files.next().then(() => files.content(() => {}));
    await expect(read).rejects.toMatchObject({ code });
  });

  test('H-3: a file in the place of another is found where moving it did not change it', async () => {
    const look = (...frames: Buffer[]) => [file('', directory), enter(''), ...frames, done];
    const said = [look(file('x', regular, 1)), look(same('x', 2)), [enter(''), file('x', regular, 2), done]];
    const program = programThatSays(Buffer.concat(said.flat()));
    await using scanner = new FolderScanner(program, folder);
    const options = { isUpper: false, racyFromNs: 1n };
    const { root: before } = await scanFolder(scanner, { ...options, before: undefined });
    const { changes } = await scanFolder(scanner, { ...options, before });
    expect(changes.map(({ path, now }) => [path, now?.stat.ino])).toEqual([['x', 2n]]);
  });

  test('that is not there is told of', async () => {
    await using scanner = new FolderScanner(join(folder, 'none'), folder);
    await expect(scanner.look(0n)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('ENOENT'),
    });
  });
});
