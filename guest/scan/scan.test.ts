import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChangedFiles } from '../../bridge-server/roots/collect/changed-files.ts';
import { listRequest, lookRequest, readRequest } from '../../bridge-server/roots/scan/scan-frames.ts';
import { framesIn, openScanLab, runScan, type ScanLab, ScannedFolder } from './test/scan-lab.ts';

let lab: ScanLab;
let folder: string;

beforeAll(() => {
  lab = openScanLab();
});
afterAll(() => lab.remove());
beforeEach(() => {
  folder = lab.makeFolder();
});

const at = (...names: string[]) => join(folder, ...names);
const scanned = () => new ScannedFolder(lab.program, folder);

describe('a look', () => {
  test('H-3: tells all at first, and then what is not as it was', async () => {
    mkdirSync(at('a', 'b'), { recursive: true });
    for (const name of ['a/x', 'a/b/y', 'z']) writeFileSync(at(name), 'some');
    await using root = scanned();
    expect(await root.changes()).toEqual(['.', 'a', 'a/b', 'a/b/y', 'a/x', 'z']);
    expect((await root.scanner.look(1n << 62n)).size).toBe(0);
    writeFileSync(at('a/b/y'), 'more');
    chmodSync(at('z'), 0o600);
    expect(await root.changes()).toEqual(['a/b/y', 'z']);
    unlinkSync(at('a/x'));
    expect(await root.changes()).toEqual(['-a/x', 'a']);
    expect(await root.changes()).toEqual([]);
  });

  test('H-3: tells what was changed from a time on once more, since the clock ticks slowly', async () => {
    writeFileSync(at('x'), 'some');
    await using root = scanned();
    await root.changes();
    expect(await root.changes({ racyFromNs: 0n })).toEqual(['.', 'x']);
    expect(await root.changes()).toEqual([]);
  });

  test('H-3: goes to another folder, and reads what is there', async () => {
    writeFileSync(at('x'), 'some');
    await using root = scanned();
    await root.changes();
    const other = lab.makeFolder();
    writeFileSync(join(other, 'y'), 'more');
    root.scanner.go(other);
    expect(await root.changes()).toEqual(['.', 'y']);
    const files = ChangedFiles.open(root.scanner, ['y']);
    await files.next();
    expect(await files.content(() => {})).toBe(4);
  });

  test('H-3: finds what was changed at a time before the last look: clocks are put back', async () => {
    writeFileSync(at('x'), 'some');
    await using root = scanned();
    await root.changes();
    writeFileSync(at('x'), 'more');
    utimesSync(at('x'), 1, 1);
    const longAfterNs = BigInt(Date.now() + 3_600_000) * 1_000_000n;
    expect(await root.changes({ racyFromNs: longAfterNs })).toEqual(['x']);
  });

  test('H-3: what another scanner has seen is seen, and nothing else; clocks that are put back hide nothing', async () => {
    mkdirSync(at('a', 'b'), { recursive: true });
    const names = Array.from({ length: 1_500 }, (_, index) => `a/b/${index}`);
    for (const name of [...names, 'x', 'y']) writeFileSync(at(name), 'some');
    await using first = scanned();
    expect(await first.changes()).toHaveLength(names.length + 5);
    if (!first.known) throw new Error('Nothing was seen');
    await using second = scanned();
    second.known = first.known;
    await second.scanner.remember(first.known);
    writeFileSync(at('x'), 'more');
    utimesSync(at('x'), 1, 1);
    unlinkSync(at('a/b/7'));
    writeFileSync(at('a/new'), 'some');
    const longAfterNs = BigInt(Date.now() + 3_600_000) * 1_000_000n;
    const found = await second.scanner.look(longAfterNs);
    expect([...found.keys()].sort()).toEqual(['a', 'a/b', 'a/new', 'x']);
    await using third = scanned();
    third.known = first.known;
    await third.scanner.remember(first.known);
    const changes = await third.changes({ racyFromNs: longAfterNs });
    expect(changes).toEqual(['-a/b/7', 'a', 'a/b', 'a/new', 'x']);
    expect(await third.changes()).toEqual([]);
    expect(third.known?.children?.get('a')?.children?.get('b')?.children?.size).toBe(names.length - 1);
  });

  test('H-3: a directory that was moved is new with all that is in it, and gone where it was', async () => {
    mkdirSync(at('from', 'b', 'c'), { recursive: true });
    mkdirSync(at('to'));
    for (const name of ['from/b/x', 'from/b/c/y']) writeFileSync(at(name), 'some');
    await using root = scanned();
    await root.changes();
    renameSync(at('from', 'b'), at('to', 'd'));
    expect(await root.changes()).toEqual(['-from/b', 'from', 'to', 'to/d', 'to/d/c', 'to/d/c/y', 'to/d/x']);
    writeFileSync(at('to/d/c/y'), 'more');
    expect(await root.changes()).toEqual(['to/d/c/y']);
  });

  test('H-3: directories that changed places have what the other had', async () => {
    for (const name of ['a', 'b']) {
      mkdirSync(at(name));
      writeFileSync(at(name, 'x'), name);
      writeFileSync(at(name, `only-${name}`), name);
    }
    await using root = scanned();
    await root.changes();
    renameSync(at('a'), at('c'));
    renameSync(at('b'), at('a'));
    renameSync(at('c'), at('b'));
    expect(await root.changes()).toEqual(['.', 'a', 'a/only-b', 'a/x', 'b', 'b/only-a', 'b/x']);
  });

  test('H-3: another directory of the same name has nothing of the old one', async () => {
    mkdirSync(at('a'));
    writeFileSync(at('a', 'x'), 'some');
    await using root = scanned();
    await root.changes();
    renameSync(at('a'), at('old'));
    mkdirSync(at('a'));
    rmSync(at('old'), { recursive: true });
    expect(await root.changes()).toEqual(['.', 'a']);
    expect(root.known?.children?.get('a')?.children).toEqual(new Map());
  });

  test('tells each name of a file that got another one', async () => {
    writeFileSync(at('x'), 'some');
    await using root = scanned();
    await root.changes();
    linkSync(at('x'), at('y'));
    expect(await root.changes()).toEqual(['.', 'x', 'y']);
    unlinkSync(at('x'));
    expect(await root.changes()).toEqual(['-x', '.', 'y']);
  });

  test('B2-39: follows no symlink, and tells where it points', async () => {
    const outside = lab.makeFolder();
    writeFileSync(join(outside, 'secret'), 'some');
    symlinkSync(outside, at('link'));
    await using root = scanned();
    const found = await root.scanner.look(0n);
    expect([...found.keys()].sort()).toEqual(['', 'link']);
    expect(found.get('link')?.target).toBe(outside);
  });

  test('has room for many names in one directory, and for names of any bytes', async () => {
    mkdirSync(at('many'));
    for (let n = 0; n < 1_500; n++) writeFileSync(at('many', `${n}-${'n'.repeat(200)}`), '');
    const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x0a, 0xfe])]);
    writeFileSync(odd, '');
    await using root = scanned();
    expect(await root.changes()).toHaveLength(1_503);
    writeFileSync(at('many', 'one-more'), '');
    expect(await root.changes()).toEqual(['many', 'many/one-more']);
    expect(root.known?.children?.get('many')?.children?.size).toBe(1_501);
    expect(root.known?.children?.has('\xff\n\xfe')).toBe(true);
  });

  test('B2-37: goes as deep as Linux opens paths, and no deeper', async () => {
    const names = Array.from({ length: 700 }, () => 'd');
    mkdirSync(at(...names), { recursive: true });
    await using root = scanned();
    expect(await root.changes()).toHaveLength(701);
    const requests = [lookRequest(0n)];
    const { stdout } = runScan(lab.program, { folder, requests, maxPathBytes: 1_398 });
    expect((await framesIn(stdout)).at(-1)).toMatchObject({ type: 'failed', byLimit: true });
  });

  test('B2-37: is refused where there are more files than a tree takes', async () => {
    for (const name of ['x', 'y', 'z']) writeFileSync(at(name), '');
    const look = { folder, requests: [lookRequest(0n)] };
    const whole = runScan(lab.program, { ...look, maxFiles: 4 });
    expect((await framesIn(whole.stdout)).at(-1)?.type).toBe('done');
    const refused = runScan(lab.program, { ...look, maxFiles: 3 });
    expect((await framesIn(refused.stdout)).at(-1)).toEqual({
      type: 'failed',
      byLimit: true,
      text: 'there are more than 3 files',
    });
  });
});

