import { expect, test, vi } from 'vitest';
import { unpackCommand } from '../../protocol/archive/unpack-script.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { CaptureTimer } from '../capture/capture-timer.ts';
import { CommandLog } from '../capture/command-log.ts';
import { SandboxProcesses } from './sandbox-processes.ts';
import { SessionTaps } from './session-taps.ts';
import type { WatchedProcessParts } from './watched-process.ts';

test('R-3 H-8 a process that clears away begins once no capture is under way that could see what it makes', async () => {
  const [captureBegins, captureEnds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const capture = () => {
    captureBegins.resolve();
    return captureEnds.promise;
  };
  const captures = new CaptureTimer(capture, { isCommandRunning: () => false });
  const start = vi.fn(async () => ({ pid: 7 }));
  const machine = { replaced: 0, running: async () => ({ processes: { start } }) };
  const processes = new SandboxProcesses({
    ...{ tree: new LiveTree(), commands: new CommandLog(), captures, machine, capturer: {} },
    begun: async () => undefined,
    taps: new SessionTaps(),
  } as unknown as WatchedProcessParts);
  captures.hurry();
  await captureBegins.promise;
  const started = processes.start({ command: ['/bin/true'], clearsAway: true }, () => undefined);
  await processes.start({ command: ['/bin/true'] }, () => undefined);
  expect(start).toHaveBeenCalledTimes(1);
  captureEnds.resolve();
  await started;
  expect(start).toHaveBeenCalledTimes(2);
});

test('X-3 a command that could not be started is not the cause of the next capture', async () => {
  const commands = new CommandLog();
  const captures = new CaptureTimer(async () => undefined, { isCommandRunning: () => commands.isRunning });
  const start = async () => {
    throw new SandboxError('not-found', 'There is no such program');
  };
  const machine = { replaced: 0, running: async () => ({ processes: { start } }) };
  const processes = new SandboxProcesses({
    ...{ tree: new LiveTree(), commands, captures, machine, capturer: {} },
    begun: async () => undefined,
    taps: new SessionTaps(),
  } as unknown as WatchedProcessParts);
  await expect(processes.start({ command: ['gone'] }, () => undefined)).rejects.toThrow('no such program');
  expect(commands.isRunning).toBe(false);
  expect(commands.take()).toEqual([{ runs: [] }]);
  expect(commands.runs.report()).toEqual({ started: 0, running: 0, last: [] });
});

test('X-3 SN-16 an archive that a client brings is called so, and not by the program that unpacks it', async () => {
  const commands = new CommandLog();
  const captures = new CaptureTimer(async () => undefined, { isCommandRunning: () => commands.isRunning });
  const machine = { replaced: 0, running: async () => ({ processes: { start: async () => ({ pid: 7 }) } }) };
  const processes = new SandboxProcesses({
    ...{ tree: new LiveTree(), commands, captures, machine, capturer: {} },
    begun: async () => undefined,
    taps: new SessionTaps(),
  } as unknown as WatchedProcessParts);
  const command = unpackCommand('/srv/my files');
  await processes.start({ command, clearsAway: true }, () => undefined);
  await processes.start({ command }, () => undefined);
  expect(commands.take()[0].runs.map(({ ran: { startedAtMs: _at, ...ran } }) => ran)).toEqual([
    { command: "unpack an archive into '/srv/my files'", by: 'client' },
    { command: "/bin/bash -s -- '/srv/my files'", argv: command, by: 'exec' },
  ]);
});
