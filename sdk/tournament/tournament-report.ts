import type { Change, SnapshotInfo } from '../../protocol/sandbox/history.ts';

type SnapshotId = SnapshotInfo['id'];

/**
 * Where a candidate is. `passed`: its test passed, and another won; `cancelled`: ended, or not begun, because another had won or
 * the tournament was given up.
 */
export type CandidateState =
  | 'waiting'
  | 'forking'
  | 'running'
  | 'testing'
  | 'won'
  | 'passed'
  | 'failed'
  | 'cancelled';

/** How one of a candidate's two commands ended. Its output comes from the sandbox (H-9). */
export interface CandidateRun {
  /** Absent where it was ended before it ended by itself. */
  readonly exitCode?: number;
  readonly durationMs: number;
  /** Both streams as they came, with the middle left out past `limits.tournamentOutputCharacters`. */
  readonly output: string;
}

/** A candidate, and what has come of it by now. */
export interface CandidateReport {
  readonly name: string;
  readonly command: string;
  /** Of its place; absent beside the sandbox. */
  readonly place?: string;
  readonly state: CandidateState;
  /** When its command started, ms since 1970. */
  readonly startedAtMs?: number;
  /** Of its command and its test together. */
  readonly durationMs?: number;
  readonly run?: CandidateRun;
  readonly test?: CandidateRun;
  /** What the judge has read in the test's output. */
  readonly score?: number;
  /** Why it is in its state, once that is its last: `the test exited with 1`. */
  readonly why?: string;
  /** What its command has changed since the base; at most `limits.tournamentChanges`, of `changed`. */
  readonly changes?: readonly Change[];
  readonly changed?: number;
}

/** How a tournament went, as data. */
export interface TournamentReport {
  readonly base: SnapshotId;
  readonly test: string;
  readonly judge: string;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly candidates: readonly CandidateReport[];
  /** The index of the winner in `candidates`; absent where nobody has won. */
  readonly winner?: number;
  /** The winner's files in the history of the sandbox: what its command has made, without what its test has. Absent where `keep` is `none`. */
  readonly snapshot?: SnapshotId;
  /** The way back, where the winner became HEAD. */
  readonly previousHead?: SnapshotId;
  /** Sandboxes of candidates that could not be deleted, by their ids; by its name one that did not say its id. */
  readonly leftOver: readonly string[];
}

/** A report that can be printed. */
export interface Tournament extends TournamentReport {
  /** For people: a table, then each candidate's output and changes. */
  toMarkdown(): string;
}
