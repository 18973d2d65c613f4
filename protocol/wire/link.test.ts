import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { encodeFrame, linkFrames, parseFrame } from './frames/frame.ts';
import { Link } from './link.ts';
import type { Transport } from './transports/transport.ts';

/** Two links, and what is on its way between them: a cut loses it. */
class Pair {
  readonly heard: [number[], number[]] = [[], []];
  readonly ends: unknown[] = [];
  readonly links: readonly [Link, Link] = [this.#link(0), this.#link(1)];
  onWay: [Uint8Array[], Uint8Array[]] = [[], []];
  #transports: Transport[] = [];

  connect(): void {
    this.onWay = [[], []];
    this.#transports = this.onWay.map((queue) => ({
      send: (message) => void queue.push(message),
      receive: () => {},
      closed: () => {},
      abort: () => {},
    }));
    const [first, second] = this.links;
    const [a, b] = this.#transports;
    // Both say what they have before either goes on, as HELLO and WELCOME do.
    const received = [first.received, second.received] as const;
    if (a) first.attach(a, { peerReceived: received[1] });
    if (b) second.attach(b, { peerReceived: received[0] });
  }

  /** Delivers some of what `from` has sent. */
  deliver(from: 0 | 1, count: number): void {
    for (const message of this.onWay[from].splice(0, count)) this.#transports[1 - from]?.receive(message);
  }

  settle(): void {
    while (this.onWay[0].length + this.onWay[1].length > 0) {
      this.deliver(0, 1);
      this.deliver(1, 1);
    }
  }

  #link(side: 0 | 1): Link {
    return new Link({
      messageBytes: limits.wireMessageBytes,
      onFrame: ({ id, payload }) =>
        this.heard[side].push(payload.every((byte) => byte === id % 256) ? id : -1),
      onLost: () => {},
      onEnd: (error) => this.ends.push(error),
    });
  }
}

type Step = { type: 'send' | 'deliver'; from: 0 | 1; count: number } | { type: 'cut' };

const side = fc.constantFrom<0 | 1>(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('send'), from: side, count: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('deliver'), from: side, count: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'cut' }) },
);

describe('Link', () => {
  test('WP-15 whenever the transport is cut, every frame arrives once and in order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 200_000 }), (steps, size) => {
        const pair = new Pair();
        const sent: [number[], number[]] = [[], []];
        pair.connect();
        for (const each of steps) {
          if (each.type === 'cut') pair.connect();
          else if (each.type === 'deliver') pair.deliver(each.from, each.count);
          else {
            for (let left = each.count; left > 0; left--) {
              const id = sent[each.from].push(sent[each.from].length + 1);
              void pair.links[each.from].send({ type: 0x10, id, parts: [new Uint8Array(size).fill(id)] });
            }
          }
        }
        pair.connect();
        pair.settle();
        expect(pair.heard).toEqual([sent[1], sent[0]]);
        expect(pair.ends).toEqual([]);
        for (const link of pair.links) link.close();
      }),
      { numRuns: 60 },
    );
  });

  test('WP-15 what does not fit waits for the peer, and for another transport', async () => {
    const pair = new Pair();
    pair.connect();
    const [first] = pair.links;
    const piece = (id: number) => new Uint8Array(200_000).fill(id);
    let taken = 0;
    const sendings = Array.from({ length: 60 }, async (_, index) => {
      await first.send({ type: 0x10, id: index + 1, parts: [piece(index + 1)] });
      taken++;
    });
    await Promise.resolve();
    const room = Math.ceil(limits.wireUnacknowledgedBytes / (200_000 + 12 + 128));
    await expect.poll(() => taken).toBe(room);
    first.detach('cut');
    pair.connect();
    pair.settle();
    await Promise.all(sendings);
    expect(pair.heard[1]).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    for (const link of pair.links) link.close();
  });

  test('WP-15 frames that have arrived lend their memory to later ones, and only then', () => {
    const pair = new Pair();
    const memory = new Set<ArrayBufferLike>();
    pair.connect();
    for (let id = 1; id <= 400; id++) {
      void pair.links[0].send({ type: 0x10, id, parts: [new Uint8Array(30_000).fill(id)] });
      for (const { buffer } of pair.onWay[0]) memory.add(buffer);
      // Some stay on their way, and a cut has those sent once more.
      if (id % 7 === 0) pair.deliver(0, 6);
      if (id % 100 === 0) pair.connect();
      pair.deliver(1, 9);
    }
    pair.settle();
    expect(pair.heard[1]).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
    expect(memory.size).toBeLessThan(200);
    for (const link of pair.links) link.close();
  });

  test('WP-7 H-9 a peer that asks much and takes nothing gets one answer, as soon as it takes something', async () => {
    const sent: Uint8Array[] = [];
    let room = Promise.withResolvers<void>();
    const transport: Transport = {
      send: (message) => {
        sent.push(message);
        return room.promise;
      },
      receive: () => {},
      closed: () => {},
      abort: () => {},
    };
    const link = new Link({
      ...{ messageBytes: limits.wireMessageBytes, onFrame: () => {}, onLost: () => {}, onEnd: () => {} },
    });
    link.attach(transport, { peerReceived: 0 });
    const ask = () => transport.receive(encodeFrame({ type: linkFrames.ping }));
    for (let asked = 0; asked < 1_000; asked++) ask();
    expect(sent).toHaveLength(1);
    transport.receive(encodeFrame({ type: 0x10, id: 1 }, 0));
    const { resolve } = room;
    room = Promise.withResolvers();
    resolve();
    await expect.poll(() => sent.length).toBe(2);
    expect(sent.map((message) => parseFrame(message))).toMatchObject([
      { type: linkFrames.ack, number: 0 },
      { type: linkFrames.ack, number: 1 },
    ]);
    link.close();
  });

  test('H-8 closing lets go of who waits to send', async () => {
    const pair = new Pair();
    const waiting = pair.links[0].send({ type: 0x10, id: 1 });
    expect(waiting).toBeInstanceOf(Promise);
    pair.links[0].close();
    await waiting;
    expect(pair.links[0].send({ type: 0x10, id: 2 })).toBeUndefined();
    pair.links[1].close();
  });
});
