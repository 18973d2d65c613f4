import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import type { ByteStream } from '../../protocol/sandbox/network.ts';
import { Agent, buildInit, run, until } from './test/agent.ts';

let build: ReturnType<typeof buildInit>;
let agent: Agent;
let client: InitClient;
const servers: Server[] = [];

beforeAll(() => {
  build = buildInit();
});
afterAll(() => build.remove());

beforeEach(async () => {
  agent = new Agent(build.init);
  client = agent.connect();
  await client.hello();
});
afterEach(async () => {
  const code = await agent.stop();
  for (const server of servers.splice(0)) server.close();
  expect({ code, stderr: agent.stderr }).toEqual({ code: 0, stderr: '' });
});

/** Listens on a port of loopback. */
async function listen(onSocket: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

async function readAll(stream: ByteStream): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) pieces.push(bytes);
  return Buffer.concat(pieces);
}

describe('a connection to a port (IP-18)', () => {
  test('carries bytes both ways, and each direction ends by itself', async () => {
    const port = await listen((socket) => {
      const pieces: Buffer[] = [];
      socket.on('data', (piece: Buffer) => pieces.push(piece));
      socket.on('end', () => socket.end(Buffer.concat(pieces)));
    });
    const sent = randomBytes(1_000_000);
    const stream = await client.connect(port);
    await stream.write(sent.subarray(0, 10));
    await stream.write(sent.subarray(10));
    await stream.end();
    expect((await readAll(stream)).equals(sent)).toBe(true);
    expect(await stream.read()).toBeUndefined();
    await until(async () => (await client.list()).processes.length === 0);
  });

  test('tells the end of what comes while it can still be written to', async () => {
    const heard = Promise.withResolvers<string>();
    const port = await listen((socket) => {
      socket.end('bye');
      socket.once('data', (bytes: Buffer) => heard.resolve(bytes.toString()));
    });
    const stream = await client.connect(port);
    expect((await readAll(stream)).toString()).toBe('bye');
    await stream.write(Buffer.from('still here'));
    expect(await heard.promise).toBe('still here');
    await stream.close();
    await until(async () => (await client.list()).processes.length === 0);
  });

  test('reaches a port of IPv6 alone', async () => {
    const port = await listen((socket) => socket.end('six'), '::1');
    expect((await readAll(await client.connect(port))).toString()).toBe('six');
  });

  test('is refused by name where nothing listens', async () => {
    const port = await listen(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    await expect(client.connect(port)).rejects.toMatchObject({
      code: 'not-found',
      message: `Cannot connect to port ${port}: nothing listens there`,
      details: { errno: 'ECONNREFUSED', port },
    });
    expect(client.isQuiet).toBe(true);
  });

  test('waits for a slow reader, and holds nothing else up', async () => {
    const total = 8 * limits.streamWindowBytes;
    let hasDrained = false;
    const port = await listen((socket) => {
      socket.end(randomBytes(total));
      socket.on('finish', () => {
        hasDrained = true;
      });
    });
    const stream = await client.connect(port);
    const first = await stream.read();
    expect((await run(client, 'echo other')).stdout).toBe('other\n');
    // What loopback, the relay, its pipe and the window hold is less.
    const rest = await readAll(stream);
    expect((first?.length ?? 0) + rest.length).toBe(total);
    await until(() => hasDrained);
  });

  test('that is reset is lost to who reads', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const stream = await client.connect(port);
    await stream.write(Buffer.from('x'));
    await expect(stream.read()).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(stream.write(Buffer.from('y'))).rejects.toMatchObject({ code: 'connection-lost' });
  });

  test('that is closed ends at the other side too, and nobody reads from it any more (H-8)', async () => {
    const gone = Promise.withResolvers<void>();
    const port = await listen((socket) =>
      socket
        .on('close', () => gone.resolve())
        .resume()
        .end(),
    );
    const stream = await client.connect(port);
    const reading = readAll(stream);
    await reading;
    await stream.close();
    await expect(stream.read()).rejects.toMatchObject({ code: 'connection-lost' });
    await gone.promise;
  });

  test('shows no other process what init holds: it has its standard files and its socket', async () => {
    const port = await listen(() => undefined);
    const stream = await client.connect(port);
    const [relay] = (await client.list()).processes;
    const { stdout } = await run(client, `ls /proc/${relay?.pid}/fd | wc -l; cat /proc/${relay?.pid}/comm`);
    expect(stdout).toBe('4\nport-relay\n');
    await stream.close();
  });
});
