import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { openTestCli, type TestCli } from '../test-context.ts';
import { askControl, connectControl } from './control-client.ts';

test('R-7 the socket may be opened by its user alone, and is gone with whoever served', async () => {
  await using served = await serve();
  expect(statSync(served.path).mode & 0o777).toBe(0o600);
  expect((await served.cli.run('ctl', 'stop')).stdout).toBe('{}\n');
  expect((await served.daemon.ended).code).toBe(0);
  expect(() => statSync(served.path)).toThrow('ENOENT');
});

test('R-7 what a killed process left of a socket is in nobody’s way', async () => {
  await using cli = await openTestCli();
  writeFileSync(join(cli.folder, 'control.sock'), '');
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  expect((await cli.run('ctl', 'hello')).stdout).toContain('"protocol":1');
  daemon.signal('SIGTERM');
  await daemon.ended;
});

test('R-7 requests on one connection are answered by their ids, and events come before the answer', async () => {
  await using served = await serve();
  const client = await served.open();
  client.say(
    '{"id":1,"op":"exec","words":["bash","-c","echo a; echo b >&2; exit 3"]}\n\n{"id":2,"op":"list"}\n',
  );
  const lines = await client.answers(1, 2);
  expect(lines.filter(({ id }) => id === 1)).toEqual([
    { id: 1, event: { stdout: 'a\n' } },
    { id: 1, event: { stderr: 'b\n' } },
    { id: 1, ok: true, result: expect.objectContaining({ exitCode: 3, reason: 'exited' }) },
  ]);
  expect(lines.find(({ id }) => id === 2)?.result).toMatchObject([{ name: 'default', runtime: 'shell' }]);
});

test('R-7 a request that cannot be understood is told why, and the next one is answered', async () => {
  await using served = await serve();
  const client = await served.open();
  const nonsense = [
    'what?',
    '[]',
    '{"op":"list"}',
    '{"id":3}',
    '{"id":4,"op":"__proto__"}',
    '{"id":5,"op":"checkout"}',
    '{"id":6,"op":"checkout","snapshot":7}',
    '{"id":7,"op":"commit","label":"a","force":true}',
    '{"id":8,"op":"commit","sandbox":"other"}',
    '{"id":9,"op":"head"}',
  ];
  client.say(`${nonsense.join('\n')}\n`);
  const lines = await client.answers(4, 5, 6, 7, 8, 9);
  expect(
    lines
      .map(({ error }) => error?.code)
      .filter(Boolean)
      .sort(),
  ).toEqual([...Array(7).fill('invalid-argument'), 'not-found', 'unsupported'].sort());
  expect(lines.find(({ id }) => id === 7)?.error?.message).toBe(
    'Cannot carry out commit: there is no field "force"; it takes label, ifChanged, sandbox',
  );
  expect(lines.find(({ id }) => id === 9)).toMatchObject({ ok: true });
});

test('R-7 who closes its side after asking is answered', async () => {
  await using served = await serve();
  const client = await served.open();
  client.socket.end('{"id":1,"op":"exec","words":["bash","-c","sleep 0.3; echo late"]}\n');
  expect(await client.closed).toEqual([
    { id: 1, event: { stdout: 'late\n' } },
    { id: 1, ok: true, result: expect.objectContaining({ exitCode: 0 }) },
  ]);
});

test('R-7 what was begun by a client that is gone altogether ends', async () => {
  await using served = await serve();
  const client = await served.open();
  client.say('{"id":1,"op":"exec","words":["bash","-c","trap \\"\\" HUP; echo begun; sleep 601"]}\n');
  await client.until(({ event }) => event !== undefined);
  const processes = async () => (await served.cli.run('exec', '--', 'ps', '-ef')).stdout;
  expect(await processes()).toContain('sleep 601');
  client.socket.destroy();
  await vi.waitFor(async () => expect(await processes()).not.toContain('sleep 601'), { timeout: 120_000 });
});

test('R-7 events are told until the request is cancelled', async () => {
  await using served = await serve();
  const client = await served.open();
  client.say('{"id":1,"op":"events"}\n');
  await client.until(({ event }) => event?.event?.type === 'ready');
  client.say('{"id":2,"op":"commit","label":"seen"}\n');
  await client.until(({ event }) => event?.event?.snapshot?.cause?.label === 'seen');
  client.say('{"id":3,"op":"cancel","request":1}\n');
  expect((await client.answers(1)).at(-1)).toEqual({ id: 1, ok: true, result: {} });
});

test('R-7 ctl events prints events, and nothing once it is interrupted', async () => {
  await using served = await serve();
  const run = served.cli.start('ctl', 'events');
  await run.says('"ready"');
  run.signal('SIGINT');
  const lines = (await run.ended).stdout.trim().split('\n');
  expect(lines.filter((line) => JSON.parse(line).event === undefined)).toEqual([]);
});

test('R-7 a line without an end is refused at its limit, however much is to come', async () => {
  await using served = await serve();
  const client = await served.open();
  const piece = Buffer.alloc(65_536, 0x61);
  let sent = 0;
  while (!client.socket.destroyed && sent < 1_000_000_000) {
    sent += piece.length;
    if (!client.socket.write(piece)) await Promise.race([once(client.socket, 'drain'), client.closed]);
  }
  expect(await client.closed).toMatchObject([{ ok: false, error: { code: 'limit-exceeded' } }]);
  expect((await served.cli.run('ctl', 'head')).code).toBe(0);
});

