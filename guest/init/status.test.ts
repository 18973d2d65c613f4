import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import { Agent, buildInit, run, start, until } from './test/agent.ts';

let build: ReturnType<typeof buildInit>;
let agent: Agent;
let client: InitClient;
const hasStatus = true;

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

describe('a status descriptor (IP-19)', () => {
  test('is a pipe of the process, and no other descriptor comes with it', async () => {
    const command = ['sh', '-c', 'test -p /proc/self/fd/3 && ls /proc/self/fd; echo told >&3; exit 3'];
    const { stdout, status, exit } = await run(client, { command }, { hasStatus });
    // ls itself holds a fifth, the directory.
    expect({ stdout, status, code: exit.exitCode }).toEqual({
      stdout: '0\n1\n2\n3\n4\n',
      status: 'told\n',
      code: 3,
    });
  });

  test('comes after all that the process had written to the others before', async () => {
    const text = { stdout: '', stderr: '', status: '' };
    const late: string[] = [];
    const ended = Promise.withResolvers<void>();
    const command = 'for i in $(seq 2000); do echo $i; echo $i >&2; echo $i >&3; done';
    await client.exec(
      { command },
      async (event) => {
        if (event.type === 'exit') return ended.resolve();
        text[event.type] += Buffer.from(event.bytes).toString();
        const last = text.status.split('\n').at(-2);
        if (last === undefined) return;
        for (const type of ['stdout', 'stderr'] as const)
          if (!`\n${text[type]}`.includes(`\n${last}\n`)) late.push(`${last} came before its ${type}`);
      },
      { hasStatus },
    );
    await ended.promise;
    expect(late).toEqual([]);
    expect(text.status.split('\n')).toHaveLength(2001);
  });

  test('comes after more output than a slow reader has credit for', async () => {
    const sizes = { stdout: 0, stderr: 0, status: 0 };
    const before: Pick<typeof sizes, 'stdout' | 'stderr'>[] = [];
    const resume = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const command = 'head -c 1000000 /dev/zero; echo one >&3; head -c 1000000 /dev/zero >&2; echo two >&3';
    await client.exec(
      { command },
      async (event) => {
        if (event.type === 'exit') return ended.resolve();
        sizes[event.type] += event.bytes.length;
        if (event.type === 'status') before.push({ ...sizes });
        await resume.promise;
      },
      { hasStatus },
    );
    await client.ping();
    resume.resolve();
    await ended.promise;
    expect(before).toMatchObject([{ stdout: 1_000_000 }, { stdout: 1_000_000, stderr: 1_000_000 }]);
  });

  test('does not wait for a background job that never stops writing', async () => {
    const rounds = 50;
    const told = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const noise = 'yes & '.repeat(4) + 'yes >&2 & '.repeat(2);
    let receivedBytes = 0;
    let status = '';
    const process = await client.exec(
      { command: `${noise} while read go; do echo told >&3; done`, stdin: true },
      (event) => {
        if (event.type === 'exit') return ended.resolve();
        receivedBytes += event.bytes.length;
        if (event.type !== 'status') return;
        status += Buffer.from(event.bytes).toString();
        if (status.length === 'told\n'.length * rounds) told.resolve();
        else process.write(Buffer.from('go\n')).catch(told.reject);
      },
      { hasStatus },
    );
    await process.write(Buffer.from('go\n'));
    await told.promise;
    expect(status).toBe('told\n'.repeat(rounds));
    // About 400 kB a round are usual; who waits for a pause gets gigabytes.
    expect(receivedBytes).toBeLessThan(rounds * 10_000_000);
    await process.kill();
    await ended.promise;
  });

  test('is held back by a reader that stands still, as output is', async () => {
    const resume = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let received = 0;
    await client.exec(
      { command: 'yes | head -c 3000000 >&3' },
      async (event) => {
        if (event.type === 'exit') return ended.resolve();
        received += event.bytes.length;
        await resume.promise;
      },
      { hasStatus },
    );
    expect((await run(client, 'seq 100000 | tail -n 1')).stdout).toBe('100000\n');
    expect(received).toBeLessThanOrEqual(limits.streamWindowBytes);
    resume.resolve();
    await ended.promise;
    expect(received).toBe(3_000_000);
  });

  test('that a background job holds open keeps no process from its end', async () => {
    const { status, exit } = await run(client, 'sleep 1000 >/dev/null 2>&1 & echo told >&3', { hasStatus });
    expect({ status, code: exit.exitCode }).toEqual({ status: 'told\n', code: 0 });
  });

  test('goes on after a resync, and says that it is there (IP-5)', async () => {
    const command = ['sh', '-c', 'read line; echo out; echo "$line" >&3'];
    const { process } = await start(client, { command, stdin: true }, { hasStatus });
    const other = agent.connect();
    const { attached, capabilities } = await other.hello();
    expect({ attached, capabilities }).toMatchObject({
      attached: [{ id: process.id, pty: false, stdin: true, status: true }],
      capabilities: { status: true },
    });
    const said: string[] = [];
    const ended = Promise.withResolvers<void>();
    const [first] = attached;
    if (!first) throw new Error('nothing is attached');
    const handle = other.adopt(first, (event) => {
      if (event.type === 'exit') ended.resolve();
      else said.push(`${event.type} ${Buffer.from(event.bytes).toString()}`);
    });
    await handle.write(Buffer.from('told\n'));
    await ended.promise;
    expect(said).toEqual(['stdout out\n', 'status told\n']);
  });

  test('is refused beside a terminal', async () => {
    const pty = { columns: 80, rows: 24 };
    await expect(run(client, { command: 'true', pty }, { hasStatus })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { errno: 'EINVAL' },
    });
  });

  test('costs nothing when its process is gone', async () => {
    const before = agent.openFiles();
    for (let round = 0; round < 100; round++) await run(client, { command: ['true'] }, { hasStatus });
    const { process, done } = await start(client, { command: ['sleep', '1000'] }, { hasStatus });
    await process.close();
    expect((await done).exit.reason).toBe('killed');
    await until(() => agent.openFiles() === before);
  });
});
