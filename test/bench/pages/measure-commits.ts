import { openDB } from 'idb';
import { LogStore } from '../../../tree/log-store/log-store.ts';
import { OpfsDirectory } from '../../../web/stores/opfs/opfs-directory.ts';
import { sampleObject } from '../../conformance/sample-objects.ts';

/** Median milliseconds of one durable commit of 256 KiB. */
export interface CommitTimes {
  /** Eight objects and a ref. */
  readonly opfsMs: number;
  /** One value, `durability: 'strict'`. */
  readonly idbStrictMs: number;
}

const rounds = 60;
const warmUpRounds = 20;

/** Measures one store after the other: side by side, each would wait for the other's disk writes. */
export async function measureCommits(): Promise<CommitTimes> {
  const id = `measure-${crypto.randomUUID()}`;
  await using store = await LogStore.open(await OpfsDirectory.open(id, { create: true }));
  const commits = Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: 8 }, (_, n) => sampleObject(round * 8 + n, 32_768)),
  );
  const opfsMs = await medianMs((round) => {
    const objects = commits[round] ?? [];
    return store.commit({ objects, refs: [{ name: 'head', value: objects[0]?.id }] });
  });

  const database = await openDB(id, 1, { upgrade: (database) => void database.createObjectStore('blobs') });
  const blobs = Array.from({ length: rounds }, (_, round) => sampleObject(round, 262_144).bytes);
  const idbStrictMs = await medianMs(async (round) => {
    const transaction = database.transaction('blobs', 'readwrite', { durability: 'strict' });
    await Promise.all([transaction.store.put(blobs[round], round), transaction.done]);
  });
  database.close();
  return { opfsMs, idbStrictMs };
}

async function medianMs(work: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work(round);
    if (round >= warmUpRounds) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
}
