import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { Capturer } from '../capture/capturer.ts';
import type { CommandLog } from '../capture/command-log.ts';
import type { Seal } from '../capture/snapshotter.ts';
import type { EventLog } from '../event-log.ts';
import type { LocalSandboxParts, MachineSource, SandboxState } from '../local-sandbox-parts.ts';
import type { HandOverOptions, SandboxMachine } from '../machine/sandbox-machine.ts';
import type { HandedMachine } from '../memory/handed-machine.ts';
import type { RunningParts } from '../memory/machine-snapshotter.ts';
import type { SerialQueue } from '../serial-queue.ts';
import { CheckpointHistory } from './checkpoint-history.ts';
import { type MachineRoute, PreCopy } from './pre-copy.ts';
import { restoreCheckpoint } from './restore-checkpoint.ts';
import { restoreStoredCheckpoint } from './restore-stored-checkpoint.ts';
import { RunningImage } from './running-image.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

export interface KeptMachineParts
  extends SandboxState,
    Pick<LocalSandboxParts, 'info'>,
    Pick<MachineSource, 'keepsRunning'> {
  readonly machine: SandboxMachine;
  readonly capturer: Capturer;
  readonly commands: CommandLog;
  readonly events: EventLog;
  readonly serial: SerialQueue;
  /** Called when the files are those of a checkpoint after that snapshot, also where its machine could not go on. */
  readonly onRestored: (head: SnapshotId) => void;
  /** Told why the machine cannot go on from what is stored. */
  readonly onRefused: (error: SandboxError) => void;
}

/**
 * What is kept of a machine besides its files: checkpoints of it that can be restored, and what is stored of it as it runs,
 * so that the next start, a snapshot or another thread goes on from it. Where the machine is no value, nothing is.
 */
export class MachineState implements AsyncDisposable {
  readonly checkpoints: CheckpointHistory;
  readonly #parts: KeptMachineParts;
  readonly #stored: StoredCheckpoints;
  readonly #image: RunningImage | undefined;
  #leading: { readonly leading: PreCopy; readonly route: MachineRoute } | undefined;

