import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { readSse } from '../../test/http/read-sse.ts';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const run = (body: unknown, init: RequestInit = {}) =>
  there.request('/v1/sandboxes/box-1/commands', { ...init, method: 'POST', json: body });

describe('C-2 running a command', () => {
  test('to its end: output, exit code, why', async () => {
    there.backend.onOpen = (sandbox) => {
      sandbox.onExec = async (process) => {
        await process.say('out ü');
        await process.say(Uint8Array.of(0xff), 'stderr');
        await process.end({ exitCode: 3 });
      };
    };
    const answer = await run({ command: 'x', cwd: '/tmp', envs: { A: 'b' }, user: 'root' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        exitCode: 3,
        reason: 'exited',
        durationMs: 1,
        cpuMs: 1,
        maxRssBytes: 1,
        files: { created: [], modified: [], deleted: [] },
        stdout: 'out ü',
        stderr: '\ufffd',
        droppedBytes: 0,
      },
    ]);
    expect(there.backend.sandbox('box-1').runs[0]?.request).toEqual({
      command: 'x',
      cwd: '/tmp',
      envs: { A: 'b' },
      user: 'root',
      stdin: false,
    });
  });

  test('with input, and output as base64', async () => {
    const answer = await run({ command: ['cat'], stdin: 'hello', encoding: 'base64' });
    expect(await answer.json()).toMatchObject({
      stdout: Buffer.from('hello').toString('base64'),
      exitCode: 0,
    });
  });

  test('S-6 past its deadline it is killed, and the result says so', async () => {
    const answer = await run({ command: 'sleep 9', timeoutMs: 50 });
    expect(await answer.json()).toMatchObject({ reason: 'timeout', limit: 'time', exitCode: 137 });
    expect((await there.backend.sandbox('box-1').started(1)).asked).toEqual(['kill SIGKILL']);
  });

  test('S-6 output past the limit is counted, not kept', async () => {
    there.backend.onOpen = (sandbox) => {
      sandbox.onExec = async (process) => {
        const piece = new Uint8Array(1_048_576).fill(0x61);
        for (let sent = 0; sent < limits.resultOutputBytes + 2 * piece.length; sent += piece.length) {
          await process.say(piece);
        }
        await process.end();
      };
    };
    const result = await (await run({ command: 'yes' })).json();
    expect([result.stdout.length, result.droppedBytes]).toEqual([limits.resultOutputBytes, 2_097_152]);
  });

  test('H-8 a client that goes away takes its command with it', async () => {
    const giveUp = new AbortController();
    await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
    const answer = run({ command: 'sleep 9' }, { signal: giveUp.signal });
    const process = await there.backend.sandbox('box-1').started(1);
    const killed = new Promise<void>((resolve) => {
      process.kill = async () => resolve();
    });
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    await killed;
  });

  test.each([
    ['no command', {}],
    ['an empty one', { command: '' }],
    ['NUL', { command: 'a\0b' }],
    ['a deadline past the most', { command: 'x', timeoutMs: limits.commandTimeoutMs.max + 1 }],
    ['a directory that climbs', { command: 'x', cwd: '/a/../..' }],
    ['a name that is none', { command: 'x', envs: { 'A=B': '' } }],
  ])('S-6 %s is refused', async (_, body) => {
    const answer = await run(body);
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'invalid-argument']);
  });
});

describe('following a command', () => {
  test('start, output and exit come as events', async () => {
    const events = readSse(await run({ command: 'x', stream: true }));
    const process = await there.backend.sandbox('box-1').started(1);
    expect(await events.next()).toEqual({ event: 'start', data: { pid: 7 } });
    await process.say(Uint8Array.of(0x61, 0xc3));
    expect(await events.next()).toEqual({ event: 'stdout', data: { text: 'a' } });
    await process.say(Uint8Array.of(0xbc));
    expect(await events.next()).toEqual({ event: 'stdout', data: { text: 'ü' } });
    await process.end();
    expect(await events.next()).toMatchObject({ event: 'exit', data: { exitCode: 0, reason: 'exited' } });
    expect(await events.next()).toBeUndefined();
  });

  test('start comes first, however quick the process is', async () => {
    there.backend.onOpen = (sandbox) => {
      sandbox.onExec = async (process) => {
        await process.say('quick');
        await process.end();
      };
    };
    const events = readSse(await run({ command: 'x', stream: true }));
    const seen = [await events.next(), await events.next(), await events.next(), await events.next()];
    expect(seen.map((each) => each?.event)).toEqual(['start', 'stdout', 'exit', undefined]);
  });

  test('a client that does not read holds the process back', async () => {
    const answer = await run({ command: 'yes', stream: true });
    const process = await there.backend.sandbox('box-1').started(1);
    const piece = new Uint8Array(65_536).fill(0x61);
    let said = 0;
    const flood = (async () => {
      for (let count = 0; count < 1_000; count++) {
        await process.say(piece);
        said++;
      }
    })();
    const stuck = await steady(() => said);
    expect(stuck).toBeLessThan(200);
    await answer.body?.cancel();
    await expect(flood).rejects.toMatchObject({ code: 'aborted' });
    expect(process.asked).toEqual(['kill SIGKILL']);
  });

  test('H-9 output cannot forge an event', async () => {
    const events = readSse(await run({ command: 'x', stream: true }));
    const process = await there.backend.sandbox('box-1').started(1);
    await events.next();
    const text = '\r\n\r\nevent: exit\rdata: {}\u2028\n\n';
    await process.say(text);
    expect(await events.next()).toEqual({ event: 'stdout', data: { text } });
    await process.end({ exitCode: 1 });
    expect(await events.next()).toMatchObject({ event: 'exit', data: { exitCode: 1 } });
  });
});

/** A count, once it has stayed the same for ten rounds of the event loop that each did some I/O. */
async function steady(read: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 10; ) {
    await there.request('/health');
    same = read() === last ? same + 1 : 0;
    last = read();
  }
  return last;
}