test('R-7 clients that say nothing, half a line, or a line byte by byte are let go in time', async () => {
  await using served = await serve();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  using _clock = { [Symbol.dispose]: () => void vi.useRealTimers() };
  const silent = await served.open();
  const half = await served.open();
  half.say('{"id":1,');
  const slow = await served.open();
  const patient = await served.open();
  patient.say('{"id":1,"op":"hello"}\n');
  await patient.answers(1);
  for (let spent = 0; spent < Math.max(limits.controlFirstLineMs, limits.controlLineMs); spent += 1_000) {
    slow.say('a');
    await turn(served);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await turn(served);
  await vi.advanceTimersByTimeAsync(limits.streamCloseMs);
  for (const { closed } of [silent, half, slow]) {
    expect(await closed).toMatchObject([{ ok: false, error: { code: 'timeout' } }]);
  }
  patient.say('{"id":2,"op":"hello"}\n');
  await patient.answers(2);
});

test('R-7 more requests than one client may have are refused, and so are more clients', async () => {
  await using served = await serve();
  const client = await served.open();
  const ids = Array.from({ length: limits.controlRequests + 1 }, (_, index) => index + 1);
  client.say(ids.map((id) => `{"id":${id},"op":"events"}\n`).join(''));
  await client.until(({ id, error }) => id === ids.length && error?.code === 'busy');
  client.socket.destroy();
  const clients = await Promise.all(Array.from({ length: limits.controlClients }, () => served.open()));
  for (const each of clients) each.say('{"id":1,"op":"hello"}\n');
  await Promise.all(clients.map((each) => each.answers(1)));
  const late = await served.open();
  expect(await late.closed).toMatchObject([{ ok: false, error: { code: 'busy' } }]);
});

test('R-7 every other command works on a folder that is served, and shares its sandboxes', async () => {
  await using served = await serve();
  const { cli } = served;
  const began = cli.start('exec', '--', 'bash', '-c', 'echo began; read -r line; echo "got $line"');
  await began.says('began');
  expect(await cli.run('exec', '--', 'bash', '-c', 'echo shared > ~/file; exit 4')).toMatchObject({
    code: 4,
  });
  expect((await cli.run('exec', '--', 'cat', '/home/user/file')).stdout).toBe('shared\n');
  began.stdin.end('through\n');
  expect(await began.ended).toMatchObject({ code: 0, stdout: 'began\ngot through\n' });
});

test('R-7 one connection is asked one thing after the other, and says when nobody answers any more', async () => {
  await using served = await serve();
  const socket = await connectControl(served.cli.folder);
  if (!socket) throw new Error('Nobody serves');
  for (const label of ['one', 'two']) {
    const taken = await askControl(socket, { op: 'commit', fields: { label } });
    expect(taken).toMatchObject({ cause: { label } });
  }
  served.daemon.signal('SIGTERM');
  await served.daemon.ended;
  for (let n = 0; n < 2; n++) {
    await expect(askControl(socket, { op: 'head' })).rejects.toMatchObject({ code: 'connection-lost' });
  }
});

test('R-7 without anybody who serves, a command waits for another that holds the folder', async () => {
  await using cli = await openTestCli();
  const first = cli.start('exec', '--', 'bash', '-c', 'echo began; read -r line; echo "$line" > ~/file');
  await first.says('began');
  const second = cli.run('exec', '--', 'cat', '/home/user/file');
  first.stdin.end('first\n');
  expect((await first.ended).code).toBe(0);
  expect(await second).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
});

test('R-7 a folder below a path that is too long for a socket is served all the same', async () => {
  await using cli = await openTestCli({ below: 'long-name-'.repeat(12) });
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  expect((await cli.run('ctl', 'hello')).code).toBe(0);
  daemon.signal('SIGINT');
  expect((await daemon.ended).code).toBe(0);
});

interface Line {
  readonly id?: number;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly event?: {
    readonly event?: {
      readonly type: string;
      readonly snapshot?: { readonly cause?: { readonly label?: string } };
    };
  };
}

interface TestClient {
  readonly socket: Socket;
  say(text: string): void;
  /** All that was said, once these requests are answered. */
  answers(...ids: readonly number[]): Promise<readonly Line[]>;
  until(is: (line: Line) => boolean): Promise<void>;
  /** All that was said, once the connection is closed. */
  readonly closed: Promise<readonly Line[]>;
}

interface Served extends AsyncDisposable {
  readonly cli: TestCli;
  readonly path: string;
  readonly daemon: ReturnType<TestCli['start']>;
  open(): Promise<TestClient>;
}

async function serve(): Promise<Served> {
  const cli = await openTestCli();
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  const path = join(cli.folder, 'control.sock');
  return {
    cli,
    path,
    daemon,
    open: async () => openClient(path),
    [Symbol.asyncDispose]: async () => {
      daemon.signal('SIGTERM');
      await daemon.ended;
      await cli[Symbol.asyncDispose]();
    },
  };
}

async function openClient(path: string): Promise<TestClient> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  const lines: Line[] = [];
  const changed = new Set<() => void>();
  createInterface({ input: socket }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    for (const look of changed) look();
  });
  const closed = once(socket, 'close').then(() => lines);
  const until = (is: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (is()) resolve();
      };
      changed.add(look);
      look();
    });
  return {
    socket,
    say: (text) => void socket.write(text),
    answers: async (...ids) => {
      await until(() => ids.every((id) => lines.some((line) => line.id === id && line.ok !== undefined)));
      return [...lines];
    },
    until: (is) => until(() => lines.some(is)),
    closed,
  };
}

/** Has the server read what was sent before: it answers another client. */
async function turn(served: Served): Promise<void> {
  const client = await served.open();
  client.say('{"id":1,"op":"hello"}\n');
  await client.answers(1);
  client.socket.destroy();
  await client.closed;
}
