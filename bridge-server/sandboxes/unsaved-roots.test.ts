import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Root, RootName, UnsavedRoot } from '../contract.ts';
import { UnsavedRoots } from './unsaved-roots.ts';

const [one, two, other] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [ObjectId, ObjectId, ObjectId];
const full = new SandboxError('storage-full', 'no room');

let rows: Map<string, UnsavedRoot>;
/** What was found and what was disposed of. */
let did: string[];
let unsaved: UnsavedRoots;

beforeEach(() => {
  rows = new Map();
  did = [];
  unsaved = openRoots();
});
afterEach(() => void vi.restoreAllMocks());

function openRoots(kind: RootName['kind'] = 'overlay'): UnsavedRoots {
  return new UnsavedRoots({
    records: {
      list: () => [...rows.values()],
      get: (id) => rows.get(id),
      put: (row) => void rows.set(row.sandbox, row),
      remove: (id) => void rows.delete(id),
    },
    roots: {
      name: kind,
      adopt: async (name) => {
        if (name.folder === 'gone') throw new SandboxError('not-found', 'Cannot find the root gone');
        did.push(`adopt ${name.folder}`);
        return rootIn(name.folder);
      },
    },
    onUnsaved: (sandbox, { code }) => void did.push(`${sandbox} ${code}`),
  });
}

function rootIn(folder: string): Root {
  const dispose = async () => void did.push(`dispose ${folder}`);
  const name: RootName = { kind: 'overlay', folder, layers: [], madeAtMs: 1 };
  return { name, [Symbol.asyncDispose]: dispose } as unknown as Root;
}

async function note(folder: string, trees: readonly ObjectId[]): Promise<void> {
  const files = await unsaved.open('box', { head: one, isRunning: false });
  files.note(rootIn(folder), { trees, why: full });
}

test('H-4 a root that was noted is what the next start at one of its trees goes on with, to one who asks', async () => {
  await note('r', [one, two]);
  for (const head of [one, two]) {
    const files = await openRoots().open('box', { head, isRunning: false });
    expect(files.why?.code).toBe('storage-full');
    expect(files.take()?.name.folder).toBe('r');
    expect(files.take()).toBeUndefined();
  }
  expect(unsaved.whyOf('box')).toMatchObject({ code: 'storage-full', message: 'no room' });
  expect(did).toEqual(['box storage-full', 'adopt r', 'adopt r']);
});

test('H-5 a root of files that a checkout has given up is deleted, and the start begins at HEAD', async () => {
  await note('r', [one]);
  const files = await unsaved.open('box', { head: other, isRunning: false });
  expect([files.why, files.take(), rows.size]).toEqual([undefined, undefined, 0]);
  expect(did).toEqual(['box storage-full', 'adopt r', 'dispose r']);
});

test('H-10 a bridge that makes other roots refuses the start and says how it can be started, and nothing is lost', async () => {
  await note('r', [one]);
  const opening = openRoots('copy').open('box', { head: one, isRunning: false });
  await expect(opening).rejects.toMatchObject({ code: 'conflict', message: /--snapshots overlay$/ });
  expect(rows.size).toBe(1);
});

test('a note is told once until its files are saved, keeps its time, and goes with its sandbox', async () => {
  const files = await unsaved.open('box', { head: one, isRunning: false });
  files.note(rootIn('r'), { trees: [one], why: full });
  const { sinceMs } = rows.get('box')?.why ?? {};
  files.note(rootIn('r'), { trees: [one, two], why: full });
  expect(rows.get('box')).toMatchObject({ trees: [one, two], why: { sinceMs } });
  files.clear();
  files.note(rootIn('r'), { trees: [two], why: full });
  expect(did).toEqual(['box storage-full', 'box storage-full']);
  await unsaved.discard('box');
  expect(rows.size).toBe(0);
});

test('a root that somebody has removed is told, and the sandbox starts at HEAD', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  await note('gone', [one]);
  const files = await unsaved.open('box', { head: one, isRunning: false });
  expect([files.why, files.take(), rows.size]).toEqual([undefined, undefined, 0]);
  expect(warn).toHaveBeenCalledTimes(1);
});
