import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeHostFrame } from '../../protocol/init/host-frames.ts';
import type { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import type { MachineProcessEvent } from '../../protocol/machine-process.ts';
import { Agent, buildInit, residentBytes, run, start, until } from './test/agent.ts';

let build: ReturnType<typeof buildInit>;
let agent: Agent;
let client: InitClient;

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
  expect({ code, stderr: agent.stderr }).toEqual({ code: 0, stderr: '' });
});

describe('a process', () => {
  test('has separate output and errors, an exit code, times and a peak of memory', async () => {
    const { stdout, stderr, exit } = await run(client, 'echo out; echo err >&2; exit 3');
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(exit).toMatchObject({ exitCode: 3, signal: undefined, reason: 'exited' });
    expect(exit.durationMs).toBeGreaterThan(0);
    expect(exit.maxRssBytes).toBeGreaterThan(100_000);
  });

  test('reports the processor time of its children too', async () => {
    const { exit } = await run(client, '(i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done)');
    expect(exit.cpuMs).toBeGreaterThan(1);
    expect(exit.cpuMs).toBeLessThanOrEqual(exit.durationMs * 2);
  });

  test('runs an argument list as it is, in the directory and environment asked for', async () => {
    const { stdout } = await run(client, {
      command: ['sh', '-c', 'echo "$1|$PWD|$A|$TERM|$LANG"', 'sh', ' a  "b" '],
      cwd: '/usr',
      envs: { A: 'ä=ö' },
    });
    expect(Buffer.from(stdout, 'latin1').toString()).toBe(' a  "b" |/usr|ä=ö|dumb|C.UTF-8\n');
  });

  test('reads end-of-file where it was given no standard input', async () => {
    expect((await run(client, 'cat; echo done')).stdout).toBe('done\n');
  });

  test('reads what is written to it until it is closed', async () => {
    const bytes = randomBytes(1_000_000);
    const { process, done } = await start(client, { command: ['cat'], stdin: true });
    await process.write(bytes.subarray(0, 10));
    await process.write(bytes.subarray(10));
    await process.closeStdin();
    expect(Buffer.from((await done).stdout, 'latin1').equals(bytes)).toBe(true);
  });

  test('does not hold up a writer when it never reads', async () => {
    const { process, done } = await start(client, { command: 'exec 0<&-; echo closed', stdin: true });
    await process.write(new Uint8Array(200_000)).catch(() => undefined);
    expect(await done).toMatchObject({ stdout: 'closed\n' });
  });

  test('starts with default signal dispositions, an empty mask and three descriptors', async () => {
    const { stdout } = await run(client, {
      command: ['sh', '-c', 'grep -E "Sig(Blk|Ign)" /proc/self/status; ls /proc/self/fd'],
    });
    // ls itself holds a fourth, the directory.
    expect(stdout).toBe('SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n');
  });

  test('that cannot be executed is an error, not an exit code', async () => {
    await expect(run(client, { command: ['no-such-program'] })).rejects.toMatchObject({ code: 'not-found' });
    await expect(run(client, { command: ['/etc/passwd'] })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { errno: 'EACCES' },
    });
    await expect(run(client, { command: ['/no/such'] })).rejects.toMatchObject({
      message: 'Cannot execute the program "/no/such": ENOENT',
    });
    await expect(run(client, { command: ['true'], cwd: '/no/such' })).rejects.toMatchObject({
      message: 'Cannot enter the working directory "/no/such": ENOENT',
    });
    expect((await run(client, 'exit 127')).exit.exitCode).toBe(127);
  });

  test('ends its run when it exits, whatever its background jobs hold open', async () => {
    const { stdout, exit } = await run(client, 'sleep 1000 & echo $!');
    expect(exit.exitCode).toBe(0);
    expect(isAlive(Number(stdout))).toBe(true);
  });

  test('may leave a job behind that goes on writing', async () => {
    const { stdout } = await run(client, '(while :; do echo noise; sleep 0.01; done) & echo $!');
    await run(client, 'sleep 0.1');
    expect(isAlive(Number(stdout.split('\n').find((line) => /^\d+$/.test(line))))).toBe(true);
  });
});

