import type {
  Checkpoint,
  CheckpointCause,
  CheckpointList,
  CheckpointOptions,
} from '../../protocol/checkpoint.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveMachine, MachineCheckpoint, SandboxMachine } from '../machine/sandbox-machine.ts';
import type { CheckpointToStore } from '../memory/checkpoint-to-store.ts';
import { noSuchCheckpoint, type StoredCheckpoints } from './stored-checkpoints.ts';
import { shownAt } from './terminal-output.ts';
import { type OpenTerminal, type TerminalMark, Terminals } from './terminals.ts';
import { leastMissed } from './thin-out.ts';

export interface CheckpointHistoryParts {
  readonly machine: Pick<SandboxMachine, 'live'>;
  readonly head: () => SnapshotId | undefined;
  /** Whether a command runs, which may compute without a word. */
  readonly isRunning: () => boolean;
  /** Those that are in the store. */
  readonly stored: StoredCheckpoints;
  /** Told that something happened in the machine, or that a command has ended in it. */
  readonly onActivity: (type: 'any' | 'command') => void;
  /** Told that checkpoints have come or gone, not too often. */
  readonly onChange: () => void;
}

interface KeptCheckpoint extends Checkpoint {
  readonly machine: MachineCheckpoint;
  readonly terminals: readonly TerminalMark[];
  /** The snapshot that was captured next: what had changed is in it. */
  within: SnapshotId | undefined;
}

/** Taken away at once where the memory is full: a tenth, so that it is not looked for each time. */
const dropShare = 10;

/**
 * The checkpoints of a sandbox's machine that can be restored: one for each command that ends and, while something
 * runs, some in each second, as far as there is room for them. They go with the machine.
 */
