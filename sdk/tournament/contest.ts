import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { runCandidate } from './run-candidate.ts';
import type { TournamentFork, TournamentForks } from './tournament-forks.ts';
import type { TournamentOptions, TournamentPlan } from './tournament-options.ts';
import type { CandidateReport } from './tournament-report.ts';

type SnapshotId = SnapshotInfo['id'];

/** Who is ahead. Its fork is kept until somebody is better. */
interface Leader {
  readonly index: number;
  readonly fork: TournamentFork;
  readonly snapshot: SnapshotId;
  readonly score: number | undefined;
}

interface ContestParts {
  readonly plan: TournamentPlan;
  readonly forks: TournamentForks;
  readonly base: SnapshotId;
  /** Of the sandboxes of candidates. */
  readonly name: string;
  readonly onUpdate: TournamentOptions['onUpdate'];
}

/** Runs the candidates of a tournament, a few at a time, and knows who is ahead. Disposing of it deletes the last fork. */
export class Contest implements AsyncDisposable {
  readonly #parts: ContestParts;
  /** Aborted when somebody has won, or the tournament is given up. */
  readonly #stop = new AbortController();
  #candidates: readonly CandidateReport[];
  #leader: Leader | undefined;
  #next = 0;
  /** What its listener has thrown. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(parts: ContestParts) {
    this.#parts = parts;
    this.#candidates = parts.plan.candidates.map(({ name, command, place }) => ({
      ...{ name, command, state: 'waiting' },
      ...(place ? { place: place.name } : {}),
    }));
  }

  get candidates(): readonly CandidateReport[] {
    return this.#candidates;
  }

  /** Once `run` has resolved. */
  get winner(): Leader | undefined {
    return this.#leader;
  }

  /** Ends all that run. */
  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  /**
   * Resolves when every candidate has ended, and the forks of all but the winner are deleted. Rejects then with what the
   * listener has thrown, which ends all that run.
   */
  async run(): Promise<void> {
    const { jobs, candidates } = this.#parts.plan;
    const lane = async (): Promise<void> => {
      while (this.#next < candidates.length) await this.#runOne(this.#next++);
    };
    await Promise.all(Array.from({ length: Math.min(jobs, candidates.length) }, lane));
    if (this.#leader) this.#update(this.#leader.index, { state: 'won', why: this.#whyItWon() });
    if (this.#failure) throw this.#failure.cause;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leader?.fork.drop();
  }

  async #runOne(index: number): Promise<void> {
    const candidate = this.#parts.plan.candidates[index];
    if (!candidate) return;
    const { signal } = this.#stop;
    if (signal.aborted) return this.#update(index, { state: 'cancelled', why: this.#whyCancelled() });
    const { forks, base, plan, name } = this.#parts;
    let fork: TournamentFork | undefined;
    let isKept = false;
    try {
      this.#update(index, { state: 'forking' });
      const { timeoutMs } = plan;
      fork = await forks.open(candidate.place, { name: `${name} ${index + 1}`, timeoutMs, signal });
      const onUpdate = (update: Partial<CandidateReport>) => this.#update(index, update);
      const end = await runCandidate(fork, { command: candidate.command, base, plan, signal, onUpdate });
      if (end.type === 'failed') this.#update(index, { state: 'failed', why: end.why });
      else isKept = await this.#compare({ index, fork, snapshot: end.snapshot, score: end.score });
    } catch (error) {
      if (signal.aborted) this.#update(index, { state: 'cancelled', why: this.#whyCancelled() });
      else this.#update(index, { state: 'failed', why: SandboxError.from(error).message });
    } finally {
      if (!isKept) await fork?.drop();
    }
  }

  /** Whether it is ahead now. Whoever was is not any more, and is deleted. */
  async #compare(one: Leader): Promise<boolean> {
    const before = this.#leader;
    if (before && !this.#isAhead(one, before)) {
      this.#update(one.index, { state: 'passed', why: this.#whyBeaten(before) });
      return false;
    }
    this.#leader = one;
    if (this.#parts.plan.judge.score === undefined) this.#stop.abort();
    this.#update(one.index, { state: 'passed' });
    if (before) {
      this.#update(before.index, { state: 'passed', why: this.#whyBeaten(one) });
      await before.fork.drop();
    }
    return true;
  }

  #isAhead(one: Leader, other: Leader): boolean {
    if (one.score === undefined || other.score === undefined) return false;
    if (one.score !== other.score) return this.#parts.plan.judge.isBetter(one.score, other.score);
    return this.#durationOf(one) < this.#durationOf(other);
  }

  #durationOf({ index }: Leader): number {
    return this.#candidates[index]?.durationMs ?? Number.POSITIVE_INFINITY;
  }

  #whyItWon(): string {
    const score = this.#leader?.score;
    return score === undefined ? 'its test passed first' : `its score is the best: ${score}`;
  }

  #whyBeaten({ index, score }: Leader): string {
    const who = `candidate ${index + 1}`;
    return score === undefined ? `${who} passed first` : `${who} was better: ${score}`;
  }

  #whyCancelled(): string {
    return this.#leader ? this.#whyBeaten(this.#leader) : 'the tournament was given up';
  }

  #update(index: number, update: Partial<CandidateReport>): void {
    this.#candidates = this.#candidates.map((each, at) => (at === index ? { ...each, ...update } : each));
    if (this.#failure) return;
    try {
      this.#parts.onUpdate?.(this.#candidates);
    } catch (cause) {
      this.#failure = { cause };
      this.#stop.abort(cause);
    }
  }
}
