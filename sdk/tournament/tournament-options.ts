import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend, StartOptions } from '../../protocol/sandbox/backend.ts';
import type { RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';
import { type Judge, type JudgeText, parseJudge } from './judge.ts';
import type { CandidateReport } from './tournament-report.ts';

/** Where a candidate runs other than beside the sandbox. */
export interface TournamentPlace {
  /** What reports call it. */
  readonly name: string;
  /** Stays its owner's. It needs the image of the sandbox. */
  readonly backend: SandboxBackend;
  /** By default the first that begins as the sandbox does, with an image or without one. */
  readonly runtime?: RuntimeName;
}

/** One way to do what is asked for. */
export interface Candidate {
  /** For bash, in the directory in which commands of the sandbox begin. */
  readonly command: string;
  /** What reports call it; its command by default. */
  readonly name?: string;
  /** Beside the sandbox by default. */
  readonly place?: TournamentPlace;
}

export type TournamentKeep = 'head' | 'snapshot' | 'none' | { readonly tag: string };

export interface TournamentOptions extends StartOptions {
  /** At most `limits.tournamentCandidates`; each runs in a fork of its own. */
  readonly candidates: readonly (string | Candidate)[];
  /** For bash, after a candidate's command and in the same fork: exit code 0 passes. A candidate whose command fails is not tested. */
  readonly test: string;
  /** The snapshot that all begin with: an id, the start of one, a tag or `HEAD`; the files as they are now by default. */
  readonly base?: string;
  /** With what runs now, in each fork: for machines whose memory can be stored, and not with `base`. */
  readonly memory?: boolean;
  /** Candidates at a time; the number of processors here by default. */
  readonly jobs?: number;
  /** For a candidate's command and its test together; `limits.tournamentCandidateMs.usual` by default. */
  readonly timeoutMs?: number;
  /** `first` by default. Ties go to who took less time. */
  readonly judge?: JudgeText;
  /** What becomes of the winner's files: HEAD of the sandbox (the default), a snapshot beside HEAD, one with a tag, or nothing. */
  readonly keep?: TournamentKeep;
  /** Told of all candidates, in their order, whenever something of one has changed. */
  readonly onUpdate?: (candidates: readonly CandidateReport[]) => void;
}

/** Options that were checked, with what is left out filled in. */
export interface TournamentPlan {
  readonly candidates: readonly (Candidate & { readonly name: string })[];
  readonly test: string;
  readonly jobs: number;
  readonly timeoutMs: number;
  readonly judge: Judge;
  readonly keep: TournamentKeep;
}

const cannotRun = 'Cannot run the tournament';

/** @throws invalid-argument, limit-exceeded */
export function planTournament(options: TournamentOptions): TournamentPlan {
  const { test, keep = 'head', judge = 'first', timeoutMs = limits.tournamentCandidateMs.usual } = options;
  const { jobs = Math.min(navigator.hardwareConcurrency, limits.tournamentJobs) } = options;
  if (options.memory && options.base !== undefined) {
    throw new SandboxError('invalid-argument', `${cannotRun}: \`memory\` is of now, and \`base\` is not`);
  }
  assertWithin(jobs, 'jobs', limits.tournamentJobs);
  assertWithin(timeoutMs, 'timeoutMs', limits.tournamentCandidateMs.max);
  assertCommand(test, 'test');
  const candidates = options.candidates.map((given) => {
    const candidate = typeof given === 'string' ? { command: given } : given;
    assertCommand(candidate.command, 'candidate');
    return { ...candidate, name: candidate.name ?? candidate.command };
  });
  const most = limits.tournamentCandidates;
  if (candidates.length === 0) {
    throw new SandboxError('invalid-argument', `${cannotRun} without candidates: give one command or more`);
  }
  if (candidates.length > most) {
    const message = `${cannotRun} of ${candidates.length} candidates: ${most} is the most`;
    throw new SandboxError('limit-exceeded', message, { details: { limit: 'candidates', max: most } });
  }
  return { candidates, test, jobs, timeoutMs, judge: parseJudge(judge), keep };
}

function assertWithin(value: number, name: string, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  const message = `${cannotRun}: ${name} is ${value}, which is no whole number from 1 to ${max}`;
  throw new SandboxError('invalid-argument', message, { details: { [name]: value, max } });
}

function assertCommand(command: string, what: string): void {
  if (command.trim() === '') throw new SandboxError('invalid-argument', `${cannotRun} with an empty ${what}`);
  const bytes = new TextEncoder().encode(command).length;
  if (bytes <= limits.tournamentCommandBytes) return;
  const most = limits.tournamentCommandBytes;
  throw new SandboxError(
    'limit-exceeded',
    `${cannotRun}: a ${what} has ${bytes} bytes, and ${most} is the most`,
  );
}
