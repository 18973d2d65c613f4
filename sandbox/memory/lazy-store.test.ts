import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { storedObject } from '../../tree/objects/hash-object.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import { LazyStore } from './lazy-store.ts';

const [came, added] = [storedObject(Uint8Array.of(1)), storedObject(Uint8Array.of(2))];

describe('the store of a sandbox that runs before it has one', () => {
  test('H-4 is made by its first commit, with what the sandbox came with, in one step', async () => {
    const made = new MemoryStore();
    const commits: number[] = [];
    const store = await LazyStore.open([came], async (fill) => {
      await fill({
        commit: (commit: Parameters<SandboxStore['commit']>[0]) => {
          commits.push(commit.objects.length);
          return made.commit(commit);
        },
      } as SandboxStore);
      return made;
    });
    expect([store.readSync(came.id), made.readSync(came.id)]).toEqual([came.bytes, undefined]);
    await store.commit({ objects: [added], refs: [{ name: 'head', value: added.id }] });
    expect(commits).toEqual([2]);
    expect([made.readSync(came.id), made.readSync(added.id)]).toEqual([came.bytes, added.bytes]);
    expect([store.ref('head'), made.ref('head')]).toEqual([added.id, added.id]);
    await store.commit({ objects: [], refs: [{ name: 'head', value: undefined }] });
    expect([made.ref('head'), commits]).toEqual([undefined, [2]]);
  });

  test('H-4 a store that cannot be made leaves all that can be read, and is tried again', async () => {
    let isFull = true;
    const store = await LazyStore.open([came], async (fill) => {
      if (isFull) throw new SandboxError('storage-full', 'No room');
      const made = new MemoryStore();
      await fill(made);
      return made;
    });
    const commit = { objects: [added], refs: [{ name: 'head', value: added.id }] };
    await expect(store.commit(commit)).rejects.toMatchObject({ code: 'storage-full' });
    expect([store.readSync(came.id), store.ref('head')]).toEqual([came.bytes, undefined]);
    isFull = false;
    await store.commit(commit);
    expect([store.readSync(came.id), store.ref('head')]).toEqual([came.bytes, added.id]);
  });
});