describe('kill', () => {
  test('ends a process by the signal asked for', async () => {
    for (const [signal, exitCode, reason] of [
      ['SIGTERM', 143, 'signalled'],
      ['SIGHUP', 129, 'signalled'],
      ['SIGKILL', 137, 'killed'],
    ] as const) {
      const { process, done } = await start(client, { command: ['sleep', '1000'] });
      await process.kill(signal);
      expect((await done).exit).toMatchObject({ exitCode, signal, reason });
    }
  });

  test('with SIGKILL ends background jobs in groups of their own', async () => {
    const { process, output, done } = await start(client, {
      command: ['bash', '-c', 'set -m; sleep 1000 & sleep 1000 & (sleep 1000 & echo ready; wait)'],
    });
    await until(() => output().includes('ready'));
    await until(
      async () => (await client.list()).processes.filter(({ argv }) => argv[0] === 'sleep').length === 3,
    );
    await process.kill();
    await done;
    await until(async () => (await client.list()).processes.length === 0);
  });

  test('of a caller who gives up frees the process and its stream (H-8)', async () => {
    const controller = new AbortController();
    const ended = Promise.withResolvers<MachineProcessEvent>();
    const process = await client.exec(
      { command: 'yes' },
      (event) => {
        if (event.type === 'exit') ended.resolve(event);
        return new Promise(() => undefined);
      },
      { signal: controller.signal },
    );
    controller.abort();
    await until(() => !isAlive(process.pid));
    expect((await client.list()).processes).toEqual([]);
  });
});

describe('a terminal', () => {
  test('has the size asked for and changes it', async () => {
    const { process, done, output } = await start(client, {
      command: 'stty size; trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.01; done',
      pty: { columns: 100, rows: 30 },
    });
    await until(() => output().includes('ready'));
    await process.resize({ columns: 132, rows: 50 });
    expect((await done).stdout).toBe('30 100\r\nready\r\n50 132\r\n');
  });

  test('is the controlling terminal, understands UTF-8, and ends on end-of-file', async () => {
    const { process, done, output } = await start(client, {
      command: 'tty; echo $TERM; stty -a | grep -o iutf8; test -t 2; cat',
      pty: { columns: 80, rows: 24 },
    });
    await until(() => output().includes('iutf8\r\n'));
    await process.write(Buffer.from('hello\n'));
    await process.closeStdin();
    const { stdout, exit } = await done;
    expect(stdout).toMatch(/^\/dev\/pts\/\d+\r\nxterm-256color\r\niutf8\r\n(hello\r\n){2}$/);
    expect(exit.exitCode).toBe(0);
  });

  test('passes an interrupt typed on it, and a signal, to the job in the foreground', async () => {
    for (const interrupt of ['typed', 'sent']) {
      const { process, done, output } = await start(client, {
        command: ['bash', '--norc', '-i', '-c', 'set -m; sleep 1000; echo status $?'],
        pty: { columns: 80, rows: 24 },
      });
      await until(async () => (await client.list()).processes.some(({ argv }) => argv[0] === 'sleep'));
      if (interrupt === 'typed') await process.write(Uint8Array.of(3));
      else await process.kill('SIGINT');
      await done;
      expect(output()).toContain('^C'.repeat(Number(interrupt === 'typed')));
      expect((await client.list()).processes).toEqual([]);
    }
  });

  test('delivers everything written before the end', async () => {
    const { stdout } = await run(client, { command: 'seq 20000', pty: { columns: 80, rows: 24 } });
    expect(stdout.split('\r\n')).toHaveLength(20_001);
  });
});

describe('many at once', () => {
  test('50 processes keep their output apart', async () => {
    const runs = await Promise.all(
      Array.from({ length: 50 }, (_, index) => run(client, `echo ${index}; seq 1000; exit ${index}`)),
    );
    const lines = Array.from({ length: 1000 }, (_, index) => `${index + 1}\n`).join('');
    runs.forEach(({ stdout, exit }, index) => {
      expect(stdout).toBe(`${index}\n${lines}`);
      expect(exit.exitCode).toBe(index);
    });
  });

  test('past the limit is busy, and there is room again afterwards', async () => {
    const sleepers = await Promise.all(
      Array.from({ length: limits.processes }, () => start(client, { command: ['sleep', '1000'] })),
    );
    await expect(run(client, 'true')).rejects.toMatchObject({ code: 'busy' });
    await Promise.all(sleepers.map(({ process }) => process.kill()));
    await Promise.all(sleepers.map(({ done }) => done));
    expect((await run(client, 'echo again')).stdout).toBe('again\n');
  });

  test('10,000 pings are answered', async () => {
    for (let batch = 0; batch < 100; batch++) {
      await Promise.all(Array.from({ length: 100 }, () => client.ping()));
    }
    expect((await run(client, 'echo alive')).stdout).toBe('alive\n');
  });

  test('orphans are reaped (I-6)', async () => {
    await run(client, 'for i in $(seq 50); do (setsid sleep 0.05 &) ; done');
    await until(() => agent.descendants().length === 0);
  });
});

