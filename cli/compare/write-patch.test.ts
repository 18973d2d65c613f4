import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { compareFile } from '../../shell/patches/compare-file.ts';
import { patchText } from '../../shell/patches/patch-text.ts';
import { Sandbox } from '../index.ts';
import { Style } from '../output/style.ts';
import { patchOutput } from './write-patch.ts';

const { signal } = new AbortController();

test('R-4 a patch in a pipe has the bytes of the files, and on a terminal nothing that steers it', async () => {
  await using sandbox = await Sandbox.create();
  await sandbox.files.write('/tmp/latin', Uint8Array.of(0xe9, 0x1b, 0x0a));
  const from = (await sandbox.createSnapshot()).id;
  await sandbox.files.write('/tmp/latin', Uint8Array.of(0xe8, 0x1b, 0x0a));
  const [change] = await sandbox.diff(from, 'now');
  if (!change) throw new Error('Nothing differs');
  const comparison = await compareFile(sandbox.connection.files, change, { from, to: 'now', signal });
  expect(comparison).toMatchObject({ type: 'text', added: 1, deleted: 1 });
  const patch = patchText(change, comparison);
  const piped = patchOutput(patch, new Style({ stdout: new PassThrough(), environment: {} }));
  expect(Buffer.from(piped).toString('latin1')).toContain('\n-\xe9\x1b\n+\xe8\x1b\n');
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const shown = patchOutput(patch, new Style({ stdout, environment: { NO_COLOR: '1' } }));
  expect(shown).toContain('\n-\\xe9\\x1b\n+\\xe8\\x1b\n');
});

test('R-4 links are compared by where they lead, and what is too large is said', async () => {
  await using sandbox = await Sandbox.create();
  await sandbox.run('ln -s one /tmp/link; truncate -s 3M /tmp/large; touch /tmp/mode');
  const from = (await sandbox.createSnapshot()).id;
  await sandbox.run('rm /tmp/link; ln -s two /tmp/link; truncate -s 4M /tmp/large; chmod +x /tmp/mode');
  const patches: string[] = [];
  for (const change of await sandbox.diff(from, 'now'))
    patches.push(
      patchText(change, await compareFile(sandbox.connection.files, change, { from, to: 'now', signal })),
    );
  expect(patches.toSorted()).toEqual([
    'Files a/tmp/large and b/tmp/large are too large to compare: 3145728 and 4194304 bytes\n',
    expect.stringContaining(
      '120000\n--- a/tmp/link\n+++ b/tmp/link\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n',
    ),
    'diff --git a/tmp/mode b/tmp/mode\nold mode 100644\nnew mode 100755\n',
  ]);
});
