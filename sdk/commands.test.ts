import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../protocol/errors.ts';
import { plainExit, ScriptedProcess, scriptedConnection } from '../test/sdk/scripted-connection.ts';
import { Commands } from './commands.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('running commands', () => {
  let process: ScriptedProcess;
  let commands: Commands;
  beforeEach(() => {
    vi.useFakeTimers();
    process = new ScriptedProcess();
    commands = new Commands(scriptedConnection(process));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('S-2 the result has the output; a character that was cut is told at the end', async () => {
    const told: string[] = [];
    const result = commands.run('x', { onStdout: (text) => void told.push(text) });
    await process.emit({ type: 'stdout', bytes: bytes(0x61, 0xc3) });
    await process.emit({ type: 'stdout', bytes: bytes(0xbc, 0xc3) });
    await process.emit(plainExit);
    expect(told).toEqual(['a', 'ü', '\ufffd']);
    expect(await result).toMatchObject({ stdout: 'aü\ufffd', stderr: '', exitCode: 0, droppedBytes: 0 });
  });

  test('S-2 a byte order mark is part of the output', async () => {
    const told: string[] = [];
    const result = commands.run('x', { onStdout: (text) => void told.push(text) });
    await process.emit({ type: 'stdout', bytes: bytes(0xef, 0xbb, 0xbf, 0x61) });
    await process.emit(plainExit);
    expect([...told, (await result).stdout]).toEqual(['\ufeffa', '\ufeffa']);
  });

  test('S-10 input that is not read to its end does not fail the command', async () => {
    process.writing = Promise.reject(new SandboxError('not-found', 'it has ended'));
    const result = commands.run('head -1', { stdin: 'much' });
    await vi.advanceTimersByTimeAsync(0);
    await process.emit(plainExit);
    expect(await result).toMatchObject({ exitCode: 0 });
    expect(process.asked).toEqual(['write 4']);
  });

  test('S-10 in the background, the handle does not wait until the input is read', async () => {
    process.writing = new Promise(() => undefined);
    const handle = await commands.run('sleep 9', { stdin: 'much', background: true });
    expect(handle.pid).toBe(7);
  });

  test('H-8 an abort while the process starts rejects at once and kills it once it is there', async () => {
    const started = Promise.withResolvers<void>();
    commands = new Commands(scriptedConnection(process, started.promise));
    const giveUp = new AbortController();
    const result = commands.run('x', { signal: giveUp.signal });
    giveUp.abort('enough');
    await expect(result).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
    expect(process.asked).toEqual([]);
    started.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(process.asked).toEqual(['kill SIGKILL']);
  });

  test('S-6 past the deadline the group is killed and the result says so', async () => {
    const result = commands.run('x', { timeoutMs: 100 });
    await vi.advanceTimersByTimeAsync(100);
    expect(await result).toMatchObject({ reason: 'timeout', limit: 'time', exitCode: 137 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what a callback throws is what the command ends with', async () => {
    const failure = new TypeError('callback');
    const result = commands.run('x', { onStdout: () => Promise.reject(failure) });
    await expect(process.emit({ type: 'stdout', bytes: bytes(0x61) })).rejects.toBe(failure);
    await expect(result).rejects.toBe(failure);
  });

  test('a command that cannot start rejects, in the background too', async () => {
    const refused = Promise.reject(new SandboxError('not-found', 'no such program'));
    commands = new Commands(scriptedConnection(process, refused));
    await expect(commands.run('x')).rejects.toMatchObject({ code: 'not-found' });
    await expect(commands.run('x', { background: true })).rejects.toMatchObject({ code: 'not-found' });
  });
});