describe('flow control', () => {
  test('50 MB to a slow reader arrive whole, and init stays small', async () => {
    let received = 0;
    let pauses = 0;
    const before = residentBytes(agent.pid);
    const ended = Promise.withResolvers<void>();
    await client.exec({ command: 'yes | head -c 50000000' }, async (event) => {
      if (event.type === 'exit') return ended.resolve();
      received += event.bytes.length;
      if (pauses++ % 64 === 0) await client.ping();
    });
    await ended.promise;
    expect(received).toBe(50_000_000);
    expect(residentBytes(agent.pid) - before).toBeLessThan(8_000_000);
  });

  test('a stream whose reader stands still holds up no other', async () => {
    const resume = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let received = 0;
    await client.exec({ command: 'yes | head -c 3000000' }, async (event) => {
      if (event.type === 'exit') return ended.resolve();
      received += event.bytes.length;
      await resume.promise;
    });
    expect((await run(client, 'seq 100000 | tail -n 1')).stdout).toBe('100000\n');
    expect(received).toBeLessThanOrEqual(limits.streamWindowBytes);
    resume.resolve();
    await ended.promise;
    expect(received).toBe(3_000_000);
  });
});

describe('a resync (IP-5)', () => {
  test('in the middle of a frame drops it, and finds the processes that run', async () => {
    const { process, output } = await start(client, { command: ['cat'], stdin: true });
    await process.write(Buffer.from('before\n'));
    await until(() => output() === 'before\n');
    const half = encodeHostFrame({ type: 'stdin', id: process.id, bytes: new Uint8Array(5000) });
    agent.socket.write(half.subarray(0, 3000));

    const other = agent.connect();
    const { attached } = await other.hello();
    expect(attached).toMatchObject([{ id: process.id, pid: process.pid, pty: false, stdin: true }]);
    const adopted = Promise.withResolvers<string>();
    let text = '';
    const [first] = attached;
    if (!first) throw new Error('nothing is attached');
    const handle = other.adopt(first, (event) => {
      if (event.type === 'exit') adopted.resolve(text);
      else text += Buffer.from(event.bytes).toString();
    });
    await handle.write(Buffer.from('after\n'));
    await handle.closeStdin();
    expect(await adopted.promise).toBe('after\n');
  });

  test('by the same client goes on with what still runs', async () => {
    const { process, done, output } = await start(client, { command: ['cat'], stdin: true });
    const { bootId } = await client.hello();
    expect((await client.hello()).bootId).toBe(bootId);
    await process.write(Buffer.from('still here\n'));
    await until(() => output() === 'still here\n');
    await process.closeStdin();
    expect((await done).exit.exitCode).toBe(0);
  });

  test('kills what nobody adopts', async () => {
    const { process } = await start(client, { command: ['sleep', '1000'] });
    const other = agent.connect();
    const { attached } = await other.hello();
    await Promise.all(attached.map((each) => other.release(each)));
    await until(() => !isAlive(process.pid));
  });

  test('ends what was being started for a client that is gone; no id of what goes on is given again', async () => {
    const { process } = await start(client, { command: ['cat'], stdin: true });
    agent.socket.cork();
    const starting = client.exec({ command: ['sleep', '1000'] }, () => undefined);
    starting.catch(() => undefined); // It is never told.
    const other = agent.connect();
    const hello = other.hello();
    agent.socket.uncork();
    expect((await hello).attached).toMatchObject([{ id: process.id, pid: process.pid }]);
    for (let round = 0; round < 3; round++) {
      expect(await run(other, 'echo fine')).toMatchObject({ stdout: 'fine\n', exit: { exitCode: 0 } });
    }
    await until(() => agent.descendants().length === 1);
    expect(agent.descendants()).toEqual([process.pid]);
  });

  test('cannot be caused by what is piped into a process (IP-4)', async () => {
    const marker = encodeHostFrame({ type: 'hello', versions: [1], nonce: new Uint8Array(16) });
    const { process, done } = await start(client, { command: ['cat'], stdin: true });
    await process.write(marker);
    await process.closeStdin();
    expect(Buffer.from((await done).stdout, 'latin1').equals(marker)).toBe(true);
  });

  test('is not waited for after a frame that ends as it begins (IP-4)', async () => {
    const tail = Uint8Array.of(0xf5, 0xc0, 0x99);
    const { process, output } = await start(client, { command: ['cat'], stdin: true });
    await process.write(tail);
    await until(() => output() === Buffer.from(tail).toString('latin1'));
    await process.kill();
  });

  test('cannot be forged by what a process prints while the host looks for it', async () => {
    const marker = Buffer.from(encodeHostFrame({ type: 'hello', versions: [1], nonce: new Uint8Array(16) }));
    const { process } = await start(client, { command: ['cat'], stdin: true });
    for (let round = 0; round < 20; round++) {
      await process.write(Buffer.concat([marker, randomBytes(round), marker]));
      await client.hello();
    }
    await client.ping();
    await process.kill();
  });
});

