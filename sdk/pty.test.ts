import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '../protocol/limits.ts';
import type { ProcessEvent, ProcessesFacet } from '../protocol/sandbox/processes.ts';
import { connectionDouble } from '../test/fixtures/connection-double.ts';
import { Pty } from './pty.ts';

const signals: (string | undefined)[] = [];
let tell: (event: ProcessEvent) => void | Promise<void>;

/** A connection whose one process notes the signals it gets and ends when told to. */
const exec: ProcessesFacet['exec'] = async (_request, listener) => {
  tell = listener;
  return {
    pid: 7,
    write: async () => undefined,
    closeStdin: async () => undefined,
    resize: async () => undefined,
    kill: async (signal) => void signals.push(signal),
  };
};
const connection = connectionDouble({ processes: { exec } });

beforeEach(() => {
  vi.useFakeTimers();
  signals.length = 0;
});
afterEach(() => void vi.useRealTimers());

const open = () => new Pty(connection).create({ columns: 80, rows: 24, onData: () => undefined });
const exit: ProcessEvent = {
  type: 'exit',
  exitCode: 129,
  signal: 'SIGHUP',
  reason: 'signalled',
  durationMs: 1,
  cpuMs: 1,
  maxRssBytes: 1,
  files: { created: [], modified: [], deleted: [] },
};

test('H-8 a terminal that is killed hangs up, and what does not end then is killed', async () => {
  const terminal = await open();
  await terminal.kill();
  vi.advanceTimersByTime(limits.hangupGraceMs - 1);
  expect(signals).toEqual(['SIGHUP']);
  vi.advanceTimersByTime(1);
  expect(signals).toEqual(['SIGHUP', 'SIGKILL']);
});

test('what ends in time is left alone', async () => {
  const terminal = await open();
  await terminal.kill();
  await tell(exit);
  vi.advanceTimersByTime(limits.hangupGraceMs);
  expect(signals).toEqual(['SIGHUP']);
});
