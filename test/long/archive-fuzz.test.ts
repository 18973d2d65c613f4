import { Agent, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testTokens } from '../http/test-tokens.ts';
import { seededRandom } from '../soak/seeded-random.ts';
import { openLiveBridge } from './live-bridge.ts';
import { mutatedArchive } from './mutate-archive.ts';

const runs = Number(process.env.COPPICE_FUZZ_RUNS ?? 100_000);
const seed = Number(process.env.COPPICE_FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));
const senders = 8;

interface Upload {
  readonly url: URL;
  readonly agent: Agent;
  readonly random: () => number;
}

/** Sends an archive in pieces of any size. Resolves with the status, or 0 where it went before it got one. */
function upload(archive: Uint8Array, { url, agent, random }: Upload): Promise<number> {
  const leavesAt = random() < 0.05 ? Math.floor(random() * archive.length) : Number.POSITIVE_INFINITY;
  const headers = { authorization: `Bearer ${testTokens.all}` };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'PUT', agent, headers }, (answer) => {
      answer.on('error', () => resolve(0));
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    const send = async (): Promise<void> => {
      const size = 1 + Math.floor(random() ** 3 * 65_536);
      for (let at = 0; at < archive.length && !sent.destroyed; at += size) {
        if (at >= leavesAt) return void sent.destroy();
        sent.write(archive.subarray(at, at + size));
        if (random() < 0.2) await setImmediate();
      }
      sent.end();
    };
    void send();
  });
}

test(`S-6 ${runs} mutated archives end no bridge and fail nothing inside it (seed ${seed})`, async () => {
  await using bridge = await openLiveBridge();
  const url = new URL('/v1/sandboxes/box-1/archive?path=/srv', bridge.url);
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (next < runs && !bridge.hasEnded) {
      // Each of its own, so that one can be sent again by itself.
      const random = seededRandom(seed + next++);
      const status = await upload(mutatedArchive(random), { url, agent, random });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: senders }, work));
  console.log(`seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}`);
  expect([bridge.hasEnded, bridge.errors]).toEqual([false, []]);
  const known = [0, 200, 400, 409, 413];
  expect([...statuses.keys()].filter((status) => !known.includes(status))).toEqual([]);
  expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 100);
  expect((await fetch(`${bridge.url}/health`)).status).toBe(200);
  expect((await bridge.residentBytes()) / 2 ** 20).toBeLessThan(768);
});
