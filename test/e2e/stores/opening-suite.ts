import { openDB } from 'idb';
import { describe, expect, test } from 'vitest';
import { IdbStore } from '../../../web/stores/idb/idb-store.ts';
import { deleteSandboxStore, openSandboxStore, probeOpfs } from '../../../web/stores/open-sandbox-store.ts';
import { sampleObject } from '../../conformance/sample-objects.ts';

/** How a sandbox's store is found, locked, looked at and deleted in a real browser. */
export function openingSuite(): void {
  describe('openSandboxStore', () => {
    const a = sampleObject(1);
    const id = () => crypto.randomUUID();

    test('B-10 chooses the private file system where it works, and says so', async () => {
      expect(await probeOpfs()).toBe(true);
      await using store = await openSandboxStore(id(), { create: true });
      expect(store.backend).toBe('opfs');
    });

    test('refuses to open what is not there and to create what is', async () => {
      const name = id();
      await expect(openSandboxStore(name)).rejects.toMatchObject({ code: 'not-found' });
      await using _store = await openSandboxStore(name, { create: true });
      await _store.close();
      await expect(openSandboxStore(name, { create: true })).rejects.toMatchObject({
        code: 'already-exists',
      });
    });

    test('B-3 a second writer is told that the sandbox is busy, a reader may look on', async () => {
      const name = id();
      await using writer = await openSandboxStore(name, { create: true });
      await writer.commit({ objects: [a], refs: [{ name: 'head', value: a.id }] });
      await expect(openSandboxStore(name)).rejects.toMatchObject({ code: 'busy' });
      await using reader = await openSandboxStore(name, { readOnly: true });
      expect(reader.ref('head')).toBe(a.id);
      expect(reader.readSync(a.id)).toEqual(a.bytes);
      await expect(reader.put([sampleObject(2)])).rejects.toMatchObject({ code: 'read-only' });
      await writer.sweep(new Set());
      expect(reader.readSync(a.id)).toEqual(a.bytes);
    });

    test('the right to write is given back with close', async () => {
      const name = id();
      const first = await openSandboxStore(name, { create: true });
      await first.close();
      await using second = await openSandboxStore(name);
      expect(second.refs('')).toEqual([]);
    });

    test('deletes a sandbox that nobody writes to, and all of it', async () => {
      const name = id();
      const store = await openSandboxStore(name, { create: true });
      await store.put([a]);
      await expect(deleteSandboxStore(name)).rejects.toMatchObject({ code: 'busy' });
      await store.close();
      await deleteSandboxStore(name);
      await expect(openSandboxStore(name)).rejects.toMatchObject({ code: 'not-found' });
    });

    test('an object that IndexedDB gives back altered is absent and named, the rest is there', async () => {
      const name = id();
      const store = await IdbStore.open(name);
      await store.put([a, sampleObject(2)]);
      await store.close();
      const database = await openDB(`coppice/${name}`);
      await database.put('objects', sampleObject(3).bytes, a.id);
      database.close();
      await using reopened = await IdbStore.open(name);
      expect(await reopened.get(a.id)).toBeUndefined();
      expect(reopened.corrupt).toEqual(new Set([a.id]));
      expect(await reopened.get(sampleObject(2).id)).toEqual(sampleObject(2).bytes);
      await reopened.put([a]);
      expect(await reopened.get(a.id)).toEqual(a.bytes);
    });

    test('refuses ids that are not names', async () => {
      for (const bad of ['', '../x', 'a/b', 'x'.repeat(65)]) {
        await expect(openSandboxStore(bad)).rejects.toMatchObject({ code: 'invalid-argument' });
      }
    });
  });
}