describe('a look by several threads', () => {
  test('H-3: tells of each file and each name once, whatever the order', async () => {
    const names: string[] = [];
    for (let n = 0; n < 20; n++) {
      for (let m = 0; m < 10; m++) {
        mkdirSync(at(`d${n}`, `e${m}`, 'f'), { recursive: true });
        for (const name of ['x', 'y']) writeFileSync(at(`d${n}`, `e${m}`, 'f', name), '');
        names.push(...['', '/f', '/f/x', '/f/y'].map((rest) => `d${n}/e${m}${rest}`));
      }
      names.push(`d${n}`);
    }
    const everything = ['.', ...names].sort();
    await using root = scanned();
    expect(await root.changes()).toEqual(everything);
    for (let round = 0; round < 8; round++) {
      expect([...(await root.scanner.look(0n)).keys()].map((path) => path || '.').sort()).toEqual(everything);
      expect((await root.scanner.look(1n << 62n)).size).toBe(0);
    }
    renameSync(at('d7'), at('g'));
    const moved = names.filter((name) => /^d7(\/|$)/.test(name)).map((name) => name.replace('d7', 'g'));
    expect(await root.changes()).toEqual(['.', '-d7', ...moved].sort());
  });
});

describe('reading files', () => {
  test('B2-38: gives the data of a file without its holes, and its size', async () => {
    const fd = openSync(at('sparse'), 'w');
    writeSync(fd, 'begin', 0);
    writeSync(fd, Buffer.alloc(200_000, 'm'), 0, 200_000, 1_048_576);
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    await using root = scanned();
    const files = ChangedFiles.open(root.scanner, ['sparse']);
    expect(await files.next()).toEqual(new Map());
    const runs: [number, number][] = [];
    const sizeBytes = await files.content((offset, bytes) => void runs.push([offset, bytes.length]));
    expect(sizeBytes).toBe(2 ** 40);
    expect(runs.at(0)).toEqual([0, 4_096]);
    const middle = runs.slice(1);
    expect(middle.at(0)?.[0]).toBe(1_048_576);
    expect(middle.reduce((sum, [, length]) => sum + length, 0)).toBe(200_704);
  });

  test('skips what is not taken', async () => {
    writeFileSync(at('large'), Buffer.alloc(9_000_000, 'l'));
    writeFileSync(at('small'), 'some');
    await using root = scanned();
    const files = ChangedFiles.open(root.scanner, ['large', '', 'small']);
    for (let n = 0; n < 3; n++) await files.next();
    const pieces: string[] = [];
    expect(await files.content((_, bytes) => void pieces.push(Buffer.from(bytes).toString()))).toBe(4);
    expect(pieces).toEqual(['some']);
    await expect(files.next()).rejects.toMatchObject({ code: 'internal' });
  });

  test('H-3: reads into memory the first files that fit, as they were then', async () => {
    writeFileSync(at('first'), 'then');
    writeFileSync(at('large'), Buffer.alloc(9_000_000, 'l'));
    writeFileSync(at('last'), 'then');
    await using root = scanned();
    const options = { paths: ['first', '', 'large', 'last'], budget: { ms: 60_000, bytes: 1_000_000 } };
    const files = await ChangedFiles.openAhead(root.scanner, options);
    for (const name of ['first', 'last']) writeFileSync(at(name), 'later');
    await files.next();
    const pieces: string[] = [];
    await files.content((_, bytes) => void pieces.push(Buffer.from(bytes).toString()));
    expect(pieces).toEqual(['then']);
    await files.next();
    expect(files.left).toBe(0);
    expect(await root.changes()).toEqual(['.', 'first', 'large', 'last']);
    const { left } = await ChangedFiles.openAhead(root.scanner, {
      ...options,
      budget: { ms: 0, bytes: 0 },
    });
    expect(left).toBe(0);
    const all = await ChangedFiles.openAhead(root.scanner, {
      ...options,
      budget: { ms: 60_000, bytes: 2 ** 24 },
    });
    for (const _ of options.paths) await all.next();
    expect(await all.after()).toMatchObject({ ino: BigInt(statSync(at('last')).ino) });
  });

  test('H-6: tells what a file is once it was read, so that one that changed meanwhile is known', async () => {
    writeFileSync(at('x'), 'some');
    await using root = scanned();
    await root.changes();
    const found = root.known?.children?.get('x')?.stat;
    const read = async () => {
      const files = ChangedFiles.open(root.scanner, ['x']);
      await files.next();
      return files.after();
    };
    expect(await read()).toEqual({ ino: found?.ino, ctimeNs: found?.ctimeNs });
    utimesSync(at('x'), 1, 1);
    expect(await read()).not.toEqual({ ino: found?.ino, ctimeNs: found?.ctimeNs });
    unlinkSync(at('x'));
    expect(await read()).toBeUndefined();
  });

  test.each([
    ['a symlink', 'link'],
    ['a path through a symlink', 'up/x'],
    ['a fifo', 'fifo'],
    ['nothing', 'nothing'],
  ])('B2-39: reads nothing of %s', async (_, path) => {
    mkdirSync(at('real'));
    writeFileSync(at('real', 'x'), 'some');
    writeFileSync(join(folder, '..', 'outside'), 'some');
    symlinkSync('real', at('up'));
    symlinkSync('real/x', at('link'));
    execFileSync('mkfifo', [at('fifo')]);
    await using root = scanned();
    const files = ChangedFiles.open(root.scanner, [path]);
    expect(await files.next()).toEqual(new Map());
    expect(await files.content(() => expect.unreachable())).toBe(0);
    expect(await files.after()).toBeUndefined();
  });

  test.each([
    ['a path out of the folder', '../outside'],
    ['an absolute path', '/etc/passwd'],
  ])('B2-39: refuses %s', async (_, path) => {
    writeFileSync(join(folder, '..', 'outside'), 'some');
    await using root = scanned();
    await expect(ChangedFiles.open(root.scanner, [path]).next()).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('settling files', () => {
  test('H-6: answers for each, whether somebody has it open for writing or not', async () => {
    for (const name of ['open', 'closed']) writeFileSync(at(name), 'some');
    symlinkSync('open', at('link'));
    const fd = openSync(at('open'), 'r+');
    try {
      await using root = scanned();
      const settled = { isSettled: true, unsettled: [] };
      expect(await root.scanner.settle(['open', 'closed', 'link', 'gone', ''])).toEqual(settled);
      expect(await root.changes()).toEqual(['.', 'closed', 'link', 'open']);
      expect(await root.scanner.used(['open', 'closed', 'gone'])).toEqual(new Set(['open']));
    } finally {
      closeSync(fd);
    }
  });
});

test('H-6 H-3: leaves a file alone of which much is to be written to disk, where others wait', async () => {
  const fd = openSync(at('open'), 'w+');
  try {
    writeSync(fd, Buffer.alloc(16 * 1_048_576, 'o'));
    writeFileSync(at('closed'), Buffer.alloc(16 * 1_048_576, 'c'));
    await using root = scanned();
    const paths = ['open', 'closed'];
    const little = await root.scanner.settle(paths, { onlyLittle: true });
    expect(little).toEqual({ isSettled: true, unsettled: ['open'] });
    await root.scanner.settle(paths);
    writeSync(fd, 'little', 0);
    expect(await root.scanner.settle(paths, { onlyLittle: true })).toEqual({
      isSettled: true,
      unsettled: [],
    });
  } finally {
    closeSync(fd);
  }
});

describe('the program', () => {
  test('answers what it is asked in order, and ends well when it is asked no more', async () => {
    writeFileSync(at('x'), 'some');
    mkdirSync(at('a'));
    writeFileSync(at('a', 'y'), '');
    const requests = [lookRequest(0n), listRequest('a'), readRequest('x'), lookRequest(1n << 62n)];
    const { status, stdout, stderr } = runScan(lab.program, { folder, requests });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    const frames = await framesIn(stdout);
    const told = frames.map((frame) => ('name' in frame ? `${frame.type} ${frame.name}` : frame.type));
    expect(told.slice(told.indexOf('done') + 1)).toEqual([
      ...['enter', 'file a', 'enter', 'file y', 'done'],
      ...['data', 'done', 'done'],
    ]);
    expect(await framesIn(stdout, { pieceBytes: 1 })).toEqual(frames);
  });

  test.each([
    ['an unknown kind', [3, 0, 99, 65, 66, 67]],
    ['a look among what is to be read ahead', [16, 0, 7, 1, ...new Array(15).fill(0), ...lookRequest(0n)]],
    ['too little of what may be read ahead', [4, 0, 7, 1, 0, 0, 0]],
    ['a look that is too short', [1, 0, 1, 0]],
    ['half of a file that was seen', [8, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0]],
    ['a path that is too long', [255, 255, 2, ...new Array(70_000).fill(65)]],
  ])('refuses %s', async (_, bytes) => {
    const { status, stdout, stderr } = runScan(lab.program, { folder, requests: [Buffer.from(bytes)] });
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 1, stderr: '' });
    expect(await framesIn(stdout)).toMatchObject([{ type: 'failed', byLimit: false }]);
  });

  test('ends where it was told half of a request', () => {
    const { status, stdout } = runScan(lab.program, { folder, requests: [Buffer.from([4, 0, 3, 120])] });
    expect({ status, bytes: stdout.length }).toEqual({ status: 0, bytes: 0 });
  });
});
