import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import { SupervisedProgram, type SuperviseParts } from './supervise-program.ts';

test('R-6 one that fails at once after a checkout is started again after pauses that double, and then no more', async () => {
  const { program, pauses, told } = supervise([end('checkout', -1), ...Array(6).fill(end('exited', 3))]);
  expect(await program.run()).toEqual({ exitCode: 3, why: 'it ended with 3 at once, 6 times in a row' });
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000]);
  expect(told).toEqual(['a checkout', ...Array(5).fill('it ended with 3 at once')]);
  expect(program.state).toMatchObject({ state: 'ended', restarts: { length: 6 } });
});

test('R-6 one that runs for a while before it fails ends the supervision, as does one that fails at its first start', async () => {
  const later = supervise([end('checkout', -1), end('exited', 3, limits.superviseAtOnceMs)]);
  expect(await later.program.run()).toEqual({ exitCode: 3 });
  expect(await supervise([end('exited', 5)]).program.run()).toEqual({ exitCode: 5 });
  expect(await supervise([end('signalled', 139)]).program.run()).toEqual({ exitCode: 139 });
});

test('R-6 checkouts one after the other are no failures', async () => {
  const { program, pauses } = supervise([...Array(60).fill(end('checkout', -1)), end('exited', 0)]);
  expect(await program.run()).toEqual({ exitCode: 0 });
  expect(pauses).toEqual([]);
  expect(program.state.restarts.length).toBe(limits.supervisedStarts);
});

test('R-6 a program that the restored files lack is waited for, and then named', async () => {
  const gone = new SandboxError('not-found', 'There is no program agent');
  const { program, pauses } = supervise([end('checkout', -1), ...Array(6).fill(gone)]);
  expect(await program.run()).toEqual({
    exitCode: 127,
    why: 'it could not be started: There is no program agent, 6 times in a row',
  });
  expect(pauses.length).toBe(5);
  expect(await supervise([gone]).program.run()).toEqual({ exitCode: 127, why: 'There is no program agent' });
});

test('R-6 one whose machine has failed goes on with another', async () => {
  const { program, renewals } = supervise([end('machine-failed', -1), end('exited', 0)]);
  expect(await program.run()).toEqual({ exitCode: 0 });
  expect(renewals()).toBe(1);
});

test('R-6 a machine that cannot be had at once is asked for again, as a start is, and then no more', async () => {
  const full = new SandboxError('busy', 'Too many run');
  const { program, told, renewals } = supervise([end('machine-failed', -1), end('exited', 0)], {
    refusals: [full],
  });
  expect(await program.run()).toEqual({ exitCode: 0 });
  expect(told).toEqual(['its machine has failed', 'it could not be started: Too many run']);
  expect(renewals()).toBe(2);
  const never = supervise([end('machine-failed', -1)], { refusals: Array(6).fill(full) });
  expect(await never.program.run()).toMatchObject({
    why: 'it could not be started: Too many run, 6 times in a row',
  });
  expect(never.pauses).toEqual([250, 500, 1_000, 2_000, 4_000]);
});

test('R-6 one that ignores SIGTERM is killed after a grace period, and not started again', async () => {
  const running = supervise(['runs']);
  const ended = running.program.run();
  await running.program.signal('SIGINT');
  await running.program.signal('SIGTERM');
  await running.program.signal('SIGTERM');
  expect(running.sent).toEqual(['SIGINT', 'SIGTERM', 'SIGTERM']);
  expect(running.pauses).toEqual([limits.superviseGraceMs]);
  running.pass();
  expect(await ended).toEqual({ exitCode: 137 });
  expect(running.sent.at(-1)).toBe('SIGKILL');
});

test('R-6 a signal that comes while nothing runs ends it all the same', async () => {
  const early = supervise([]);
  await early.program.signal('SIGHUP');
  expect(await early.program.run()).toEqual({ exitCode: 129 });
  const pausing = supervise([end('checkout', -1), end('exited', 1)], { holdsPauses: true });
  const ended = pausing.program.run();
  await pausing.paused;
  await pausing.program.signal('SIGINT');
  expect(await ended).toEqual({ exitCode: 130 });
});

test('R-6 without relaunch the first checkout is the end', async () => {
  const { program, told } = supervise([end('checkout', -1)], { relaunches: false });
  expect(await program.run()).toEqual({ exitCode: 137, why: 'a checkout' });
  expect(told).toEqual([]);
});

interface End {
  readonly status: ExitStatus;
  readonly ranMs: number;
}

function end(reason: ExitStatus['reason'], exitCode: number, ranMs = 10): End {
  const files = { created: [], modified: [], deleted: [] };
  const costs = { durationMs: ranMs, cpuMs: 0, maxRssBytes: 0 };
  return { ranMs, status: { exitCode, signal: undefined, reason, ...costs, files } };
}

/** A program whose runs end as planned, on a clock that only they move. */
function supervise(
  plan: readonly (End | SandboxError | 'runs')[],
  {
    relaunches = true,
    holdsPauses = false,
    refusals = [],
  }: { relaunches?: boolean; holdsPauses?: boolean; refusals?: SandboxError[] } = {},
) {
  const left = [...plan];
  const [pauses, told, sent]: [number[], string[], string[]] = [[], [], []];
  const paused = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<ExitStatus>();
  let nowMs = 0;
  let renewals = 0;
  const parts: SuperviseParts = {
    relaunches,
    run: async () => {
      const next = left.shift();
      if (next === 'runs') return killed.promise;
      if (next instanceof SandboxError) throw next;
      if (!next) throw new Error('It was started once too often');
      nowMs += next.ranMs;
      return next.status;
    },
    kill: async (signal) => {
      sent.push(signal);
      if (signal === 'SIGKILL') killed.resolve(end('signalled', 137).status);
    },
    renewMachine: async () => {
      const refusal = refusals[renewals++];
      if (refusal) throw refusal;
    },
    onRestart: (why) => void told.push(why),
    wait: async (ms, signal) => {
      pauses.push(ms);
      paused.resolve();
      if (ms === limits.superviseGraceMs) return passed.promise;
      if (holdsPauses)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    now: () => nowMs,
  };
  return {
    program: new SupervisedProgram(parts),
    pauses,
    told,
    sent,
    paused: paused.promise,
    pass: passed.resolve,
    renewals: () => renewals,
  };
}
