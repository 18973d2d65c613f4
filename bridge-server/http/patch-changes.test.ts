import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { FileInfo } from '../../protocol/sandbox/files.ts';
import { patchChanges } from './patch-changes.ts';

const { signal } = new AbortController();

test('O-8 patches of a page end after so many bytes that were compared', async () => {
  const content = new Uint8Array(limits.textDiffBytes);
  const file = { type: 'file', mode: 0o100644, sizeBytes: content.length } as FileInfo;
  const files = { stat: async () => file, read: async () => content };
  const changes = Array.from({ length: 9 }, (_, n) => {
    return { type: 'created', path: `/${n}`, sizeBytes: content.length } as const;
  });
  const patched = await patchChanges(changes, { files, from: 'now', to: 'now', signal });
  expect(patched).toHaveLength(limits.patchedPageBytes / limits.textDiffBytes + 1);
  expect(patched.at(-1)).toMatchObject({ path: '/4', content: 'binary', added: 0 });
});
