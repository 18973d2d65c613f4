import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Moment, MomentCause, RecordingOptions, RecordingView } from '../../protocol/recording.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveMachine, MachineMoment, SandboxMachine } from '../machine/sandbox-machine.ts';
import type { MomentToStore } from '../memory/moment-to-store.ts';
import { noSuchMoment, type StoredMoments } from './stored-moments.ts';
import { shownAt } from './terminal-output.ts';
import { type OpenTerminal, type TerminalMark, Terminals } from './terminals.ts';
import { leastMissed } from './thin-out.ts';

export interface RecordingParts {
  readonly machine: Pick<SandboxMachine, 'live'>;
  readonly head: () => SnapshotId | undefined;
  /** Whether a command runs, which may compute without a word. */
  readonly isRunning: () => boolean;
  /** Those that are in the store. */
  readonly stored: StoredMoments;
  /** Told that something happened in the machine, or that a command has ended in it. */
  readonly onActivity: (type: 'any' | 'command') => void;
  /** Told that the moments are others, not too often. */
  readonly onChange: () => void;
}

interface Recorded extends Moment {
  readonly machine: MachineMoment;
  readonly terminals: readonly TerminalMark[];
  /** The snapshot that was captured next: what had changed is in it. */
  within: SnapshotId | undefined;
}

/** Taken away at once where the memory is full: a tenth, so that it is not looked for each time. */
const dropShare = 10;

/**
 * The moments of a sandbox's machine that can be gone to: one for each command that ends and, while something
 * runs, some in each second, as far as there is room for them. They go with the machine.
 */
