import { describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { Transport } from '../../protocol/wire/transports/transport.ts';
import type { TransportPairs } from '../fixtures/wire-transports.ts';

/** What every `Transport` does (protocol/SPEC.md, WP-1). */
export function transportSuite(name: string, open: () => Promise<TransportPairs>): void {
  describe(`Transport: ${name}`, () => {
    const connect = async () => {
      const pairs = await open();
      onTestFinished(() => pairs[Symbol.asyncDispose]());
      const pair = await pairs.connect();
      onTestFinished(() => {
        pair.client.abort('the test is over');
        pair.server.abort('the test is over');
      });
      return pair;
    };

    test('WP-1 carries messages whole and in order, both ways', async () => {
      const { client, server } = await connect();
      const there = collect(server, 300);
      const back = collect(client, 300);
      for (let index = 0; index < 300; index++) {
        client.send(Uint8Array.of(index & 255, index >> 8));
        server.send(Uint8Array.of(index & 255, index >> 8, 7));
      }
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      expect((await there).map((each) => (each[0] ?? 0) + 256 * (each[1] ?? 0))).toEqual(numbers);
      expect((await back).map((each) => (each[0] ?? 0) + 256 * (each[1] ?? 0))).toEqual(numbers);
    });

    test('WP-1 carries empty and big messages, and views into larger buffers', async () => {
      const { client, server } = await connect();
      const arrived = collect(server, 3);
      const big = new Uint8Array(4_000_000).map((_, index) => index % 251);
      client.send(new Uint8Array(0));
      await client.send(big);
      client.send(big.subarray(1, 4));
      const [empty, whole, view] = await arrived;
      expect(empty).toEqual(new Uint8Array(0));
      expect(whole && Buffer.compare(whole, big)).toBe(0);
      expect(view).toEqual(Uint8Array.of(1, 2, 3));
    });

    test('WP-1 does not change or keep what it was given', async () => {
      const { client, server } = await connect();
      const arrived = collect(server, 2);
      const message = Uint8Array.of(1, 2, 3);
      client.send(message);
      client.send(message);
      expect(await arrived).toEqual([message, message]);
      expect(message).toEqual(Uint8Array.of(1, 2, 3));
    });

    test('WP-1 asks to wait when more is sent than has left, and goes on', async () => {
      const { client, server } = await connect();
      const piece = new Uint8Array(262_144);
      const count = 64;
      const arrived = collect(server, count);
      let waits = 0;
      for (let index = 0; index < count; index++) {
        const sending = client.send(piece);
        if (!sending) continue;
        waits++;
        await sending;
      }
      expect(await arrived).toHaveLength(count);
      expect(waits).toBeGreaterThan(0);
      expect(waits).toBeLessThanOrEqual((count * piece.length) / (limits.transportBufferBytes / 4));
    });

    test('WP-1 tells the other end once when it is aborted, and calls nothing here', async () => {
      const { client, server } = await connect();
      const told: string[] = [];
      const closed = Promise.withResolvers<string>();
      client.closed = () => told.push('client');
      server.closed = closed.resolve;
      const arrived = collect(server, 1);
      client.send(Uint8Array.of(1));
      client.abort('enough\nof it');
      client.abort('again');
      expect(await arrived).toEqual([Uint8Array.of(1)]);
      expect(await closed.promise).toContain('enough');
      expect(told).toEqual([]);
      expect(client.send(Uint8Array.of(2))).toBeUndefined();
      expect(server.send(Uint8Array.of(2))).toBeUndefined();
    });

    test('H-8 lets go of who waits to send when the other end is gone', async () => {
      const { client, server } = await connect();
      const piece = new Uint8Array(1_000_000);
      const sendings = Array.from({ length: 32 }, () => client.send(piece));
      server.abort('not interested');
      await Promise.all(sendings);
      expect(sendings.some((each) => each !== undefined)).toBe(true);
    });
  });
}

/** The next `count` messages. */
function collect(transport: Transport, count: number): Promise<Uint8Array[]> {
  const all = Promise.withResolvers<Uint8Array[]>();
  const messages: Uint8Array[] = [];
  transport.receive = (message) => {
    messages.push(message);
    if (messages.length === count) all.resolve(messages);
  };
  return all.promise;
}
