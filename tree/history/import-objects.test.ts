import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { sampleRecord } from '../../test/conformance/sample-snapshots.ts';
import { each, SnapshotOrigin } from '../../test/tree/snapshot-origin.ts';
import { streamOf } from '../../test/tree/stream-of.ts';
import type { ObjectId } from '../content/object-id.ts';
import { hashObject, storedObject } from '../objects/hash-object.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { encodeDelta } from '../objects/object-delta.ts';
import { importObjects } from './import-objects.ts';
import { historyLimits } from './limits.ts';
import type { StreamObject } from './object-stream.ts';
import { encodeSnapshot } from './snapshot-codec.ts';

const path = new URL('../../test/fixtures/object-streams.json', import.meta.url);
const golden = JSON.parse(readFileSync(path, 'utf8')) as {
  streams: { about: string; have: string[]; root: string; bytes: string; objects: string[] }[];
};

async function refusal(work: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return work.then(
    () => ({ message: 'It was not refused' }),
    (reason: { code?: string; message: string }) => reason,
  );
}

describe('streams that others made', () => {
  test.each(golden.streams)('SN-9 SN-11 SN-12 golden: $about', async ({ have, root, bytes, objects }) => {
    const store = new MemoryStore();
    await store.put(have.map((hex) => storedObject(Buffer.from(hex, 'hex'))));
    const imported = await importObjects(each([Buffer.from(bytes, 'hex')]), store);
    expect(imported.root).toBe(root);
    for (const hex of objects) {
      const object = Buffer.from(hex, 'hex');
      expect(Buffer.from(store.readSync(hashObject(object)) ?? []).toString('hex')).toBe(hex);
    }
  });
});

describe('a stream with deltas from someone hostile (H-9)', () => {
  const tree = 'a'.repeat(64) as ObjectId;
  const old = encodeSnapshot(sampleRecord(tree, { takenAtMs: 1 }));
  const now = encodeSnapshot(sampleRecord(tree, { takenAtMs: 2 }));
  const delta = encodeDelta(old.bytes, now.bytes);

  /** What comes of a stream with this for `now`, where `old` is. */
  async function importing(
    object: StreamObject,
    store = new MemoryStore(),
  ): Promise<{ code?: string; message: string }> {
    await store.put([old]);
    return refusal(importObjects(each([await streamOf(now.id, [object])]), store));
  }

  test('SN-12 a right one is taken, up to what it refers to', async () => {
    const { message } = await importing({ type: 'delta', delta, base: old.id });
    expect(message).toBe(`Cannot import: object ${tree.slice(0, 8)} is missing`);
  });

  test('H-9 a base that is not there, has no number, or is too large, is refused', async () => {
    const large = storedObject(new Uint8Array(historyLimits.streamDeltaBytes + 1).fill(1));
    const store = new MemoryStore();
    await store.put([large]);
    const refused = [
      await importing({ type: 'delta', delta, base: 'b'.repeat(64) as ObjectId }),
      await importing({ type: 'delta', delta, base: now.id }),
      await importing({ type: 'delta', delta, base: 1 }),
      await importing({ type: 'delta', delta, base: historyLimits.streamBases }),
      await importing({ type: 'delta', delta, base: large.id }, store),
    ];
    expect(refused.map(({ code }) => code)).toEqual([
      'missing-object',
      'missing-object',
      'invalid-argument',
      'invalid-argument',
      'limit-exceeded',
    ]);
  });

  test('H-9 a delta that makes another object, or too large a one, is refused', async () => {
    const other = encodeDelta(old.bytes, Buffer.concat([now.bytes, Buffer.of(1)]));
    const stray = await importing({ type: 'delta', delta: other, base: old.id });
    expect(stray.message).toContain('nothing refers to it');
    const copies = Buffer.concat([Buffer.of(0, 50, 0), ...Array(6_000).fill(Buffer.of(0, 50, 99))]);
    const huge = await importing({ type: 'delta', delta: copies, base: old.id });
    expect([huge.code, huge.message]).toEqual([
      'invalid-argument',
      expect.stringContaining('a number is over'),
    ]);
    const long = {
      type: 'delta',
      delta: new Uint8Array(historyLimits.streamDeltaBytes + 1),
      base: old.id,
    } as const;
    expect((await importing(long)).code).toBe('limit-exceeded');
  });

  test('H-9 every cut is refused, and no altered byte is taken for what it was', async () => {
    const origin = new SnapshotOrigin();
    for (const name of ['a', 'b', 'c']) origin.put('folder', name, sampleObject(3, 5_000).bytes);
    const before = await origin.snapshot();
    origin.put('folder', 'b', sampleObject(3, 5_100).bytes.subarray(50));
    const after = await origin.snapshot();
    const snapshotExport = await origin.snapshotExport(after, before);
    for (let length = 0; length < snapshotExport.length; length += 7) {
      const cut = importObjects(each([snapshotExport.subarray(0, length)]), await origin.receiver(before));
      expect((await refusal(cut)).code, `${length}`).toBe('invalid-argument');
    }
    const longer = importObjects(
      each([Buffer.concat([snapshotExport, Buffer.of(0)])]),
      await origin.receiver(before),
    );
    expect((await refusal(longer)).message).toContain('goes on after its end');
    for (let at = 0; at < snapshotExport.length; at += 3) {
      const altered = snapshotExport.slice();
      altered[at] = (altered[at] ?? 0) ^ 0x55;
      const { code } = await refusal(importObjects(each([altered]), await origin.receiver(before)));
      expect(['invalid-argument', 'limit-exceeded', 'missing-object'], `${at}`).toContain(code);
    }
  });
});
