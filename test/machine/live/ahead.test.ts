import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import type { Emulator } from '../../../runtimes/v86/emulator.ts';
import { GuestRam } from '../../../runtimes/v86/live/guest-ram.ts';
import { liveCpu } from '../../../runtimes/v86/live/live-internals.ts';
import type { HandedMemory } from '../../../runtimes/v86/memory-image/handed-memory.ts';
import type { PrecopiedMachine } from '../../../runtimes/v86/memory-image/precopied-machine.ts';
import { receiveMemory } from '../../../runtimes/v86/memory-image/receive-memory.ts';
import { putRam } from '../../../runtimes/v86/memory-image/resume.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { GuestMachine, type HandedGuest } from '../../../web/worker/machine/guest-machine.ts';
import { openSpare } from '../open-spare.ts';
import { type GuestParts, openGuest, readGuestParts, run } from './open-guest.ts';

let parts: GuestParts;
let parent: GuestMachine;
/** As a worker has it that stands ready for a fork. */
let spare: Emulator;
let ahead: PrecopiedMachine;

beforeEach(async () => {
  parts = await readGuestParts();
  parent = await openGuest(parts);
  ({ spare, ahead } = await openSpare({ ...parts, ...parts.watched }, parts.state));
});
afterEach(async () => {
  await parent[Symbol.asyncDispose]();
  await spare[Symbol.asyncDispose]();
});

/** What another worker gets; the parent's own stays. */
function sent({ memory }: HandedGuest): HandedMemory {
  return structuredClone(memory);
}

function pageOfSpare(page: number): Uint8Array {
  return new GuestRam(liveCpu(spare.v86)).page(page);
}

/** Pages of the spare machine that are not those of `memory`, which is all that differs from the golden state. */
function wrongPages({ pages, contents }: Pick<HandedMemory, 'pages' | 'contents'>): number[] {
  const expected = new Map(
    Array.from(pages, (page, at) => [page, contents.subarray(at * pageBytes, (at + 1) * pageBytes)]),
  );
  const zeros = new Uint8Array(pageBytes);
  const isWrong = (page: number) =>
    Buffer.compare(pageOfSpare(page), expected.get(page) ?? spare.restored?.get(page) ?? zeros) !== 0;
  return Array.from({ length: parts.origin.ramPages }, (_, page) => page).filter(isWrong);
}

const none = { pages: new Uint32Array(0), contents: new Uint8Array(0) };

function handOver(after?: HandedGuest): HandedGuest {
  const handed = parent.handOver([], { after });
  if (!handed) throw new Error('Nothing was handed over');
  return handed;
}

describe('B-4 X-5 a fork whose machine went ahead of it', () => {
  test('H-5 gets what differs from that, has every byte of its parent, and goes on', async () => {
    await run(parent, 'seq 200000 > /dev/shm/first; echo one > /tmp/file');
    const first = handOver();
    ahead.put(sent(first));
    await run(parent, 'seq 200000 > /dev/shm/second; rm /dev/shm/first; echo two > /tmp/file');
    const second = handOver(first);
    ahead.put(sent(second));
    await run(parent, 'echo $((40 + 2)) > /dev/shm/third; echo three > /tmp/file');
    const last = handOver(second);
    const whole = handOver(); // The guest has run no instruction since.
    expect(last.memory.pages.length).toBeLessThan(whole.memory.pages.length / 2);

    const memory = receiveMemory(sent(last), { origin: parts.origin, ahead });
    putRam(spare, memory.pages);
    expect(wrongPages(whole.memory)).toEqual([]);
    const content = new ContentCache(parts.source(new MemoryStore()), {
      budgetBytes: limits.contentCacheBytes,
    });
    await using fork = await GuestMachine.start(LiveTree.from(last.image.tree, { content }), {
      memory,
      onFailure: (error) => console.error(error),
      parts: {
        ...parts,
        ...parts.watched,
        start: { type: 'restore', state: { bytes: parts.state }, takeSpare: () => spare },
      },
    });
    await run(parent, 'echo later > /dev/shm/third');
    expect(await run(fork, 'cat /dev/shm/third; tail -n 1 /dev/shm/second; ls /dev/shm')).toBe(
      '42\n200000\nsecond\nthird\n',
    );
    expect(fork.missedPages()).toBe(0);
  });

  test('is taken back from the machine that stands ready, for whoever begins with that instead', async () => {
    await run(parent, 'seq 200000 > /dev/shm/first');
    const first = handOver();
    ahead.put(sent(first));
    expect(wrongPages(none)).not.toEqual([]);
    ahead.takeBack();
    expect(wrongPages(none)).toEqual([]);
    // One that none went ahead of does so by itself.
    ahead.put(sent(first));
    const other = handOver();
    putRam(spare, receiveMemory(sent(other), { origin: parts.origin, ahead }).pages);
    expect(wrongPages(other.memory)).toEqual([]);
  });

  test('H-10 is refused where some of what went ahead is missing', async () => {
    const first = handOver();
    const second = handOver(first);
    const last = sent(handOver(second));
    expect(() => ahead.put(sent(second))).toThrow(expect.objectContaining({ code: 'corrupt-object' }));
    ahead.put(sent(first));
    for (const before of [ahead, undefined]) {
      expect(() => receiveMemory(last, { origin: parts.origin, ahead: before })).toThrow(
        expect.objectContaining({ code: 'corrupt-object' }),
      );
    }
  });

  test('nothing goes ahead that is more than may go at once', async () => {
    await run(parent, 'seq 200000 > /dev/shm/first');
    expect(parent.handOver([], { mostPages: 8 })).toBeUndefined();
  });
});
