import { expect, test, vi } from 'vitest';
import { LiveTree } from '../tree/live/live-tree.ts';
import { CaptureTimer } from './capture-timer.ts';
import { CommandLog } from './command-log.ts';
import { type ProcessContext, startProcess } from './process-starter.ts';

test('R-3 H-8 a process that clears away begins once no capture is under way that could see what it makes', async () => {
  const [captureBegins, captureEnds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const capture = () => {
    captureBegins.resolve();
    return captureEnds.promise;
  };
  const captures = new CaptureTimer(capture, { isCommandRunning: () => false });
  const start = vi.fn(async () => ({ pid: 7 }));
  const context = {
    ...{ tree: new LiveTree(), commands: new CommandLog(), captures },
    ...{ machine: { processes: { start } }, begun: async () => undefined },
  } as unknown as ProcessContext;
  captures.hurry();
  await captureBegins.promise;
  const started = startProcess({ command: ['/bin/true'], clearsAway: true }, () => undefined, context);
  await startProcess({ command: ['/bin/true'] }, () => undefined, context);
  expect(start).toHaveBeenCalledTimes(1);
  captureEnds.resolve();
  await started;
  expect(start).toHaveBeenCalledTimes(2);
});
