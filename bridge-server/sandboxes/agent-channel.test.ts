import { expect, test } from 'vitest';
import type { ByteChannel } from '../../protocol/init/byte-channel.ts';
import { AgentChannel } from './agent-channel.ts';

function openChannel() {
  const arrived: number[] = [];
  const inner: ByteChannel = {
    send: (bytes) => void arrived.push(...bytes),
    receive: () => undefined,
  };
  return { arrived, inner, channel: new AgentChannel(inner) };
}

test('nothing gets through while it is shut, and all of it in order after that', async () => {
  const { arrived, channel } = openChannel();
  await channel.send(Uint8Array.of(1));
  channel.shut();
  const sending = [2, 3].map((byte) => channel.send(Uint8Array.of(byte)));
  expect([arrived, channel.sent]).toEqual([[1], 3]);
  channel.open();
  await Promise.all(sending);
  expect(arrived).toEqual([1, 2, 3]);
  channel.open(); // What is open stays so.
  await channel.send(Uint8Array.of(4));
  expect([arrived, channel.sent]).toEqual([[1, 2, 3, 4], 4]);
});

test('what the agent says comes through, shut or not', () => {
  const { inner, channel } = openChannel();
  const heard: number[] = [];
  channel.receive = (bytes) => void heard.push(...bytes);
  inner.receive(Uint8Array.of(1));
  channel.shut();
  inner.receive(Uint8Array.of(2));
  expect([heard, channel.sent]).toEqual([[1, 2], 0]);
});