describe('bad input', () => {
  test('a header out of bounds is reported and survived', async () => {
    agent.socket.write(Buffer.from([0x11, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
    await until(() => agent.logs.some((text) => text.includes('Cannot read a frame header')));
    await client.hello();
    await client.ping();
  });

  test('an unknown type and every torn body is answered, never obeyed', async () => {
    for (let type = 1; type < 0x80; type++) {
      // SHUTDOWN of four bytes is a good frame, LIST and PING have no body to be torn.
      const body = randomBytes(type === 0x12 ? 3 : type % 7);
      if (type === 0x01) continue;
      const header = Buffer.from([type, 0, 0, 0, 0xee, 0xff, 0xff, 0xff, body.length, 0, 0, 0, 0, 0, 0, 0]);
      agent.socket.write(Buffer.concat([header, body]));
    }
    await client.ping();
    expect((await run(client, 'echo alive')).stdout).toBe('alive\n');
  });

  test('random bytes do not harm it', async () => {
    for (let round = 0; round < 50; round++) {
      agent.socket.write(randomBytes(1 + ((round * 977) % 20_000)));
      await client.hello();
    }
    expect((await run(client, 'echo alive')).stdout).toBe('alive\n');
  });

  test('what an agent does not own it refuses by name (H-10)', async () => {
    const refusals = [
      client.mount({ tag: 'host9p', options: 'trans=virtio' }),
      client.unmount(),
      client.setClock(0n),
      client.addEntropy(new Uint8Array(16)),
      client.dropCaches(),
      client.setHostname('coppice'),
    ];
    for (const refusal of refusals) await expect(refusal).rejects.toMatchObject({ code: 'unsupported' });
    await client.sync();
  });
});

describe('the end', () => {
  test('SHUTDOWN lets processes finish, then kills what does not (I-6)', async () => {
    const polite = await start(client, {
      command: 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.01; done',
    });
    const stubborn = await start(client, { command: 'trap "" TERM; echo up; while :; do sleep 0.01; done' });
    await until(() => polite.output() === 'up\n' && stubborn.output() === 'up\n');
    await client.shutdown({ graceMs: 300 });
    expect((await polite.done).stdout).toBe('up\nbye\n');
    expect(await agent.exited).toBe(0);
    expect(isAlive(stubborn.process.pid)).toBe(false);
  });

  test('SIGTERM to init itself does the same', async () => {
    const { done } = await start(client, {
      command: 'trap "echo bye; exit 5" TERM; echo up; while :; do sleep 0.01; done',
    });
    await run(client, 'sleep 0.05');
    agent.child.kill('SIGTERM');
    expect((await done).exit.exitCode).toBe(5);
    expect(await agent.exited).toBe(0);
  });

  test('of the connection kills everything, daemons included', async () => {
    const { output } = await start(client, { command: 'setsid sleep 1000 & echo $!; sleep 1000' });
    await until(() => output().endsWith('\n'));
    await until(() => agent.descendants().length === 2);
    const children = agent.descendants();
    await agent.stop();
    expect(children.filter(isAlive)).toEqual([]);
  });

  test('of the client rejects what waits with connection-lost and ends its processes', async () => {
    const { process, done } = await start(client, { command: ['sleep', '1000'] });
    const waiting = client.ping();
    client.close(new Error('the tab is closed'));
    await expect(waiting).rejects.toMatchObject({ code: 'connection-lost' });
    await expect(client.ping()).rejects.toMatchObject({ code: 'connection-lost' });
    expect((await done).exit.reason).toBe('machine-failed');
    await expect(process.write(new Uint8Array(1))).rejects.toMatchObject({ code: 'not-found' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
