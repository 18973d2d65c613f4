import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TreeMember } from './tree-members.ts';
import { unpackMembers } from './unpack-members.ts';

test('H-4 an unpacking that fails while the program looks for a place leaves nothing beside its folder', async () => {
  const top = mkdtempSync(join(tmpdir(), 'coppice-unpack-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const folder = join(top, 'layer');
  // A stand-in for the program that gets no further.
  const unpacker = join(top, 'unpacker');
  writeFileSync(unpacker, '#!/bin/sh\nmkdir "$1.0" "$1.1"\nexec cat > /dev/null\n', { mode: 0o755 });
  async function* members(): AsyncGenerator<TreeMember> {
    await expect.poll(() => existsSync(`${folder}.1`)).toBe(true);
    throw new Error('a damaged object');
  }
  const source = { read: () => new Uint8Array() };
  const unpacked = unpackMembers(folder, members(), {
    unpacker,
    source: source as never,
    abilities: {} as never,
    whiteouts: false,
  });
  await expect(unpacked).rejects.toThrow('a damaged object');
  expect(readdirSync(top)).toEqual(['unpacker']);
});
