import { once } from 'node:events';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { encodeFrame, serverFrames } from '../../protocol/wire/frames/frame.ts';
import { decodeMessage, encodeMessage } from '../../protocol/wire/frames/message.ts';
import { encodeGreeting } from '../../protocol/wire/handshake.ts';
import { type ServeWireOptions, serveWire } from '../../protocol/wire/server/serve-wire.ts';
import type { WireSession } from '../../protocol/wire/server/wire-session.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { socketTransport } from '../../protocol/wire/transports/socket-transport.ts';
import { ScriptedBackend } from '../fixtures/wire-backend.ts';
import { RawPeer } from '../fixtures/wire-raw-peer.ts';
import { heldBytes } from '../held-bytes.ts';

/** A server that a raw peer has said HELLO to, unless it has other plans. */
function serve(options: Partial<ServeWireOptions> & { readonly quiet?: boolean } = {}): {
  peer: RawPeer;
  backend: ScriptedBackend;
  session: WireSession;
} {
  const { quiet = false, ...rest } = options;
  const peer = new RawPeer();
  const backend = new ScriptedBackend();
  const session = serveWire(peer.transport, { backend, ...rest });
  if (!quiet) peer.hello();
  return { peer, backend, session };
}

/** Numbers that look random and are the same every time (xorshift32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function randomBytes(random: (below: number) => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random(256));
}

/** Frames that a client may send, to be broken. */
function clientFrames(): Uint8Array[] {
  const connect = encodeMessage({ json: { method: 'backend.connect', ask: { id: 'oak' } } });
  const exec = encodeMessage({ json: { method: 'processes.exec', on: 1, ask: { command: 'x' } } });
  const write = encodeMessage({
    json: { method: 'files.write', on: 1, ask: { path: '/x' } },
    bytes: Uint8Array.of(1, 2),
  });
  return [
    encodeFrame({ type: 0x10, id: 1, parts: connect }, 0),
    encodeFrame({ type: 0x10, id: 2, parts: exec }, 1),
    encodeFrame({ type: 0x10, id: 3, parts: write }, 2),
    encodeFrame({ type: 0x12, id: 2, parts: [Uint8Array.of(1, 2, 0, 0)] }, 3),
    encodeFrame({ type: 0x11, id: 3 }, 4),
    encodeFrame({ type: 0x04 }),
    encodeFrame({ type: 0x05 }, 1),
    encodeFrame({ type: 0x03, parts: encodeMessage({}) }),
  ];
}

function mutate(frame: Uint8Array, random: (below: number) => number): Uint8Array {
  const copy = Uint8Array.from(frame);
  for (let left = 1 + random(3); left > 0; left--) copy[random(copy.length)] = random(256);
  const kind = random(4);
  if (kind === 0) return copy.subarray(0, random(copy.length));
  if (kind === 1) return Uint8Array.from([...copy, ...randomBytes(random, random(40))]);
  return copy;
}

