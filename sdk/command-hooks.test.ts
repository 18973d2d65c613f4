import { describe, expect, test } from 'vitest';
import { Sandbox } from '../cli/index.ts';
import type { NetworkFlow } from '../protocol/network-log.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import { connectionDouble } from '../test/fixtures/connection-double.ts';
import { plainExit, ScriptedProcess } from '../test/sdk/scripted-connection.ts';
import { CommandHooks, type SandboxHooks, type Violation } from './command-hooks.ts';
import { Commands } from './commands.ts';

describe('hooks of a sandbox', () => {
  test('S-11 onCommand changes a command, onResult is told of what ran', async () => {
    const told: unknown[] = [];
    await using sandbox = await Sandbox.create({
      hooks: {
        onCommand: ({ command }) => (command === 'ls' ? 'ls -a' : undefined),
        onResult: ({ exitCode, stdout }, { command, cwd }) =>
          void told.push({ exitCode, stdout, command, cwd }),
      },
    });
    await sandbox.run('ls', { cwd: '/home' });
    const handle = await sandbox.commands.run('exit 3', { background: true });
    expect((await handle.wait()).exitCode).toBe(3);
    expect(told).toEqual([
      { command: 'ls -a', cwd: '/home', exitCode: 0, stdout: '.\n..\nuser\n' },
      { command: 'exit 3', cwd: undefined, exitCode: 3, stdout: '' },
    ]);
  });

  test('S-11 a refused command does not run, in shells, terminals, forks and sessions neither', async () => {
    const violations: Violation[] = [];
    const hooks: SandboxHooks = {
      onCommand: async ({ command }) => {
        if (String(command).includes('rm')) throw new Error('no deleting');
        return undefined;
      },
      onViolation: (violation) => {
        violations.push(violation);
        throw new Error('is ignored');
      },
    };
    await using sandbox = await Sandbox.create({ hooks });
    await using session = await sandbox.session();
    const [fork] = await sandbox.fork();
    if (!(fork instanceof Sandbox)) throw fork;
    await using forked = fork;
    await sandbox.files.write('/home/user/file', 'kept');
    const refused = { code: 'forbidden', message: expect.stringContaining('no deleting') };
    for (const { commands } of [sandbox, session.sandbox, forked]) {
      await expect(commands.run('rm file')).rejects.toMatchObject(refused);
      await expect(commands.run(['rm', 'file'], { background: true })).rejects.toMatchObject(refused);
    }
    await using shell = await sandbox.shell();
    await expect(shell.run('rm file')).rejects.toMatchObject(refused);
    const terminal = { columns: 80, rows: 24, onData: () => undefined };
    await expect(sandbox.pty.create({ ...terminal, command: 'rm file' })).rejects.toMatchObject(refused);
    expect(await sandbox.files.read('/home/user/file')).toBe('kept');
    expect(violations.map(({ type, sandbox: id, command }) => ({ type, id, command }))).toEqual([
      { type: 'refused', id: sandbox.id, command: 'rm file' },
      { type: 'refused', id: sandbox.id, command: ['rm', 'file'] },
      { type: 'refused', id: session.sandbox.id, command: 'rm file' },
      { type: 'refused', id: session.sandbox.id, command: ['rm', 'file'] },
      { type: 'refused', id: forked.id, command: 'rm file' },
      { type: 'refused', id: forked.id, command: ['rm', 'file'] },
      { type: 'refused', id: sandbox.id, command: 'rm file' },
      { type: 'refused', id: sandbox.id, command: 'rm file' },
    ]);
  });

  test('S-11 what onResult throws is what the caller gets', async () => {
    const failure = new TypeError('onResult');
    const onResult = () => Promise.reject(failure);
    await using sandbox = await Sandbox.create({ hooks: { onResult } });
    await expect(sandbox.run('true')).rejects.toBe(failure);
  });

  test('S-11 onViolation is told of limits, and once of each connection that was denied since', async () => {
    const violations: Violation[] = [];
    const flows: NetworkFlow[] = [flow(1, 'denied')];
    let during: readonly NetworkFlow[] = [];
    let reason: (typeof plainExit)['reason'] = 'exited';
    const connection = connectionDouble({
      processes: {
        exec: async (_request, listener) => {
          flows.push(...during);
          queueMicrotask(() => listener({ ...plainExit, reason, exitCode: 137 }));
          return new ScriptedProcess();
        },
      },
      network: { log: async () => ({ flows, forgotten: 0 }) },
    });
    const info = { id: 'k3f9', network: 'full', runtime: 'jail' } as SandboxInfo;
    const onViolation = (violation: Violation) => void violations.push(violation);
    const commands = new Commands(connection, new CommandHooks({ connection, info, hooks: { onViolation } }));
    const run = (command: string, endsFor: typeof reason, newFlows: typeof during) => {
      [reason, during] = [endsFor, newFlows];
      return commands.run(command);
    };
    await run('one', 'out-of-memory', [flow(2, 'allowed'), flow(3, 'denied')]);
    flows.push(flow(4, 'denied'));
    await run('two', 'disk-limit', []);
    await run('three', 'exited', [flow(5, 'denied')]);
    expect(violations.map(({ type, command, message }) => ({ type, command, message }))).toEqual([
      { type: 'out-of-memory', command: 'one', message: 'The command ended with 137: out-of-memory' },
      { type: 'network', command: 'one', message: "The network's policy denied 3.example:443" },
      { type: 'network', command: undefined, message: "The network's policy denied 4.example:443" },
      { type: 'disk-limit', command: 'two', message: 'The command ended with 137: disk-limit' },
      { type: 'network', command: 'three', message: "The network's policy denied 5.example:443" },
    ]);
  });

  test('H-8 a command that waits for a hook is aborted at once', async () => {
    const stop = new AbortController();
    const stopLater = new AbortController();
    await using sandbox = await Sandbox.create({
      hooks: {
        onCommand: ({ command }) => {
          if (command !== 'first') return undefined;
          stop.abort();
          return new Promise(() => undefined);
        },
        onResult: () => {
          stopLater.abort();
          return new Promise(() => undefined);
        },
      },
    });
    await expect(sandbox.run('first', { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
    const second = sandbox.run('true', { signal: stopLater.signal });
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
  });
});

function flow(id: number, verdict: NetworkFlow['verdict']): NetworkFlow {
  return { id, type: 'connection', startedAtMs: 0, name: `${id}.example`, port: 443, verdict };
}
