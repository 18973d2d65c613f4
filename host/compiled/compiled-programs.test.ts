import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCompiled, keepCompiled, verifyCompiled } from './compiled-programs.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-compiled-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bytes = new TextEncoder().encode('program');
const origin = { madeOf: 'sources', compiler: 'gcc 12' };

test('O-11 a compiled file is found for the sources that it was made of, and for no others', async () => {
  await keepCompiled('linux-x64/tool', bytes, origin, { folder });
  const path = await findCompiled('linux-x64/tool', 'sources', { folder });
  expect(path).toBe(join(folder, 'linux-x64/tool'));
  expect((await stat(join(folder, 'linux-x64/tool'))).mode & 0o111).toBe(0o111);
  expect(await findCompiled('linux-x64/tool', 'newer sources', { folder })).toBeUndefined();
  expect(await findCompiled('linux-arm64/tool', 'sources', { folder })).toBeUndefined();
});

test('O-11 a compiled file that its sources do not make is refused, and another compiler says nothing', async () => {
  await keepCompiled('tool', bytes, origin, { folder });
  await verifyCompiled('tool', bytes, origin, { folder });
  const code = (made: Parameters<typeof verifyCompiled>[2]) =>
    verifyCompiled('tool', bytes, made, { folder }).then(
      () => 'same',
      (error) => error.code,
    );
  expect(await code({ ...origin, madeOf: 'newer sources' })).toBe('conflict');
  expect(await code({ ...origin, compiler: 'gcc 14' })).toBe('unsupported');
  await writeFile(join(folder, 'tool'), 'prograM');
  expect(await code(origin)).toBe('conflict');
});