describe('a hostile client', () => {
  test('10,000 random and broken frames end the session or are answered, and nothing else', {
    timeout: 60_000,
  }, async () => {
    const random = randomNumbers(0xc0bb1ce);
    const valid = clientFrames();
    const outcomes = new Map<string, number>();
    const before = heldBytes();
    for (let round = 0; round < 10_000; round++) {
      const { peer, session } = serve({ quiet: round % 50 === 0 });
      const good = random(valid.length);
      for (const frame of valid.slice(0, good)) peer.sendRaw(frame);
      const broken = mutate(valid[random(valid.length)] ?? new Uint8Array(0), random);
      peer.sendRaw(random(4) === 0 ? randomBytes(random, random(64)) : broken);
      for (const frame of valid.slice(good)) peer.sendRaw(frame);
      if (peer.bye === undefined) await session.close();
      const ended = await session.ended;
      const outcome = `${peer.bye} ${ended?.code}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(peer.aborted).toBeDefined();
    }
    const allowed = [
      'protocol-violation protocol-violation',
      // What was broken did not matter: the session went on to its goodbye, or to be closed by us.
      'none undefined',
      'connection-lost connection-lost',
    ];
    expect([...outcomes.keys()].filter((each) => !allowed.includes(each))).toEqual([]);
    expect(outcomes.get(allowed[0] ?? '')).toBeGreaterThan(5_000);
    expect(heldBytes() - before).toBeLessThan(32 * 1_048_576);
  });

  test.each([
    ['a frame that is cut', (peer: RawPeer) => peer.sendRaw(Uint8Array.of(0x10, 0, 0))],
    ['an empty frame', (peer: RawPeer) => peer.sendRaw(new Uint8Array(0))],
    [
      'a message over the limit',
      (peer: RawPeer) => peer.sendRaw(new Uint8Array(limits.wireMessageBytes + 1)),
    ],
    ['another HELLO', (peer: RawPeer) => peer.hello()],
    ['a frame of a server', (peer: RawPeer) => peer.send({ type: 0x20, id: 1, parts: encodeMessage({}) })],
    ['a number out of turn', (peer: RawPeer) => peer.sendRaw(encodeFrame({ type: 0x11, id: 1 }, 5))],
    ['an ACK of what was not sent', (peer: RawPeer) => peer.sendRaw(encodeFrame({ type: 0x05 }, 9))],
    ['a request with id 0', (peer: RawPeer) => peer.request(0, { method: 'backend.list' })],
    [
      'credit of another size',
      (peer: RawPeer) => peer.send({ type: 0x12, id: 1, parts: [new Uint8Array(3)] }),
    ],
    [
      'a JSON length past the end',
      (peer: RawPeer) => peer.send({ type: 0x10, id: 1, parts: [Uint8Array.of(9, 0, 0, 0)] }),
    ],
    [
      'JSON that is none',
      (peer: RawPeer) => peer.send({ type: 0x10, id: 1, parts: [Uint8Array.of(1, 0, 0, 0, 0x7b)] }),
    ],
    [
      'JSON that is no UTF-8',
      (peer: RawPeer) =>
        peer.send({ type: 0x10, id: 1, parts: [Uint8Array.of(3, 0, 0, 0, 0x22, 0xff, 0x22)] }),
    ],
    [
      'JSON over the limit',
      (peer: RawPeer) => {
        const json = encodeMessage({ json: 'x'.repeat(limits.wireRequestJsonBytes) });
        const body = Buffer.concat(json);
        for (let at = 0; at < body.length; at += 200_000) {
          peer.send({
            type: 0x10,
            id: 1,
            more: at + 200_000 < body.length,
            parts: [body.subarray(at, at + 200_000)],
          });
        }
      },
    ],
  ])('WP-6 %s ends the session with protocol-violation', async (_, attack) => {
    const { peer, session } = serve();
    attack(peer);
    expect(peer.bye).toBe('protocol-violation');
    expect(await session.ended).toMatchObject({ code: 'protocol-violation' });
  });

  test.each([
    ['nothing', undefined],
    ['an unknown method', { method: 'backend.format' }],
    ['an unknown field', { method: 'backend.list', admin: true }],
    ['a name from the prototype', { method: 'constructor' }],
    ['a path too long', { method: 'files.read', on: 1, ask: { path: 'x'.repeat(100_000) } }],
    ['another type', { method: 'files.read', on: '1', ask: { path: ['/'] } }],
  ])('WP-9 a request that is %s is answered with invalid-argument', async (_, json) => {
    const { peer, backend, session } = serve();
    peer.request(1, json);
    await expect.poll(() => peer.received.length).toBe(2);
    const [, answer] = peer.received;
    expect(answer?.type).toBe(serverFrames.error);
    expect(answer && decodeMessage(answer.payload).json).toMatchObject({ code: 'invalid-argument' });
    expect(backend.asked).toEqual([]);
    await session.close();
  });

  test('WP-9 a request that is nested a hundred thousand times is answered, or ends the session', async () => {
    const { peer, session } = serve();
    const json = new TextEncoder().encode(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, json.length, true);
    peer.send({ type: 0x10, id: 1, parts: [head, json] });
    await expect.poll(() => peer.received.length).toBe(2);
    const last = peer.received.at(-1);
    const code = peer.bye ?? (last && decodeMessage(last.payload).json);
    expect([code]).toMatchObject([{ code: 'invalid-argument' }]);
    await session.close();
  });

  test('WP-9 __proto__ in what is asked reaches nobody', async () => {
    const { peer, backend, session } = serve();
    peer.request(1, { method: 'backend.connect', ask: { id: 'oak' } });
    await expect.poll(() => peer.received.length).toBe(2);
    const text = '{"method":"processes.exec","on":1,"ask":{"command":"x","envs":{"__proto__":"1","A":"2"}}}';
    const json = new TextEncoder().encode(text);
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, json.length, true);
    peer.send({ type: 0x10, id: 2, parts: [head, json] });
    await expect.poll(() => backend.asked.length).toBe(2);
    expect(backend.asked[1]).toBe('processes.exec({"command":"x","envs":{"A":"2"}})');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    await session.close();
  });

  test('WP-5 more requests than it may have under way end the session', async () => {
    const { peer, backend, session } = serve({ limits: { requests: 8 } });
    const gate = Promise.withResolvers<never>();
    backend.list = () => gate.promise;
    for (let id = 1; id <= 9; id++) peer.request(id, { method: 'backend.list' });
    expect(peer.bye).toBe('protocol-violation');
    await session.ended;
  });

  test('WP-5 who takes nothing is sent no more than is kept for it', async () => {
    const { peer, backend, session } = serve();
    peer.request(1, { method: 'backend.connect', ask: { id: 'oak' } });
    await expect.poll(() => backend.connections.length).toBe(1);
    const [connection] = backend.connections;
    if (connection) connection.content = new Uint8Array(1_000_000);
    for (let id = 2; id < 200; id++) peer.request(id, { method: 'files.read', on: 1, ask: { path: '/x' } });
    await expect.poll(() => backend.asked.length).toBe(199);
    const sent = peer.received.reduce((sum, { payload }) => sum + payload.length, 0);
    expect(sent).toBeLessThanOrEqual(limits.wireUnacknowledgedBytes + limits.wireMessageBytes);
    await session.close();
  });

  test('WP-15 nobody else can go on with a session', async () => {
    await using sessions = new WireSessions();
    const { peer } = serve({ sessions, owner: 'anna' });
    const session = peer.welcome?.session ?? { id: '', secret: '' };
    const tries = [
      { resume: { ...session, secret: 'f'.repeat(32), received: 0 }, owner: 'anna' },
      { resume: { ...session, secret: session.secret.slice(1), received: 0 }, owner: 'anna' },
      { resume: { ...session, id: 'f'.repeat(32), received: 0 }, owner: 'anna' },
      { resume: { ...session, received: 0 }, owner: 'berta' },
    ];
    for (const { resume, owner } of tries) {
      const { peer: thief } = serve({ sessions, owner, quiet: true });
      thief.sendRaw(encodeGreeting('hello', { versions: [1], capabilities: [], resume }));
      expect([thief.bye, thief.welcome]).toEqual(['not-found', undefined]);
    }
    expect(peer.aborted).toBeUndefined();
    const { peer: owner } = serve({ sessions, owner: 'anna', quiet: true });
    owner.sendRaw(
      encodeGreeting('hello', { versions: [1], capabilities: [], resume: { ...session, received: 0 } }),
    );
    expect(owner.welcome?.session.id).toBe(session.id);
    expect(peer.aborted).toContain('another way');
  });

  test('WP-15 a session that has received what was never sent cannot be resumed, and ends', async () => {
    await using sessions = new WireSessions();
    const { peer, session } = serve({ sessions });
    const { id = '', secret = '' } = peer.welcome?.session ?? {};
    const { peer: again } = serve({ sessions, quiet: true });
    const resume = { id, secret, received: 77 };
    again.sendRaw(encodeGreeting('hello', { versions: [1], capabilities: [], resume }));
    expect(again.bye).toBe('connection-lost');
    expect(await session.ended).toMatchObject({ code: 'connection-lost' });
    expect(sessions.size).toBe(0);
  });

  test('WP-15 there are no more sessions than one server may keep', async () => {
    await using sessions = new WireSessions();
    for (let left = limits.wireSessions; left > 0; left--) serve({ sessions, account: `${left % 4}` });
    expect(serve({ sessions, account: 'another' }).peer.bye).toBe('busy');
  });

  test('WP-15 S-6 whoever has the sessions of one account gets another when one has ended', async () => {
    await using sessions = new WireSessions();
    const first = serve({ sessions, owner: 'anna' });
    for (let left = limits.wireSessionsOfAccount; left > 1; left--) {
      serve({ sessions, owner: `child ${left}`, account: 'anna' });
    }
    expect(serve({ sessions, owner: 'anna' }).peer.bye).toBe('busy');
    expect(serve({ sessions, owner: 'berta' }).peer.bye).toBeUndefined();
    await first.session.close();
    expect(serve({ sessions, owner: 'anna' }).peer.bye).toBeUndefined();
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a WebSocket', () => {
  test.each([
    ['text', (socket: WebSocket) => socket.send('{"method":"backend.list"}'), 4000],
    ['an empty message', (socket: WebSocket) => socket.send(new Uint8Array(0)), 4000],
    [
      'a message over the limit of the socket',
      (socket: WebSocket) => socket.send(new Uint8Array(300_000)),
      1009,
    ],
    [
      'fragments without end',
      (socket: WebSocket) => {
        for (let left = 8; left > 0; left--) socket.send(new Uint8Array(60_000), { fin: false });
      },
      1009,
    ],
  ])('B2-48 with %s is closed, and nothing of it is kept', async (_, attack, expected) => {
    const backend = new ScriptedBackend();
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: limits.wireMessageBytes });
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const served = Promise.withResolvers<WireSession>();
    server.on('connection', (socket) => served.resolve(serveWire(socketTransport(socket), { backend })));
    await once(server, 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    attack(socket);
    const [code] = await closed;
    expect(code).toBe(expected);
    expect(await (await served.promise).ended).toBeInstanceOf(SandboxError);
    expect(backend.asked).toEqual([]);
  });
});

describe('a silent peer', () => {
  test('WP-4 who does not say HELLO is not waited for', async () => {
    vi.useFakeTimers();
    const { peer, session } = serve({ quiet: true });
    vi.advanceTimersByTime(limits.wireHandshakeTimeoutMs);
    expect(peer.bye).toBe('timeout');
    expect(await session.ended).toMatchObject({ code: 'timeout' });
  });

  test('WP-7 who says nothing is asked, and given up when it does not answer', async () => {
    vi.useFakeTimers();
    const { peer, session } = serve();
    await vi.advanceTimersByTimeAsync(limits.wirePingMs);
    expect(peer.received.map(({ type }) => type)).toEqual([0x02, 0x04]);
    peer.sendRaw(encodeFrame({ type: 0x05 }));
    await vi.advanceTimersByTimeAsync(limits.wireSilenceMs - limits.wirePingMs);
    expect(peer.aborted).toBeUndefined();
    await vi.advanceTimersByTimeAsync(limits.wirePingMs);
    expect(peer.aborted).toContain('silent');
    expect(await session.ended).toMatchObject({ code: 'connection-lost' });
  });

  test('WP-7 a PING is answered with what was received', () => {
    const { peer } = serve();
    peer.send({ type: 0x11, id: 1 });
    peer.send({ type: 0x04 });
    expect(peer.received.at(-1)).toMatchObject({ type: 0x05, number: 1 });
  });
});

describe('a hostile server', () => {
  /** A client of a raw peer that has said WELCOME. */
  async function connect(
    windowBytes = 1_024,
  ): Promise<{ peer: RawPeer; remote: Awaited<ReturnType<typeof openWire>> }> {
    const peer = new RawPeer();
    const opening = openWire(async () => peer.transport);
    await peer.first;
    peer.sendRaw(
      encodeGreeting('welcome', {
        version: 1,
        capabilities: [],
        limits: { messageBytes: limits.wireMessageBytes, requests: 16, streams: 16, windowBytes },
        session: { id: 'x', secret: 'y', graceMs: 0 },
        received: 0,
      }),
    );
    return { peer, remote: await opening };
  }

  test('2,000 random and broken frames end the session, and nothing else', async () => {
    const random = randomNumbers(0xbad5eed);
    const valid = [
      encodeFrame({ type: 0x20, id: 1, parts: encodeMessage({ json: [] }) }, 0),
      encodeFrame(
        { type: 0x21, id: 1, parts: encodeMessage({ json: { code: 'busy', message: 'm', details: {} } }) },
        0,
      ),
      encodeFrame({ type: 0x22, id: 2, parts: [Uint8Array.of(1)] }, 0),
      encodeFrame({ type: 0x24, id: 2, parts: encodeMessage({ json: {} }) }, 0),
    ];
    const codes = new Set<string>();
    for (let round = 0; round < 2_000; round++) {
      const { peer, remote } = await connect();
      const asked = remote.list().then(
        () => 'answered',
        (error) => error.code,
      );
      peer.sendRaw(mutate(valid[random(valid.length)] ?? new Uint8Array(0), random));
      if (peer.aborted === undefined) peer.transport.closed('over');
      codes.add(await asked);
    }
    const allowed = ['answered', 'busy', 'internal', 'protocol-violation', 'connection-lost'];
    expect([...codes].filter((code) => !allowed.includes(code))).toEqual([]);
  });

  test.each([
    ['an answer to nothing', [{ type: 0x20, id: 99, parts: encodeMessage({ json: [] }) }]],
    ['an answer of another shape', [{ type: 0x20, id: 1, parts: encodeMessage({ json: [{ id: 5 }] }) }]],
    ['a request', [{ type: 0x10, id: 1, parts: encodeMessage({ json: {} }) }]],
    ['an error that is none', [{ type: 0x21, id: 1, parts: encodeMessage({ json: { message: 'm' } }) }]],
  ])('WP-10 %s is a protocol-violation', async (_, frames) => {
    const { peer, remote } = await connect();
    const asked = remote.list();
    for (const frame of frames) peer.send(frame);
    await expect(asked).rejects.toMatchObject({ code: 'protocol-violation' });
    expect(peer.bye).toBe('protocol-violation');
  });

  test('WP-13 more output than there is credit for is a protocol-violation', async () => {
    const { peer, remote } = await connect();
    const connecting = remote.connect({ id: 'oak' });
    peer.send({ type: 0x20, id: 1, parts: encodeMessage({}) });
    const connection = await connecting;
    const gate = Promise.withResolvers<void>();
    connection.processes.exec({ command: 'x' }, () => gate.promise).catch(() => undefined);
    peer.send({ type: 0x22, id: 2, parts: [new Uint8Array(1_024)] });
    expect(peer.bye).toBeUndefined();
    peer.send({ type: 0x22, id: 2, parts: [new Uint8Array(1)] });
    expect(peer.bye).toBe('protocol-violation');
    gate.resolve();
  });

  test('WP-5 a server that never acknowledges is given up before it costs much', async () => {
    const { peer, remote } = await connect(16);
    const connecting = remote.connect({ id: 'oak' });
    peer.send({ type: 0x20, id: 1, parts: encodeMessage({}) });
    const connection = await connecting;
    connection.processes.exec({ command: 'yes' }, () => {}).catch(() => undefined);
    let sent = 0;
    for (; sent < 100_000 && peer.aborted === undefined; sent++) {
      peer.send({ type: 0x22, id: 2, parts: [Uint8Array.of(1)] });
      await Promise.resolve();
    }
    expect(sent).toBeLessThan(100_000);
    await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
  });

  test('WP-12 H-8 what is made after its caller was given up on is closed', async () => {
    const { peer, remote } = await connect();
    vi.useFakeTimers();
    const abort = new AbortController();
    const creating = remote.create({ signal: abort.signal }, () => {});
    creating.catch(() => undefined);
    abort.abort('enough');
    await vi.advanceTimersByTimeAsync(limits.abortTimeoutMs);
    await expect(creating).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    peer.send({ type: 0x20, id: 1, parts: encodeMessage({}) });
    await vi.advanceTimersByTimeAsync(0);
    expect(peer.received.map(({ type }) => type)).toEqual([0x01, 0x10, 0x11, 0x10]);
    const last = peer.received.at(-1);
    expect(last && decodeMessage(last.payload).json).toEqual({ method: 'close', on: 1 });
  });

  test.each([
    ['a version that this client does not speak', { version: 2 }, 'version-mismatch'],
    [
      'a window that is too large',
      { limits: { messageBytes: 65_536, requests: 9, streams: 9, windowBytes: 2 ** 31 } },
      'protocol-violation',
    ],
    ['no limits', { limits: undefined }, 'protocol-violation'],
    ['a session that was not asked for', { received: 5 }, 'protocol-violation'],
  ])('WP-4 a WELCOME with %s is refused', async (_, change, code) => {
    const peer = new RawPeer();
    const opening = openWire(async () => peer.transport);
    await peer.first;
    const welcome = {
      version: 1,
      capabilities: [],
      limits: { messageBytes: 65_536, requests: 16, streams: 16, windowBytes: 1_024 },
      session: { id: 'x', secret: 'y', graceMs: 0 },
      received: 0,
      ...change,
    };
    peer.sendRaw(encodeFrame({ type: 0x02, parts: encodeMessage({ json: welcome }) }));
    await expect(opening).rejects.toMatchObject({ code });
    expect(peer.aborted).toBeDefined();
  });

  test('WP-4 versions and capabilities that do not match are told, both sides of them', () => {
    const { peer } = serve({ quiet: true });
    peer.sendRaw(encodeGreeting('hello', { versions: [7, 8], capabilities: [] }));
    expect(decodeMessage(peer.received[0]?.payload ?? new Uint8Array(0)).json).toMatchObject({
      code: 'version-mismatch',
      details: { ours: [1], theirs: [7, 8] },
    });
    const { peer: other } = serve({ quiet: true });
    other.sendRaw(encodeGreeting('hello', { versions: [1], capabilities: ['resume', 'teleport'] }));
    expect(decodeMessage(other.received[0]?.payload ?? new Uint8Array(0)).json).toMatchObject({
      code: 'unsupported',
      details: { feature: 'resume', wanted: ['resume', 'teleport'], offered: [] },
    });
  });
});
