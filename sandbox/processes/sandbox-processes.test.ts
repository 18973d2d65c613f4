import { expect, test, vi } from 'vitest';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { CaptureTimer } from '../capture/capture-timer.ts';
import { CommandLog } from '../capture/command-log.ts';
import { SandboxProcesses } from './sandbox-processes.ts';
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
    ...{ tree: new LiveTree(), commands: new CommandLog(), captures, machine },
    begun: async () => undefined,
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