export class Recording implements Disposable {
  readonly terminals: Terminals = new Terminals();
  readonly #parts: RecordingParts;
  #moments: Recorded[] = [];
  /** Of commands and others that are to be stored, the youngest. */
  #waiting: Recorded[] = [];
  /** What is being stored is kept meanwhile. */
  #storing: readonly Recorded[] = [];
  #storedAtMs = 0;
  #lastId: number;
  #perSecond: number = limits.recordingPerSecond.usual;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether anything happened since the last moment. */
  #isActive = false;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
    this.#lastId = parts.stored.lastId;
  }

  /** @throws unsupported where the machine cannot be put back */
  view(): RecordingView {
    const live = this.#live();
    this.#dropLost(live);
    return {
      moments: this.#list(),
      usedBytes: live.usedBytes,
      budgetBytes: limits.recordingBytes,
      tracking: live.tracking,
      perSecond: this.#perSecond,
    };
  }

  /** @throws unsupported, invalid-argument */
  set({ perSecond }: RecordingOptions): void {
    this.#live();
    const { max } = limits.recordingPerSecond;
    if (!(perSecond >= 0 && perSecond <= max)) {
      throw new SandboxError(
        'invalid-argument',
        `Cannot take ${perSecond} moments a second: 0 to ${max} can be`,
      );
    }
    this.#perSecond = perSecond;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isActive) this.#schedule();
  }

  /** A terminal has shown something. Of machines that never are gone back to, nobody will ask what. */
  noteOutput({ output }: OpenTerminal, bytes: Uint8Array): void {
    // Also of one that is just being put back, and so is not `live` yet.
    if (!('live' in this.#parts.machine)) return;
    output.append(bytes);
    this.noteActivity();
  }

  /** Something happened in the machine: a moment will be taken, when it is time. */
  noteActivity(): void {
    if (!this.#parts.machine.live) return;
    this.#parts.onActivity('any');
    this.#isActive = true;
    this.#schedule();
  }

  commandEnded(command: string): void {
    this.#parts.onActivity('command');
    this.#isActive = false;
    this.take({ type: 'command', command });
  }

  /** Takes one now; none where no machine runs that can be put back. */
  take(cause: MomentCause): Moment | undefined {
    const { live } = this.#parts.machine;
    const head = this.#parts.head();
    if (!live || head === undefined) return undefined;
    this.#dropLost(live);
    const machine = this.#takeFrom(live);
    if (!machine) return undefined;
    const moment: Recorded = {
      id: ++this.#lastId,
      takenAtMs: Date.now(),
      cause,
      head,
      machine,
      terminals: this.terminals.mark(),
      within: undefined,
    };
    this.#moments.push(moment);
    if (cause.type !== 'interval')
      this.#waiting = [...this.#waiting, moment].slice(-limits.storedMomentsAtOnce);
    this.#makeRoom(live);
    this.#tell();
    return moment;
  }

  /** Nothing of a machine that is found to be damaged then: it has told why. */
  #takeFrom(live: LiveMachine): MachineMoment | undefined {
    try {
      return live.take();
    } catch (cause) {
      if (this.#parts.machine.live) throw cause;
      return undefined;
    }
  }

  /** @throws unsupported, not-found */
  get(id: number): Recorded {
    const moment = this.#find(id);
    if (moment) return moment;
    throw noSuchMoment(id);
  }

  /** Whether a moment is in the store only: its machine is no more, or memory has no room for it. @throws unsupported */
  isStoredOnly(id: number): boolean {
    return !this.#find(id) && this.#parts.stored.has(id);
  }

  /**
   * Has moments stored: those of commands, and those that were left, since the last time, of many the youngest; where
   * there are none, from time to time the youngest of all. They are kept until that is done.
   */
  async store<Result>(work: (moments: readonly MomentToStore[]) => Promise<Result>): Promise<Result> {
    const { live } = this.#parts.machine;
    if (live) this.#dropLost(live);
    this.#storing = this.#toStore();
    this.#waiting = [];
    try {
      return await work(this.#storing.map(toStore));
    } finally {
      if (this.#storing.length > 0) this.#storedAtMs = Date.now();
      this.#storing = [];
      this.#tell();
    }
  }

  /**
   * What the terminal of process `pid` showed, for a look at it. After a checkout every terminal is that of another
   * process: where `pid` was not there, it is the terminal that was opened first. @throws unsupported, not-found
   */
  screenAt(id: number, pid: number): Uint8Array {
    if (this.isStoredOnly(id)) return this.#parts.stored.screenAt(id, pid);
    const { terminals } = this.get(id);
    const terminal = terminals.find((one) => one.pid === pid) ?? terminals.find((one) => one.pid !== 0);
    return shownAt(terminal?.shown, limits.terminalPreviewBytes);
  }

  /** Puts the machine at a moment, and the terminals with it. @throws unsupported, not-found, machine-failed */
  async goTo(moment: Recorded): Promise<void> {
    const { terminals, machine } = moment;
    await this.#live().goTo(machine, {
      wentBack: () => this.terminals.goTo(terminals),
      shown: (pid) => {
        const mark = terminals.find((one) => one.pid === pid);
        return mark && shownAt(mark.shown);
      },
    });
    this.#tell();
  }

  /** A snapshot has what changed until now. */
  noteSnapshot(id: SnapshotId): void {
    for (const moment of this.#moments) moment.within ??= id;
  }

  /** Forgets moments whose files may be no more, once what neither these snapshots nor open files need is freed. */
  async keepWithin(isKept: (id: SnapshotId) => boolean): Promise<void> {
    const isSafe = ({ head, within }: Recorded) => isKept(head) && (within === undefined || isKept(within));
    this.#keep(this.#moments.filter(isSafe));
    await this.#parts.stored.keepWithin(isKept);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#telling);
    this.#moments = [];
  }

  #live(): LiveMachine {
    const { live } = this.#parts.machine;
    if (live) return live;
    const message = 'Cannot go back to a moment: this runtime does not keep any, or no machine runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'live snapshots' } });
  }

  #find(id: number): Recorded | undefined {
    this.#dropLost(this.#live());
    return this.#moments.find((one) => one.id === id);
  }

  /** Those in memory and those in the store, each once. */
  #list(): Moment[] {
    const all = new Map<number, Moment>();
    for (const moment of [...this.#parts.stored.list(), ...this.#moments]) all.set(moment.id, moment);
    const moments = [...all.values()].sort((a, b) => a.id - b.id);
    return moments.map(({ id, takenAtMs, cause, head }) => ({ id, takenAtMs, cause, head }));
  }

  #toStore(): readonly Recorded[] {
    const waiting = this.#waiting.filter((moment) => this.#moments.includes(moment));
    if (waiting.length > 0 || Date.now() - this.#storedAtMs < limits.storedMomentEveryMs) return waiting;
    const youngest = this.#moments.at(-1);
    return youngest && !this.#parts.stored.has(youngest.id) ? [youngest] : [];
  }

  #schedule(): void {
    if (this.#perSecond === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isActive && !this.#parts.isRunning()) return;
      this.#isActive = false;
      this.take({ type: 'interval' });
      this.#schedule();
    }, 1_000 / this.#perSecond);
  }

  #dropLost(live: LiveMachine): void {
    if (this.#moments.some(({ machine }) => !live.has(machine)))
      this.#moments = this.#moments.filter(({ machine }) => live.has(machine));
  }

  #makeRoom(live: LiveMachine): void {
    while (this.#moments.length > 0) {
      const isFull = live.usedBytes > limits.recordingBytes;
      if (!isFull && this.#moments.length <= limits.recordingMoments) return;
      const before = live.usedBytes;
      const count = Math.max(1, Math.ceil(this.#moments.length / dropShare));
      const gone = leastMissed(this.#moments, { count, nowMs: Date.now() });
      this.#keep(this.#moments.filter(({ id }) => !gone.has(id)));
      // What is left is what the machine itself is compared with.
      if (this.#moments.length === 0 && live.usedBytes >= before) return;
    }
  }

  #keep(moments: Recorded[]): void {
    if (moments.length === this.#moments.length) return;
    this.#moments = moments;
    const kept = new Set([...moments, ...this.#storing]);
    this.#parts.machine.live?.keepOnly([...kept].map(({ machine }) => machine));
    this.#tell();
  }

  #tell(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#parts.onChange();
    }, limits.recordingToldEveryMs);
  }
}

function toStore({ id, takenAtMs, cause, head, machine, terminals }: Recorded): MomentToStore {
  const shown = terminals.filter(({ pid }) => pid !== 0);
  return {
    ...{ id, takenAtMs, cause, head, machine },
    terminals: shown.map(({ pid, command, shown: mark }) => ({ pid, command, shown: shownAt(mark) })),
  };
}