export class CheckpointHistory implements Disposable {
  readonly terminals: Terminals = new Terminals();
  readonly #parts: CheckpointHistoryParts;
  #checkpoints: KeptCheckpoint[] = [];
  /** Of commands and others that are to be stored, the youngest. */
  #waiting: KeptCheckpoint[] = [];
  /** What is being stored is kept meanwhile. */
  #storing: readonly KeptCheckpoint[] = [];
  #storedAtMs = 0;
  #lastId: number;
  #perSecond: number = limits.checkpointsPerSecond.usual;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether anything happened since the last checkpoint. */
  #isActive = false;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: CheckpointHistoryParts) {
    this.#parts = parts;
    this.#lastId = parts.stored.lastId;
  }

  /** @throws unsupported where the machine cannot be put back */
  list(): CheckpointList {
    const live = this.#live();
    this.#dropLost(live);
    return {
      checkpoints: this.#all(),
      usedBytes: live.usedBytes,
      budgetBytes: limits.checkpointsBytes,
      tracking: live.tracking,
      perSecond: this.#perSecond,
    };
  }

  /** @throws unsupported, invalid-argument */
  configure({ perSecond }: CheckpointOptions): void {
    this.#live();
    const { max } = limits.checkpointsPerSecond;
    if (!(perSecond >= 0 && perSecond <= max)) {
      throw new SandboxError(
        'invalid-argument',
        `Cannot take ${perSecond} checkpoints a second: 0 to ${max} can be`,
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

  /** Something happened in the machine: a checkpoint will be taken, when it is time. */
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
  take(cause: CheckpointCause): Checkpoint | undefined {
    const { live } = this.#parts.machine;
    const head = this.#parts.head();
    if (!live || head === undefined) return undefined;
    this.#dropLost(live);
    const machine = this.#takeFrom(live);
    if (!machine) return undefined;
    const checkpoint: KeptCheckpoint = {
      id: ++this.#lastId,
      takenAtMs: Date.now(),
      cause,
      head,
      machine,
      terminals: this.terminals.mark(),
      within: undefined,
    };
    this.#checkpoints.push(checkpoint);
    if (cause.type !== 'interval')
      this.#waiting = [...this.#waiting, checkpoint].slice(-limits.storedCheckpointsAtOnce);
    this.#makeRoom(live);
    this.#tell();
    return checkpoint;
  }

  /** Nothing of a machine that is found to be damaged then: it has told why. */
  #takeFrom(live: LiveMachine): MachineCheckpoint | undefined {
    try {
      return live.take();
    } catch (cause) {
      if (this.#parts.machine.live) throw cause;
      return undefined;
    }
  }

  /** @throws unsupported, not-found */
  get(id: number): KeptCheckpoint {
    const checkpoint = this.#find(id);
    if (checkpoint) return checkpoint;
    throw noSuchCheckpoint(id);
  }

  /** Whether a checkpoint is in the store only: its machine is no more, or memory has no room for it. @throws unsupported */
  isStoredOnly(id: number): boolean {
    return !this.#find(id) && this.#parts.stored.has(id);
  }

  /**
   * Has checkpoints stored: those of commands, and those that were left, since the last time, of many the youngest; where
   * there are none, from time to time the youngest of all. They are kept until that is done.
   */
  async store<Result>(work: (checkpoints: readonly CheckpointToStore[]) => Promise<Result>): Promise<Result> {
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
   * process: where `pid` was not there, it is the terminal that was opened first. While none had shown anything yet,
   * what was shown last before is what a page still had. @throws unsupported, not-found
   */
  screenAt(id: number, pid: number): Uint8Array {
    const shown = this.#shownIn(id, pid);
    if (shown.length > 0) return shown;
    const before = this.#all().filter((one) => one.id < id);
    for (const { id: earlier } of before.reverse()) {
      const last = this.#shownIn(earlier, pid);
      if (last.length > 0) return last;
    }
    return shown;
  }

  /** Empty if no terminal had shown anything. @throws unsupported, not-found */
  #shownIn(id: number, pid: number): Uint8Array {
    if (this.isStoredOnly(id)) return this.#parts.stored.screenAt(id, pid);
    const { terminals } = this.get(id);
    const terminal = terminals.find((one) => one.pid === pid) ?? terminals.find((one) => one.pid !== 0);
    return shownAt(terminal?.shown, limits.terminalPreviewBytes);
  }

  /** Puts the machine at a checkpoint, and the terminals with it. @throws unsupported, not-found, machine-failed */
  async restore(checkpoint: KeptCheckpoint): Promise<void> {
    const { terminals, machine } = checkpoint;
    await this.#live().restore(machine, {
      onRestored: () => this.terminals.restore(terminals),
      shown: (pid) => {
        const mark = terminals.find((one) => one.pid === pid);
        return mark && shownAt(mark.shown);
      },
    });
    this.#tell();
  }

  /** Another machine may run now: what is in memory of the one before is no more, which is told. */
  noteReplaced(): void {
    const { live } = this.#parts.machine;
    if (live) this.#dropLost(live);
  }

  /** A snapshot has what changed until now. */
  noteSnapshot(id: SnapshotId): void {
    for (const checkpoint of this.#checkpoints) checkpoint.within ??= id;
  }

  /** Forgets checkpoints whose files may be no more, once what neither these snapshots nor open files need is freed. */
  async keepWithin(isKept: (id: SnapshotId) => boolean): Promise<void> {
    const isSafe = ({ head, within }: KeptCheckpoint) =>
      isKept(head) && (within === undefined || isKept(within));
    this.#keep(this.#checkpoints.filter(isSafe));
    await this.#parts.stored.keepWithin(isKept);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#telling);
    this.#checkpoints = [];
  }

  #live(): LiveMachine {
    const { live } = this.#parts.machine;
    if (live) return live;
    const message = 'Cannot go back to a checkpoint: this runtime does not keep any, or no machine runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'live snapshots' } });
  }

  #find(id: number): KeptCheckpoint | undefined {
    this.#dropLost(this.#live());
    return this.#checkpoints.find((one) => one.id === id);
  }

  /** Those in memory and those in the store, each once. */
  #all(): Checkpoint[] {
    const all = new Map<number, Checkpoint>();
    for (const checkpoint of [...this.#parts.stored.list(), ...this.#checkpoints])
      all.set(checkpoint.id, checkpoint);
    const checkpoints = [...all.values()].sort((a, b) => a.id - b.id);
    return checkpoints.map(({ id, takenAtMs, cause, head }) => ({ id, takenAtMs, cause, head }));
  }

  #toStore(): readonly KeptCheckpoint[] {
    const waiting = this.#waiting.filter((checkpoint) => this.#checkpoints.includes(checkpoint));
    if (waiting.length > 0 || Date.now() - this.#storedAtMs < limits.storedCheckpointEveryMs) return waiting;
    const youngest = this.#checkpoints.at(-1);
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
    if (this.#checkpoints.every(({ machine }) => live.has(machine))) return;
    this.#checkpoints = this.#checkpoints.filter(({ machine }) => live.has(machine));
    this.#tell();
  }

  #makeRoom(live: LiveMachine): void {
    while (this.#checkpoints.length > 0) {
      const isFull = live.usedBytes > limits.checkpointsBytes;
      if (!isFull && this.#checkpoints.length <= limits.checkpoints) return;
      const before = live.usedBytes;
      const count = Math.max(1, Math.ceil(this.#checkpoints.length / dropShare));
      const gone = leastMissed(this.#checkpoints, { count, nowMs: Date.now() });
      this.#keep(this.#checkpoints.filter(({ id }) => !gone.has(id)));
      // What is left is what the machine itself is compared with.
      if (this.#checkpoints.length === 0 && live.usedBytes >= before) return;
    }
  }

  #keep(checkpoints: KeptCheckpoint[]): void {
    if (checkpoints.length === this.#checkpoints.length) return;
    this.#checkpoints = checkpoints;
    const kept = new Set([...checkpoints, ...this.#storing]);
    this.#parts.machine.live?.keepOnly([...kept].map(({ machine }) => machine));
    this.#tell();
  }

  #tell(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#parts.onChange();
    }, limits.checkpointsToldEveryMs);
  }
}

function toStore({ id, takenAtMs, cause, head, machine, terminals }: KeptCheckpoint): CheckpointToStore {
  const shown = terminals.filter(({ pid }) => pid !== 0);
  return {
    ...{ id, takenAtMs, cause, head, machine },
    terminals: shown.map(({ pid, command, shown: mark }) => ({ pid, command, shown: shownAt(mark) })),
  };
}
