import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { ByteWriter } from '../../tree/content/byte-writer.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import { encodeCheckpoint } from '../../tree/history/checkpoint-codec.ts';
import { History } from '../../tree/history/history.ts';
import { writeMemoryHead } from '../../tree/history/memory-head.ts';
import { encodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { Coverage, SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { emptyDirectory } from '../../tree/objects/directory.ts';
import { storedObject } from '../../tree/objects/hash-object.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { type NotedCheckpoint, nameOf } from '../memory/checkpoint-to-store.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

const head = 'b'.repeat(64) as SnapshotId;
const captured = { captured: true } as const;
const coverage: Coverage = {
  ...{ files: captured, memory: captured, processes: captured, sockets: captured, mounts: captured },
};
/** A quarter of what may be stored. */
const bundleBytes = limits.storedCheckpointsBytes / 4;

describe('the checkpoints in the store', () => {
  let store: MemoryStore;
  let checkpoints: StoredCheckpoints;
  const open = () => new StoredCheckpoints({ store, history: History.open(store) });
  beforeEach(() => {
    store = new MemoryStore();
    checkpoints = open();
  });

  /** Commits a checkpoint whose memory has a bundle of its own. */
  async function commit(id: number, takenAtMs: number): Promise<NotedCheckpoint> {
    const pages = new Uint8Array(bundleBytes);
    pages.set([objectKinds.pageBundle, id]);
    const bundle = storedObject(pages);
    const writer = new ByteWriter();
    writeMemoryHead({ tree: emptyDirectory.id, bundles: [bundle.id] }, writer);
    const memory = storedObject(writer.finish());
    const machine: SnapshotRecord = {
      ...{ tree: emptyDirectory.id, memory: memory.id, parents: [head], coverage, takenAtMs },
      cause: { type: 'capture', commands: [] },
      changes: { created: 0, modified: 0, deleted: 0, paths: [] },
    };
    const record = encodeSnapshot(machine);
    const cause = { type: 'command', command: `command ${id}` } as const;
    const screens = [{ pid: 5, shown: new TextEncoder().encode(`screen ${id}`) }];
    const object = encodeCheckpoint({ record: record.id, cause, screens });
    await store.commit({
      objects: [emptyDirectory, bundle, memory, record, object],
      refs: [{ name: nameOf(id), value: object.id }],
    });
    return { id, takenAtMs, cause, head, object: object.id };
  }

  test('B-4 are there when the store is opened anew, with what they showed', async () => {
    const one = await commit(1, 1_000);
    const ten = await commit(10, 2_000);
    const again = open();
    expect(again.lastId).toBe(10);
    expect(again.list()).toEqual([one, ten]);
    expect(new TextDecoder().decode(again.screenAt(10, 5))).toBe('screen 10');
    // After a checkout, terminals are those of other processes.
    expect(new TextDecoder().decode(again.screenAt(10, 6))).toBe('screen 10');
    expect(() => again.screenAt(2, 5)).toThrow('There is no checkpoint 2');
  });

  test('need no more bytes than the budget: the least missed go first, and what only they have is freed', async () => {
    for (let id = 1; id <= 6; id++)
      await checkpoints.add([await commit(id, Date.now() - 60_000 + id * 1_000)]);
    expect(await checkpoints.usedBytes()).toBeLessThanOrEqual(limits.storedCheckpointsBytes);
    expect(checkpoints.list().length).toBe(3);
    expect(checkpoints.list().at(-1)?.id).toBe(6);
    expect(open().list()).toEqual(checkpoints.list());
    await History.open(store).collect();
    expect(store.sizeBytes).toBeLessThanOrEqual(limits.storedCheckpointsBytes);
    expect(await checkpoints.usedBytes()).toBeGreaterThan(bundleBytes * 3);
  });

  test('go with the snapshot that they stood on', async () => {
    await checkpoints.add([await commit(1, 1_000)]);
    await checkpoints.keepWithin((id) => id === head);
    expect(checkpoints.list().length).toBe(1);
    await checkpoints.keepWithin(() => false);
    expect(checkpoints.list()).toEqual([]);
    expect(store.refs('moment/')).toEqual([]);
  });

  test('H-9 refs and objects that are none are left out, and refused by name', async () => {
    const one = await commit(1, 1_000);
    const noise = storedObject(new Uint8Array([objectKinds.checkpoint, 9]));
    await store.commit({
      objects: [noise],
      refs: [
        { name: nameOf(2), value: noise.id },
        { name: nameOf(3), value: 'no id' },
        { name: nameOf(4), value: 'c'.repeat(64) },
        { name: 'moment/first', value: one.object },
        { name: 'moment/99999999999999999999', value: one.object },
      ],
    });
    const again = open();
    expect(again.list()).toEqual([one]);
    expect(again.lastId).toBe(4);
    for (const id of [2, 3, 4])
      expect(() => again.record(id)).toThrow(
        expect.objectContaining({ code: 'corrupt-object', details: { checkpoint: id } }),
      );
  });
});
