import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CliContext } from '../context.ts';
import { readPieces, writePieces } from './file-ends.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'coppice-file-ends-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function contextOf(parts: Partial<CliContext> = {}): CliContext {
  return {
    environment: {},
    directory,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    signal: new AbortController().signal,
    takeSignals: () => ({ [Symbol.dispose]: () => undefined }),
    ...parts,
  };
}

async function* pieces(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

test('B-9 a file that cannot be written to its end stays as it was, and no part of the new one is left', async () => {
  writeFileSync(join(directory, 'file'), 'before');
  const failing = writePieces(pieces('new', new Error('the store is broken')), {
    path: 'file',
    context: contextOf(),
  });
  await expect(failing).rejects.toThrow('the store is broken');
  expect(readdirSync(directory)).toEqual(['file']);
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('before');
  expect(await writePieces(pieces('new', ' text'), { path: 'file', context: contextOf() })).toBe(8);
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('new text');
});

test('B-9 an interrupt ends writing, and reading what does not come', async () => {
  const controller = new AbortController();
  const context = contextOf({ signal: controller.signal });
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('some');
    controller.abort();
    for (;;) yield Buffer.from('more');
  }
  await expect(writePieces(endless(), { path: 'file', context })).rejects.toMatchObject({ code: 'aborted' });
  expect(readdirSync(directory)).toEqual([]);
  const reading = new AbortController();
  const silent = readPieces({ path: '-', context: contextOf({ signal: reading.signal }) }).next();
  reading.abort();
  await expect(silent).rejects.toMatchObject({ code: 'aborted' });
});

test('B-9 bytes are not written to a terminal, and files that are not there are named', async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const toTerminal = writePieces(pieces('bytes'), { path: '-', context: contextOf({ stdout }) });
  await expect(toTerminal).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(stdout.readableLength).toBe(0);
  await expect(readPieces({ path: 'none', context: contextOf() }).next()).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('Cannot read none'),
  });
});
