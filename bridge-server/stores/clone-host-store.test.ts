import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { storeLimits } from '../../tree/log-store/store-limits.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { cloneHostStore } from './clone-host-store.ts';
import { hostDisk } from './disk.ts';
import { deleteHostStore, openHostStore } from './open-host-store.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-clone-'));
afterAll(() => rmSync(root, { recursive: true }));

const large = sampleObject(1, storeLimits.sharedFileBytes);
const refs = new Map([['head', 'child']]);

async function parentIn(folder: string) {
  const store = await openHostStore(folder, 'parent', { create: true });
  await store.commit({ objects: [large], refs: [{ name: 'head', value: 'parent' }] });
  return store;
}

describe('cloneHostStore', () => {
  test('O-7 makes a store of the same files, which outlives the one that it comes from', async () => {
    const folder = mkdtempSync(join(root, 'sandboxes-'));
    const parent = await parentIn(folder);
    expect(await cloneHostStore(folder, 'child', { from: parent, refs })).toBe(true);
    const [inode, other] = ['parent', 'child'].map((id) => statSync(join(folder, id, 'log-1')).ino);
    expect(inode).toBe(other);
    expect(statSync(join(folder, 'child')).mode & 0o777).toBe(0o700);
    await parent.close();
    await deleteHostStore(folder, 'parent');
    await using child = await openHostStore(folder, 'child');
    expect(child.refs('')).toEqual([['head', 'child']]);
    expect(child.readSync(large.id)).toEqual(large.bytes);
    expect(child.sizeBytes).toBeGreaterThan(large.bytes.length);
    expect(await child.sweep(new Set())).toBeGreaterThan(large.bytes.length);
    expect(readdirSync(join(folder, 'child'))).toEqual(['lock', 'log-2']);
  });

  test('O-7 refuses a store of another kind, and an id that is taken or none', async () => {
    const folder = mkdtempSync(join(root, 'sandboxes-'));
    await using parent = await parentIn(folder);
    expect(await cloneHostStore(folder, 'child', { from: new MemoryStore(), refs })).toBe(false);
    const taken = cloneHostStore(folder, 'parent', { from: parent, refs });
    await expect(taken).rejects.toMatchObject({ code: 'already-exists' });
    const bad = cloneHostStore(folder, '../child', { from: parent, refs });
    await expect(bad).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(readdirSync(folder)).toEqual(['parent']);
    expect(parent.readSync(large.id)).toEqual(large.bytes);
  });

  test('H-4 leaves nothing behind when it fails', async () => {
    const folder = mkdtempSync(join(root, 'sandboxes-'));
    await using parent = await parentIn(folder);
    using _link = vi.spyOn(hostDisk, 'link').mockImplementation(() => {
      throw new Error('not now');
    });
    await expect(cloneHostStore(folder, 'child', { from: parent, refs })).rejects.toThrow('not now');
    expect(readdirSync(folder)).toEqual(['parent']);
  });
});
