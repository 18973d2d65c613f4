import { limits } from '../../protocol/limits.ts';
import type { Change, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { CommandResult } from '../commands.ts';
import { KeptOutput } from './kept-output.ts';
import type { TournamentFork } from './tournament-forks.ts';
import type { TournamentPlan } from './tournament-options.ts';
import type { CandidateReport, CandidateRun } from './tournament-report.ts';

type SnapshotId = SnapshotInfo['id'];

/** What a candidate has come to. */
export type CandidateEnd =
  | {
      readonly type: 'passed';
      /** The files after its command, before its test. */
      readonly snapshot: SnapshotId;
      readonly score: number | undefined;
    }
  | { readonly type: 'failed'; readonly why: string };

interface CandidateOptions {
  readonly command: string;
  readonly base: SnapshotId;
  readonly plan: TournamentPlan;
  readonly signal: AbortSignal;
  readonly onUpdate: (update: Partial<CandidateReport>) => void;
}

/** Runs a candidate's command and the test in its fork. @throws aborted; whatever a sandbox fails with */
export async function runCandidate(fork: TournamentFork, options: CandidateOptions): Promise<CandidateEnd> {
  const { base, plan, signal, onUpdate } = options;
  const deadline = new Deadline(plan.timeoutMs);
  onUpdate({ state: 'running', startedAtMs: Date.now() });
  const command = await run(fork, options.command, { deadline, signal });
  onUpdate({ run: command.run, durationMs: deadline.spentMs });
  const snapshot = await snapshotOf(fork, options.command);
  onUpdate(await changesSince(fork, base, snapshot));
  if (!command.hasPassed) return failed('the command', command, plan);
  onUpdate({ state: 'testing' });
  const test = await run(fork, plan.test, { deadline, signal });
  onUpdate({ test: test.run, durationMs: deadline.spentMs });
  if (!test.hasPassed) return failed('the test', test, plan);
  if (!plan.judge.score) return { type: 'passed', snapshot, score: undefined };
  const score = plan.judge.score(test.stdout);
  if (score === undefined) {
    return { type: 'failed', why: `the test passed, and ${plan.judge.text} finds no number in its output` };
  }
  onUpdate({ score });
  return { type: 'passed', snapshot, score };
}

/** The time that is left to a candidate. */
class Deadline {
  readonly #startMs = performance.now();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get spentMs(): number {
    return Math.round(performance.now() - this.#startMs);
  }

  get leftMs(): number {
    return Math.max(1, this.#timeoutMs - this.spentMs);
  }
}

interface Ran {
  readonly run: CandidateRun;
  readonly hasPassed: boolean;
  readonly reason: CommandResult['reason'];
  readonly signal: string | undefined;
  readonly stdout: string;
}

async function run(
  { commands }: TournamentFork,
  command: string,
  { deadline, signal }: { readonly deadline: Deadline; readonly signal: AbortSignal },
): Promise<Ran> {
  const output = new KeptOutput();
  const keep = (text: string): void => output.push(text);
  const timeoutMs = deadline.leftMs;
  const result = await commands.run(command, { timeoutMs, signal, onStdout: keep, onStderr: keep });
  const { exitCode, durationMs, reason, stdout } = result;
  return {
    run: {
      ...(reason === 'exited' ? { exitCode } : {}),
      durationMs: Math.round(durationMs),
      output: output.text(),
    },
    hasPassed: reason === 'exited' && exitCode === 0,
    reason,
    signal: result.signal,
    stdout,
  };
}

/** HEAD of the fork where what its command has changed is there already. */
async function snapshotOf({ connection }: TournamentFork, command: string): Promise<SnapshotId> {
  const label = `tournament: ${command}`.slice(0, limits.sandboxNameCharacters);
  return (await connection.history.createSnapshot({ label, ifChanged: true })).id;
}

async function changesSince(
  { connection }: TournamentFork,
  base: SnapshotId,
  to: SnapshotId,
): Promise<{ readonly changes: readonly Change[]; readonly changed: number }> {
  const all = base === to ? [] : await connection.history.diff({ from: base, to });
  return { changes: all.slice(0, limits.tournamentChanges), changed: all.length };
}

function failed(what: string, { run, reason, signal }: Ran, { timeoutMs }: TournamentPlan): CandidateEnd {
  return {
    type: 'failed',
    why: `${what} ${howItEnded({ exitCode: run.exitCode, reason, signal }, timeoutMs)}`,
  };
}

function howItEnded(
  { exitCode, reason, signal }: Pick<Ran, 'reason' | 'signal'> & { readonly exitCode: number | undefined },
  timeoutMs: number,
): string {
  switch (reason) {
    case 'exited':
      return `exited with ${exitCode}`;
    case 'timeout':
      return `did not end within the ${timeoutMs / 1_000} s of a candidate`;
    case 'out-of-memory':
      return 'was killed: no memory was left';
    case 'disk-limit':
      return 'was killed: the disk was full';
    case 'signalled':
      return `was ended by ${signal ?? 'a signal'}`;
    default:
      return `was ended: ${reason}`;
  }
}
