import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { runTournament } from '../../../sdk/tournament/run-tournament.ts';
import type { TournamentOptions } from '../../../sdk/tournament/tournament-options.ts';
import type { CandidateReport, Tournament } from '../../../sdk/tournament/tournament-report.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';

/** Machines in a tab at a time: each has 128 MiB of its own, and shares the processors with the page. */
const machinesAtOnce = 2;

/**
 * The tournament of a pane as the dialog shows it: its candidates while it runs, then how it went. Fires `change`, and `end` when it
 * has ended. The winner is a snapshot in the pane's history; who looks decides what it becomes.
 */
export class Race extends EventTarget {
  readonly #tab: Promise<SandboxBackend>;
  #pane: SandboxModel | undefined;
  #candidates: readonly CandidateReport[] = [];
  #tournament: Tournament | undefined;
  #error: ErrorData | undefined;
  #running: AbortController | undefined;

  constructor(tab: Promise<SandboxBackend>) {
    super();
    this.#tab = tab;
  }

  /** Whose it is. */
  get pane(): SandboxModel | undefined {
    return this.#pane;
  }

  get candidates(): readonly CandidateReport[] {
    return this.#candidates;
  }

  get tournament(): Tournament | undefined {
    return this.#tournament;
  }

  get error(): ErrorData | undefined {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** One line about its end. */
  get summary(): string {
    const { winner } = this.#tournament ?? {};
    if (this.#error) return `The race has ended: ${this.#error.message}`;
    return winner === undefined ? 'No candidate won the race.' : `Candidate ${winner + 1} won the race.`;
  }

  /** Takes `pane` for the next race, and forgets the last one if that was another's. One that runs goes on. */
  prepare(pane: SandboxModel): void {
    if (this.isRunning || this.#pane === pane) return;
    this.#pane = pane;
    this.reset();
  }

  /** Back to the form. */
  reset(): void {
    this.#candidates = [];
    this.#tournament = undefined;
    this.#error = undefined;
    this.#changed();
  }

  /** Resolves at its end; never rejects. */
  async run(options: Omit<TournamentOptions, 'signal' | 'onUpdate' | 'keep'>): Promise<void> {
    if (this.isRunning) return;
    const running = new AbortController();
    this.reset();
    this.#running = running;
    try {
      this.#tournament = await this.#run({ ...options, signal: running.signal });
      this.#candidates = this.#tournament.candidates;
    } catch (cause) {
      this.#error = SandboxError.from(cause).toData();
    }
    this.#running = undefined;
    this.#changed();
    this.dispatchEvent(new Event('end'));
  }

  /** Ends it: its candidates are deleted, and `run` resolves. */
  stop(): void {
    this.#running?.abort();
  }

  async #run(options: TournamentOptions): Promise<Tournament> {
    const { connection, state, host } = this.#pane ?? {};
    if (connection === undefined || state?.info === undefined) {
      throw new SandboxError('connection-lost', 'Cannot race candidates: the sandbox is not open');
    }
    const backend = await (host?.connect() ?? this.#tab);
    const { runsIn, image } = describeRuntime(state.info.runtime) ?? {};
    const jobs = runsIn === 'tab' && image ? machinesAtOnce : undefined;
    const home = { info: state.info, connection, backend };
    return runTournament(home, {
      ...options,
      ...(jobs === undefined ? {} : { jobs }),
      keep: 'snapshot',
      onUpdate: (candidates) => {
        this.#candidates = candidates;
        this.#changed();
      },
    });
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}
