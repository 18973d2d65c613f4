import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../guest/init/test/agent.ts';
import { denialReasons } from '../../protocol/network-log.ts';
import { openNameServer } from '../../test/host/network/name-server.ts';
import { dnsCodes } from './dns-message.ts';
import { HostNetworks } from './host-networks.ts';

/** A path that is longer than an address of a unix socket. */
const long = 'n'.repeat(120);

let folder: string;
let networks: HostNetworks;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-network-'));
  await writeFile(join(folder, 'relay'), 'of a bridge that was killed');
  networks = await HostNetworks.open(folder, { allow: ['127.0.0.1'] });
});
afterEach(async () => {
  await networks[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const come = (at = folder): Socket => createConnection({ path: join(at, 'relay'), allowHalfOpen: true });

/** What a relay says of a stream to 127.0.0.1. */
function streamTo(port: number, key: string): Buffer {
  const header = Buffer.alloc(44);
  header.write(`${key}s`, 'latin1');
  header.writeUInt16BE(port, 38);
  header.set([127, 0, 0, 1], 40);
  return header;
}

/** What a relay says with a question for the addresses of a name. */
function questionFor(name: string, key: string): Buffer {
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label);
  const head = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
  return Buffer.concat([
    ...[Buffer.from(`${key}q`), Buffer.alloc(7), Buffer.from(head)],
    ...[Buffer.from(labels.join(''), 'latin1'), Buffer.from([0, 0, 1, 0, 1])],
  ]);
}

/** Resolves when it is closed, whatever the reason. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) =>
    socket
      .on('error', () => undefined)
      .once('close', () => resolve())
      .resume(),
  );
}

async function heardBy(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}

describe('S-8 where relays come', () => {
  test('is a folder that only its user enters, and as long a path as it likes', async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const far = join(folder, long);
    await using _others = await HostNetworks.open(far);
    expect((await stat(join(far, 'relay'))).isSocket()).toBe(true);
  });

  test('nobody gets anywhere without the number of a jail, nor with that of one that has ended', async () => {
    await using server = createServer((socket) => socket.on('error', () => undefined).end('there')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const ask = (key: string): Promise<string> => {
      const socket = come();
      socket.write(streamTo(port, key));
      return heardBy(socket.on('error', () => undefined)).catch(() => 'reset');
    };
    const opened = networks.attach('box');
    expect(await ask(opened.relay.key)).toBe('there');
    expect(await ask('0'.repeat(36))).not.toBe('there');
    opened[Symbol.dispose]();
    expect(await ask(opened.relay.key)).not.toBe('there');
    expect(networks.read('box').flows).toHaveLength(1);
  });

  test('a side that has said all is waited for, and one that has gone is not', async () => {
    const accepted: PromiseWithResolvers<Socket>[] = [Promise.withResolvers(), Promise.withResolvers()];
    let count = 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted[count++]?.resolve(socket.on('error', () => undefined).resume());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    using opened = networks.attach('box');
    const gone = come();
    gone.write(streamTo(port, opened.relay.key));
    const left = await accepted[0]?.promise;
    const silent = come();
    silent.end(streamTo(port, opened.relay.key));
    const waiting = await accepted[1]?.promise;
    if (!left || !waiting) throw new Error('Nobody came');
    const isOver = (at: number) => networks.read('box').flows[at]?.durationMs !== undefined;
    gone.destroy();
    await until(async () => isOver(0));
    left.destroy();
    if (!waiting.readableEnded) await once(waiting, 'end');
    waiting.end('at last');
    expect(await heardBy(silent)).toBe('at last');
    server.close();
    await until(async () => isOver(1));
    expect(networks.read('box').flows.map(({ why }) => why)).toEqual(['EPIPE', undefined]);
  });

  test('what is no header ends, and a connection that has begun ends with its jail', async () => {
    const short = come();
    short.end('short');
    await closed(short);
    const accepted = Promise.withResolvers<Socket>();
    const server = createServer((socket) => accepted.resolve(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    const opened = networks.attach('box');
    const inside = come();
    inside.write(streamTo(port, opened.relay.key));
    const outside = await accepted.promise;
    const ends = [once(inside.resume(), 'end'), closed(outside)];
    opened[Symbol.dispose]();
    await Promise.all(ends);
    inside.destroy();
    server.close();
    expect(networks.read('box').flows).toMatchObject([{ address: '127.0.0.1', port, verdict: 'allowed' }]);
  });

  test('a jail with a list reaches addresses that its names were answered with, and asks for no other name', async () => {
    const here = { 1: [[127, 0, 0, 1]] };
    using names = await openNameServer({ 'listed.test': here, 'other.test': here });
    const place = join(folder, 'listed');
    const options = { allow: ['127.0.0.1'], nameServers: [names.address] };
    await using listed = await HostNetworks.open(place, options);
    await using server = createServer((socket) => socket.on('error', () => undefined).end('there'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    using opened = listed.attach('box', { allow: [`listed.test:${port}`] });
    const { key } = opened.relay;
    const reach = (to: number): Promise<string> => {
      const socket = come(place).on('error', () => undefined);
      socket.write(streamTo(to, key));
      return heardBy(socket).catch(() => '');
    };
    /** The code of the answer. */
    const find = async (name: string): Promise<number | undefined> => {
      const socket = come(place);
      socket.end(questionFor(name, key));
      const [answer] = (await socket.toArray()) as Buffer[];
      return answer && answer.readUInt16BE(2) & 15;
    };
    expect(await reach(port)).toBe('');
    expect(await find('other.test')).toBe(dnsCodes.noSuchName);
    expect(await reach(port)).toBe('');
    expect(await find('listed.test')).toBe(dnsCodes.ok);
    expect(await reach(port)).toBe('there');
    expect(await reach(port + 1)).toBe('');
    const { flows } = listed.read('box');
    expect(flows.map(({ type, verdict, why }) => [type, verdict, why])).toEqual([
      ['connection', 'denied', denialReasons.notListed],
      ['question', 'denied', denialReasons.notListed],
      ['connection', 'denied', denialReasons.notListed],
      ['question', 'allowed', undefined],
      ['connection', 'allowed', undefined],
      ['connection', 'denied', denialReasons.notListed],
    ]);
  });
});