  constructor(parts: KeptMachineParts) {
    this.#parts = parts;
    const { history, machine, commands, events, serial, capturer } = parts;
    const isRunning = () => commands.isRunning;
    this.#stored = new StoredCheckpoints(parts);
    this.checkpoints = new CheckpointHistory({
      machine,
      stored: this.#stored,
      head: () => history.head,
      isRunning,
      onActivity: (type) => (type === 'command' ? this.#image?.hurry() : this.#image?.noteActivity()),
      onChange: () => events.emit({ type: 'checkpoints' }),
    });
    if (!parts.keepsRunning || parts.readOnly) return;
    this.#image = new RunningImage({
      store: () => this.#store(),
      collect: () => serial.run(() => capturer.collect()),
      isRunning,
    });
  }

  /** To be told of each publication. */
  notePublished(id: SnapshotId): void {
    this.checkpoints.noteSnapshot(id);
    // Of the image as it is nothing has to be kept.
    if (this.#parts.history.get(id).cause.type !== 'image') this.#image?.hurry();
  }

  /** What seals the files with the machine's memory, for a snapshot of both. @throws unsupported */
  sealer(): Seal {
    const running = this.#running();
    return () => this.#parts.machineSnapshotter.seal(running);
  }

  /** What seals the files for a capture, and the machine beside them; nothing where that is not stored as it runs. */
  sealerBeside(): Seal | undefined {
    if (!this.#image || !this.#parts.machine.live?.seal) return undefined;
    const running = this.#running();
    return () => this.#parts.machineSnapshotter.sealBeside(running);
  }

  /** @throws unsupported */
  #running(): RunningParts {
    const { live } = this.#parts.machine;
    if (live?.seal) return { live, terminals: () => this.checkpoints.terminals.shown() };
    const message = 'Cannot store the memory of the machine: this runtime does not, or no machine runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'memory snapshots' } });
  }

  /** How the machine goes on from a snapshot; `undefined` where that is without memory, or with what is refused. */
  prepare(id: SnapshotId): (() => Promise<void>) | undefined {
    const { machine, machineSnapshotter, onRefused } = this.#parts;
    if (!machine.goOnFrom) return undefined;
    try {
      const prepared = machineSnapshotter.prepareSnapshot(id);
      return prepared && (async () => machine.goOnFrom?.(prepared.memory, prepared.restore));
    } catch (cause) {
      onRefused(SandboxError.from(cause));
      return undefined;
    }
  }

  /** Restores a checkpoint, in its turn. @throws as `restoreCheckpoint` and `restoreStoredCheckpoint` do */
  async restore(id: number): Promise<{ head: SnapshotId; previous: number | undefined }> {
    const { machine, events } = this.#parts;
    const parts = {
      ...this.#parts,
      checkpoints: this.checkpoints,
      sync: () => machine.sync({ timeoutMs: limits.remountTimeoutMs, isPublished: true }),
      onHead: (head: SnapshotId) => {
        this.#parts.onRestored(head);
        events.emit({ type: 'head', head });
      },
    };
    try {
      if (!this.checkpoints.isStoredOnly(id)) return await restoreCheckpoint(id, parts);
      const store = () => this.#storeCheckpoints();
      return await restoreStoredCheckpoint(id, { ...parts, stored: this.#stored, store });
    } finally {
      this.checkpoints.noteReplaced();
      this.#image?.hurry();
    }
  }

  /**
   * The machine and its files as they are, for another thread to go on from: for who was led until now, what differs
   * from the last that was sent. @throws unsupported, limit-exceeded
   */
  handOver(): { machine: HandedMachine; transfer: readonly ArrayBuffer[] } {
    using leading = this.#leading?.leading ?? this.#lead();
    this.#leading = undefined;
    const handed = leading.last();
    if (handed) return handed;
    const message = 'Cannot hand over the machine: no other could go on from it, or none runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'handing over' } });
  }

  /** Sends the machine ahead to who will get it handed over, now and when it was stored; to nobody, with nothing. */
  lead(route: MachineRoute | undefined): void {
    this.#leading?.leading[Symbol.dispose]();
    this.#leading = route && { leading: this.#lead(), route };
    this.#sendAhead();
  }

  /** Stores the machine a last time, as it is. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.lead(undefined);
    await this.#image?.flush();
    await this.#image?.[Symbol.asyncDispose]();
    this.checkpoints[Symbol.dispose]();
  }

  #lead(): PreCopy {
    const { machine, readOnly } = this.#parts;
    const handOver = (options: Pick<HandOverOptions, 'after' | 'aheadPages'>) =>
      readOnly
        ? undefined
        : machine.live?.handOver?.({ ...options, terminals: this.checkpoints.terminals.shown() });
    return new PreCopy({ ...this.#parts, handOver });
  }

  #sendAhead(): void {
    if (!this.#leading?.route.isFree) return; // What comes after brings it, too.
    const { leading, route } = this.#leading;
    try {
      const next = leading.ahead();
      if (next) route.send(next.machine, next.transfer);
    } catch (cause) {
      const { code, message } = SandboxError.from(cause);
      if (code !== 'limit-exceeded') console.info('Nothing was sent ahead of a fork:', message);
    }
  }

  async #store(): Promise<number> {
    const { machine, serial } = this.#parts;
    if (!machine.live?.seal) return 0;
    const bytes = await serial.run(() => this.#storeCheckpoints());
    this.#sendAhead();
    return bytes;
  }

  /** Stores the machine as it runs, and checkpoints of it. Answers how many bytes that took. */
  #storeCheckpoints(): Promise<number> {
    return this.checkpoints.store(async (checkpoints) => {
      const { bytes, noted } = await this.#parts.machineSnapshotter.store(this.#running(), checkpoints);
      await this.#stored.add(noted);
      return bytes;
    });
  }
}
