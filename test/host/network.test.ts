import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JailRelay } from '../../bridge-server/contract.ts';
import { HostNetworks } from '../../bridge-server/network/host-networks.ts';
import { until } from '../../guest/init/test/agent.ts';
import { limits } from '../../protocol/limits.ts';
import { imageRoot } from './jail/image-root.ts';
import { TestJail } from './jail/test-jail.ts';
import { addLoopbackAddress, whatLoopbackLacks } from './network/loopback-address.ts';
import { openNameServer } from './network/name-server.ts';
import { whatNetworkLacks } from './network/what-network-lacks.ts';

const lack = (await whatNetworkLacks()) ?? (await whatLoopbackLacks());

describe.skipIf(lack)(`S-8 the network of a jail${lack ? ` (not here: ${lack})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let root: string;
  let address: string;
  let networks: HostNetworks;
  /** The jail's name in the log, a new one for each test. */
  let box = '';
  let count = 0;

  beforeAll(async () => {
    root = await imageRoot();
    ({ address } = stack.use(await addLoopbackAddress()));
    const bytes = address.split('.').map(Number);
    const names = stack.use(
      await openNameServer({
        'here.test': { 1: [bytes] },
        'inside.test': { 1: [[10, 0, 0, 1]] },
        'six.test': {},
      }),
    );
    const folder = await mkdtemp(join(tmpdir(), 'coppice-network-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const options = { allow: [address], nameServers: [names.address] };
    networks = stack.use(await HostNetworks.open(join(folder, 'network'), options));
  });
  afterAll(() => stack.disposeAsync());
  beforeEach(() => {
    box = `box-${++count}`;
  });

  /** A jail with a network, whose programs are Python's: what one prints. */
  async function openJail(bounds: Partial<JailRelay> = {}) {
    await using owned = new AsyncDisposableStack();
    const { relay } = owned.use(networks.attach(box));
    const jail = owned.use(await TestJail.open(root, { network: { ...relay, ...bounds } }));
    const kept = owned.move();
    const run = async (program: string, user: 'user' | 'root' = 'user'): Promise<string> => {
      const { output, exit } = await jail.run({ command: ['python3', '-c', prelude + program], user });
      return exit.exitCode === 0 ? output.trim() : `exit ${exit.exitCode}: ${output}`;
    };
    return { jail, run, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  /** A server outside, whose connections end with it. */
  async function listen(onConnection: (socket: Socket) => void) {
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket.on('error', () => undefined));
      onConnection(socket);
    }).listen(0, address);
    await once(server, 'listening');
    const close = async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    };
    return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close };
  }

  const prelude = `
import errno, hashlib, os, socket, struct, sys, threading
def connect(host, port):
    return socket.create_connection((host, port), timeout=60)
def rest(s):
    parts = []
    while part := s.recv(65536): parts.append(part)
    return b''.join(parts)
def error(act):
    try: return act() and 'done' or 'done'
    except OSError as e: return errno.errorcode.get(e.errno, str(e))
`;

  test('carries both directions, and the end of each by itself', async () => {
    await using jail = await openJail();
    await using first = await listen(async (socket) => {
      const heard = await readAll(socket);
      socket.end(`heard ${heard}`);
    });
    expect(
      await jail.run(`
s = connect('${address}', ${first.port}); print(s.getpeername() == ('${address}', ${first.port}))
s.sendall(b'a question'); s.shutdown(socket.SHUT_WR); print(rest(s).decode())`),
    ).toBe('True\nheard a question');
    const heard = Promise.withResolvers<string>();
    await using second = await listen((socket) => {
      socket.end('that was all');
      void readAll(socket).then(heard.resolve);
    });
    expect(
      await jail.run(`
s = connect('${address}', ${second.port}); said = rest(s).decode(); s.sendall(b'still here'); s.close()
print(said)`),
    ).toBe('that was all');
    expect(await heard.promise).toBe('still here');
    await until(async () => networks.read(box).flows.every(({ durationMs }) => durationMs !== undefined));
    const flow = {
      type: 'connection',
      address,
      verdict: 'allowed',
      startedAtMs: expect.any(Number),
    } as const;
    expect(networks.read(box)).toEqual({
      forgotten: 0,
      flows: [
        {
          ...flow,
          id: 1,
          port: first.port,
          sentBytes: 10,
          receivedBytes: 16,
          durationMs: expect.any(Number),
        },
        {
          ...flow,
          id: 2,
          port: second.port,
          sentBytes: 10,
          receivedBytes: 12,
          durationMs: expect.any(Number),
        },
      ],
    });
  });

  test('carries 10 MiB there and back as they are', async () => {
    await using jail = await openJail();
    await using server = await listen((socket) => socket.pipe(socket));
    const [sent, got] = (
      await jail.run(`
s = connect('${address}', ${server.port}); data = os.urandom(10 * 1048576)
def send(): s.sendall(data); s.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
print(hashlib.sha256(data).hexdigest(), hashlib.sha256(rest(s)).hexdigest())`)
    ).split(' ');
    expect(got).toBe(sent);
    expect(got).not.toBe(createHash('sha256').digest('hex'));
  });

  test('resets what the other side resets, and what nobody listens to', async () => {
    await using jail = await openJail();
    await using server = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const { port } = server;
    const talk = (to: number) => `
def talk():
    s = connect('${address}', ${to}); s.sendall(b'x'); rest(s)
print(error(talk))`;
    expect(await jail.run(talk(port))).toBe('ECONNRESET');
    await server.close();
    expect(await jail.run(talk(port))).toBe('ECONNRESET');
    expect(networks.read(box).flows).toMatchObject([
      { verdict: 'allowed', why: 'ECONNRESET' },
      { verdict: 'failed', why: 'ECONNREFUSED' },
    ]);
  });

  test('finds names by the name servers of the bridge, and tells by which name an address was found', async () => {
    await using jail = await openJail();
    await using server = await listen((socket) => socket.end('by name'));
    expect(await jail.run(`print(rest(connect('HERE.test', ${server.port})).decode())`)).toBe('by name');
    const look = (name: string) =>
      jail.run(`
try: print(socket.getaddrinfo('${name}', 80, proto=socket.IPPROTO_TCP)[0][4][0])
except socket.gaierror as e: print(e.errno == socket.EAI_NONAME or e.errno == socket.EAI_NODATA, e.errno)`);
    expect(await look('here.test')).toBe(address);
    for (const name of ['absent.test', 'inside.test', 'six.test']) expect(await look(name)).toMatch(/^True/);
    const flows = networks.read(box).flows.filter(({ type }) => type === 'connection');
    expect(flows).toMatchObject([{ name: 'here.test', address, verdict: 'allowed' }]);
    const asked = networks.read(box).flows.filter(({ type }) => type === 'question');
    expect(new Map(asked.map(({ name, verdict, why }) => [name, [verdict, why]]))).toEqual(
      new Map([
        ['here.test', ['allowed', undefined]],
        ['absent.test', ['failed', 'there is no such name']],
        ['inside.test', ['denied', 'it has no address that may be reached']],
        ['six.test', ['allowed', undefined]],
      ]),
    );
  });

  test('answers no more questions than it may ask, and none that are none', async () => {
    await using jail = await openJail();
    const codes = await jail.run(`
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(60)
name = b'\\x06absent\\x04test\\0' + struct.pack('>HH', 1, 1)
s.sendto(b'nonsense', ('8.8.8.8', 53))
codes = {}
for n in range(${limits.networkQuestions.burst + 200}):
    s.sendto(struct.pack('>HHHHHH', n, 0x100, 1, 0, 0, 0) + name, ('8.8.8.8', 53))
    answer, sender = s.recvfrom(2000)
    assert sender == ('8.8.8.8', 53) and answer[:2] == struct.pack('>H', n), (sender, answer)
    codes[answer[3] & 15] = codes.get(answer[3] & 15, 0) + 1
print(sorted(codes.items()))`);
    const [, found, refused] = /^\[\(3, (\d+)\), \(5, (\d+)\)\]$/.exec(codes) ?? [];
    expect(Number(found)).toBeGreaterThanOrEqual(limits.networkQuestions.burst);
    expect(Number(refused)).toBeGreaterThan(0);
    const { flows } = networks.read(box);
    const denial = { verdict: 'denied', why: 'it asks too often', name: 'absent.test' };
    expect(flows).toContainEqual(expect.objectContaining(denial));
  });

  test('has no more connections at a time than it may; more wait', async () => {
    await using jail = await openJail({ flows: 2 });
    let connections = 0;
    await using server = await listen((socket) => {
      connections++;
      socket.write('hello');
      socket.once('end', () => socket.end());
    });
    expect(
      await jail.run(`
first, second, third = [connect('${address}', ${server.port}) for n in range(3)]
print(first.recv(9), second.recv(9)); third.settimeout(0.5)
print(error(lambda: third.recv(9)))
first.close(); third.settimeout(60); print(third.recv(9))`),
    ).toBe("b'hello' b'hello'\ntimed out\nb'hello'");
    expect(connections).toBe(3);
  });

  test('begins no more of them in a second than it may', async () => {
    await using jail = await openJail({ flows: 4, perSecond: 20 });
    await using server = await listen((socket) => socket.end());
    const seconds = await jail.run(`
import time
began = time.monotonic()
for n in range(24): rest(connect('${address}', ${server.port}))
print(time.monotonic() - began)`);
    // The jail's own test is one of the four that it may begin at once.
    expect(Number(seconds)).toBeGreaterThan(0.9);
    expect(networks.read(box).flows).toHaveLength(24);
  });

  test('is TCP and names: other datagrams reach nobody, and raw, packet and netlink sockets are denied to root', async () => {
    await using jail = await openJail();
    const udp = createSocket('udp4').bind(0, address);
    await once(udp, 'listening');
    const heard: string[] = [];
    udp.on('message', (bytes) => heard.push(bytes.toString()));
    const send = (text: string) =>
      `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('${address}', ${udp.address().port})); s.send(b'${text}'); s.settimeout(60)\n`;
    expect(await jail.run(`${send('inside')}print(error(lambda: s.recv(9)))`, 'root')).toBe('ECONNREFUSED');
    udp.send('outside', udp.address().port, address);
    await until(async () => heard.length > 0);
    expect(heard).toEqual(['outside']);
    udp.close();
    const socketOf = (family: number, type: number, protocol: number) =>
      jail.run(`print(error(lambda: socket.socket(${family}, ${type}, ${protocol})))`, 'root');
    // SOCK_RAW of AF_INET and AF_INET6, AF_PACKET, AF_NETLINK.
    expect([
      await socketOf(2, 3, 1),
      await socketOf(2, 3, 255),
      await socketOf(10, 3, 58),
      await socketOf(17, 3, 3),
      await socketOf(16, 3, 0),
    ]).toEqual(['EPERM', 'EPERM', 'EPERM', 'EAFNOSUPPORT', 'EAFNOSUPPORT']);
    const way = `print(error(lambda: connect('2606::1', 80)), error(lambda: socket.create_server(('127.0.0.1', 61111))))`;
    expect(await jail.run(way, 'root')).toBe('ENETUNREACH EADDRINUSE');
  });

  test('leaves its own loopback alone, and gives nobody that of the host', async () => {
    await using jail = await openJail();
    await using server = createServer((socket) => socket.end('the host')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const isThere = `
print(error(lambda: connect('127.0.0.1', ${port})), error(lambda: connect('0.0.0.0', ${port})))
l = socket.create_server(('0.0.0.0', ${port})); s = connect('127.0.0.1', ${port}); l.accept()[0].sendall(b'own'); print(s.recv(9))
print(error(lambda: rest(connect('127.0.0.1', 61111))))`;
    expect(await jail.run(isThere)).toBe("ECONNREFUSED ECONNREFUSED\nb'own'\nECONNRESET");
    expect(networks.read(box).flows).toMatchObject([
      { address: '127.0.0.1', port: 61_111, verdict: 'denied' },
    ]);
  });

  test('is carried by a process that is outside of the jail, without a privilege, and ends with it', async () => {
    const jail = await openJail();
    const closed = Promise.withResolvers<void>();
    await using server = await listen((socket) => {
      socket
        .resume()
        .once('end', () => socket.end())
        .once('close', () => closed.resolve());
      socket.write('hello');
    });
    const began = Promise.withResolvers<void>();
    const talking = await jail.jail.client.exec(
      {
        command: [
          'python3',
          '-c',
          `${prelude}s = connect('${address}', ${server.port}); print(s.recv(9), flush=True); s.recv(9)`,
        ],
      },
      ({ type }) => {
        if (type !== 'exit') began.resolve();
      },
    );
    await began.promise;
    const relays = await relaysOf(networks);
    expect(relays).toHaveLength(1);
    const status = await readFile(`/proc/${relays[0]}/status`, 'utf8');
    expect(status).toMatch(/^CapPrm:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(await readlink(`/proc/${relays[0]}/ns/pid`)).toBe(await readlink('/proc/self/ns/pid'));
    // Its two sockets in the jail's network, and no process has them but it.
    const sockets = [4, 5].map((fd) => readlink(`/proc/${relays[0]}/fd/${fd}`));
    for (const socket of await Promise.all(sockets)) expect(await whoHas(socket)).toEqual(relays);
    await jail[Symbol.asyncDispose]();
    await closed.promise;
    expect(await relaysOf(networks)).toEqual([]);
    expect(talking.pid).toBeGreaterThan(0);
  });

  test('O-9 S-8 is none but the loopback where it is isolated', async () => {
    await using jail = await TestJail.open(root);
    const program = `${prelude}print(error(lambda: connect('${address}', 80)))`;
    const { output } = await jail.run({ command: ['python3', '-c', program] });
    expect(output).toBe('ENETUNREACH\n');
  });
});

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}

/** Processes whose working directory is that of the socket of `networks`. */
async function relaysOf(networks: HostNetworks): Promise<string[]> {
  const [folder] = [networks.attach('none').relay.folder];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => places[index] === folder);
}

/** Processes with a descriptor of this. */
async function whoHas(file: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const files = await Promise.all(names.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (files.includes(file)) found.push(pid);
  }
  return found;
}
