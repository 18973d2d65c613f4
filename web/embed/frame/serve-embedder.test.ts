import { expect, test } from 'vitest';
import { openWire } from '../../../protocol/wire/client/open-wire.ts';
import { type PortLike, portTransport } from '../../../protocol/wire/transports/port-transport.ts';
import { ScriptedBackend } from '../../../test/fixtures/wire-backend.ts';
import { embedLimits } from '../limits.ts';
import { serveEmbedder } from './serve-embedder.ts';

/** A frame in a page of `origin`, which tells what the frame says to it. */
function openDoor(origin: string | undefined) {
  const told: [message: unknown, target: string][] = [];
  const page = { postMessage: (message: unknown, target: string) => told.push([message, target]) };
  let listen: (event: object) => void = () => {};
  const views: MessagePort[] = [];
  const frame = {
    parent: page,
    addEventListener: (type: string, listener: typeof listen) => {
      if (type === 'message') listen = listener;
    },
    removeEventListener: () => {},
  };
  serveEmbedder(frame as never, {
    origin,
    backend: new ScriptedBackend(),
    onView: (port) => views.push(port),
  });
  const say = (
    data: unknown,
    { source = page as object, origin = 'https://docs.example', ports = [] as MessagePort[] } = {},
  ) => listen({ source, origin, data, ports });
  const connect = (given: Parameters<typeof say>[1] = {}) => {
    const [wire, view] = [new MessageChannel(), new MessageChannel()];
    say({ type: 'coppice-embed:connect', version: 1 }, { ...given, ports: [wire.port2, view.port2] });
    return portTransport(wire.port1 as unknown as PortLike);
  };
  return { told, views, say, connect };
}

test('P-6 S-6 a frame is driven by the window that it is in, at the origin that this had first, and by no other', async () => {
  const { told, views, say, connect } = openDoor('https://docs.example');
  expect(told).toEqual([[{ type: 'coppice-embed:ready', version: 1 }, 'https://docs.example']]);
  say({ type: 'coppice-embed:hello' }, { source: {} });
  say({ type: 'coppice-embed:hello' }, { origin: 'https://evil.example' });
  connect({ source: {} });
  connect({ origin: 'https://evil.example' });
  expect([told.length, views.length]).toEqual([1, 0]);
  const backend = await openWire(async () => connect());
  expect(await backend.list()).toHaveLength(1);
  expect(views).toHaveLength(1);
  await backend.close();
});

test('P-6 a page without an origin, or of which the browser tells none, is the one that spoke first', () => {
  const { told, views, say, connect } = openDoor(undefined);
  expect(told[0]?.[1]).toBe('*');
  say({ type: 'coppice-embed:hello' }, { origin: 'null' });
  expect(told.map(([, target]) => target)).toEqual(['*', '*']);
  connect({ origin: 'https://evil.example' });
  expect(views).toEqual([]);
  connect({ origin: 'null' });
  expect(views).toHaveLength(1);
});

test('P-6 garbage, messages without ports and a flood of pages change nothing for those that are connected', async () => {
  const { views, say, connect } = openDoor('https://docs.example');
  const backend = await openWire(async () => connect());
  const cyclic: Record<string, unknown> = { type: 'coppice-embed:connect' };
  cyclic.self = cyclic;
  const garbage = [
    undefined,
    null,
    7,
    'coppice-embed:connect',
    [],
    cyclic,
    { type: { toString: 1 } },
    { type: '__proto__' },
  ];
  for (const data of garbage) say(data);
  for (let index = 0; index < 100; index++) connect();
  expect(views).toHaveLength(embedLimits.clients);
  expect(await backend.list()).toHaveLength(1);
  await backend.close();
});
