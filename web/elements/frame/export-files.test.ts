import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { ArchivePiece } from '../../../protocol/sandbox/transfer.ts';
import { Workspace } from '../model/workspace.ts';
import { exportStored } from './export-files.ts';

const id = '0b6f4c1e-52a8-4d7e-9f30-6c5d1e2f3a4b';
let names: string[];
let written: number[];
let listed: Pick<SandboxInfo, 'id' | 'name'>[];
let pieces: ArchivePiece[];
let workspace: Workspace;

beforeEach(() => {
  names = [];
  written = [];
  listed = [{ id, name: 'my thesis' }];
  pieces = [{ bytes: Uint8Array.from([1, 2]), missing: [] }];
  // The browser's own dialog, in which the user agrees.
  vi.stubGlobal('showSaveFilePicker', async ({ suggestedName }: { suggestedName: string }) => {
    names.push(suggestedName);
    const write = async (bytes: Uint8Array) => void written.push(...bytes);
    return { createWritable: async () => ({ write, close: async () => {}, abort: async () => {} }) };
  });
  const backend: Partial<SandboxBackend> = {
    list: async () => listed as SandboxInfo[],
    exportTar: async () => ({ read: async () => pieces.shift(), close: async () => {} }),
    open: async () => {
      throw new SandboxError('asset-unavailable', 'The image is gone');
    },
  };
  workspace = new Workspace(Promise.resolve(backend as SandboxBackend), () => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of workspace.notices.shown) workspace.notices.dismiss(key);
});

const notices = () => workspace.notices.shown.map(({ text }) => text);

test('B-10 the files of a remembered sandbox that cannot open are saved under its name', async () => {
  await workspace.restore([{ id }]);
  await exportStored(id, workspace);
  expect([names, written]).toEqual([['my-thesis.tar'], [1, 2]]);
  expect(notices()).toEqual(['Saved every file.']);
});

test('B-10 those of one that is not listed, under the start of its id', async () => {
  listed = [];
  await exportStored(id, workspace);
  expect(names).toEqual(['sandbox-0b6f4c1e.tar']);
});

test('B-10 what is not in the archive is named, a few paths of it', async () => {
  pieces = [{ bytes: new Uint8Array(0), missing: ['/usr/', '/home/user/a', '/etc/', '/var/'] }];
  await exportStored(id, workspace);
  expect(notices()).toEqual([
    'Saved what could be read. Not in it, because it is missing or damaged: /usr/, /home/user/a, /etc/ and 1 more.',
  ]);
});
