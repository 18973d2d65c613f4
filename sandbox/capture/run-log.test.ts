import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { RunLog } from './run-log.ts';

const times = { startedAtMs: expect.any(Number), durationMs: expect.any(Number) };

test('O-8 a report of commands tells how each ended, and nothing of what is not known', () => {
  const log = new RunLog();
  const [process, terminal] = [{}, {}];
  log.start(process, 'make');
  log.start(terminal, 'vi');
  log.end(process, { exitCode: 2, signal: undefined, reason: 'exited', cpuMs: 3, maxRssBytes: 4 });
  log.end(process, { exitCode: 0 });
  // Its terminal has gone.
  log.end(terminal);
  expect(log.report()).toEqual({
    started: 2,
    running: 0,
    last: [
      { command: 'make', ...times, exitCode: 2, reason: 'exited', cpuMs: 3, maxRssBytes: 4 },
      { command: 'vi', ...times },
    ],
  });
  expect(log.report().last[0]).not.toHaveProperty('signal');
});

test('O-8 a report of commands keeps the last ones, and counts all of them', () => {
  const log = new RunLog();
  const count = limits.reportedCommands + 3;
  for (let index = 0; index < count; index++) {
    const stream = {};
    log.start(stream, `echo ${index}`);
    log.end(stream, { exitCode: 0 });
  }
  const waiting = {};
  log.start(waiting, 'sleep 9');
  const none = {};
  log.start(none, 'does not start');
  log.forget(none);
  const { started, running, last } = log.report();
  expect({ started, running }).toEqual({ started: count + 1, running: 1 });
  expect(last.map(({ command }) => command)).toEqual(
    Array.from({ length: limits.reportedCommands }, (_, index) => `echo ${index + 3}`),
  );
});
