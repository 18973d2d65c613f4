import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { frame } from '../http/raw-socket.ts';
import { testTokens } from '../http/test-tokens.ts';
import { seededRandom } from '../soak/seeded-random.ts';
import { openLiveBridge } from './live-bridge.ts';

const runs = Number(process.env.COPPICE_FUZZ_RUNS ?? 100_000);
const seed = Number(process.env.COPPICE_FUZZ_SEED ?? Math.floor(Math.random() * 1_000_000));
const senders = 16;
/** Fewer than a process may have files open, as a rule. */
const manyConnections = 10_000;

const common = `Host: 127.0.0.1\r\nAuthorization: Bearer ${testTokens.all}\r\n`;
const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`;
const box = '/v1/sandboxes/box-1';

const requests: readonly Buffer[] = [
  get('/health'),
  get('/openapi.json'),
  get(`${box}/archive?at=now`),
  get(`${box}/events`),
  get(`${box}/files?path=/etc/hostname`),
  get('/v1/sandboxes?limit=2'),
  send('POST', '/v1/sandboxes', '{"name":"x","memoryMiB":128}'),
  send('POST', `${box}/commands`, '{"command":"true","envs":{"A":"b"},"timeoutMs":50}'),
  send('PUT', `${box}/files?path=/tmp/a`, 'content'),
  send('PUT', `${box}/archive?path=/srv`, gzipSync(new Uint8Array(100_000))),
  send('POST', `${box}/snapshots`, '{"label":"a"}'),
  send('DELETE', `${box}/files?path=/tmp/a`, ''),
  send('POST', '/v1/tokens', '{"name":"a","ttlMs":1000}'),
  Buffer.concat([
    Buffer.from(`GET /v1/connect HTTP/1.1\r\n${common}${upgrade}\r\n`),
    frame({ first: 0x82, length: 64 }),
  ]),
  Buffer.concat([
    Buffer.from(`GET ${box}/terminal?columns=80&rows=24 HTTP/1.1\r\n${common}${upgrade}\r\n`),
    frame({ first: 0x81, length: 30, fill: 0x7b }),
    frame({ first: 0x82, length: 300 }),
  ]),
];

function get(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${common}\r\n`);
}

function send(method: string, path: string, body: string | Uint8Array): Buffer {
  const type = typeof body === 'string' && body.startsWith('{') ? 'Content-Type: application/json\r\n' : '';
  const bytes = Buffer.from(body);
  const head = `${method} ${path} HTTP/1.1\r\n${common}${type}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** One or two requests on one connection, with some of their bytes changed. */
function mutatedRequests(random: () => number): Buffer {
  const below = (count: number): number => Math.floor(random() * count);
  const one = (): Buffer => requests[below(requests.length)] ?? get('/');
  let bytes = random() < 0.3 ? Buffer.concat([one(), one()]) : one();
  for (let count = below(5); count > 0; count--) {
    const at = below(bytes.length + 1);
    const others = [
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([below(256)]), bytes.subarray(at + 1)]),
      () =>
        Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from('%5B\\[\r\n"{]\0'.slice(below(8))),
          bytes.subarray(at),
        ]),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(40))]),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(below(at + 1))]),
    ];
    bytes = others[below(others.length)]?.() ?? bytes;
  }
  return bytes;
}

/** Sends bytes, in a few pieces; waits for a while for an answer, resets the connection sometimes. */
async function exchange(bytes: Buffer, { url, random }: { url: URL; random: () => number }): Promise<void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const late = setTimeout(() => socket.destroy(), 20 + random() * 60);
  const cut = Math.floor(random() * bytes.length);
  socket.write(bytes.subarray(0, cut));
  socket.write(bytes.subarray(cut));
  socket.once('data', () => (random() < 0.3 ? socket.resetAndDestroy() : socket.end()));
  await closed;
  clearTimeout(late);
}

test(`S-6 ${runs} mutated requests, upgrades and frames end no bridge (seed ${seed})`, async () => {
  await using bridge = await openLiveBridge();
  const url = new URL(bridge.url);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < runs && !bridge.hasEnded) {
      const random = seededRandom(seed + next++);
      await exchange(mutatedRequests(random), { url, random });
    }
  };
  await Promise.all(Array.from({ length: senders }, work));
  expect([bridge.hasEnded, bridge.errors]).toEqual([false, []]);
  expect((await fetch(`${bridge.url}/health`)).status).toBe(200);
});

test(`S-6 ${manyConnections} connections without a token keep nobody from being answered, and end within their deadline`, async () => {
  await using bridge = await openLiveBridge();
  const port = Number(new URL(bridge.url).port);
  const open = new Set<Socket>();
  let answered = 0;
  for (let count = 0; count < manyConnections; count++) {
    const address = `127.0.${1 + (count % 50)}.1`;
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    socket.on('error', () => {}).resume();
    open.add(socket.once('close', () => open.delete(socket)));
    if (count % 500 !== 0) continue;
    await once(socket, 'connect');
    answered += (await fetch(`${bridge.url}/health`)).ok ? 1 : 0;
  }
  expect([answered, bridge.hasEnded]).toEqual([manyConnections / 500, false]);
  // From many addresses there are as many as all may have; the last of them end when no headers come.
  const started = performance.now();
  while (open.size > 0) {
    const [oldest] = open;
    if (oldest) await once(oldest, 'close');
  }
  expect(performance.now() - started).toBeLessThan(3 * limits.httpHeadersTimeoutMs);
  expect(bridge.errors).toEqual([]);
});
