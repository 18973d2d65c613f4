import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { Rests } from '../session-events/rests.ts';
import { inPieces, objectsEvents, snapshotEvents } from './objects-events.ts';
import type { SnapshotObjects } from './snapshot-objects.ts';

export interface RecordedSnapshotsParts {
  readonly objects: SnapshotObjects;
  /** Resolves when the file has room for more of them. */
  readonly room: () => Promise<void>;
  readonly add: (...events: readonly RecordingEvent[]) => void;
}

/** Snapshots on their way into a recording: one after the other, while the session goes on. */
export class RecordedSnapshots {
  readonly #parts: RecordedSnapshotsParts;
  /** By their id in the sandbox, their id in the file. */
  readonly #recorded = new Map<SnapshotId, SnapshotId>();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #leftOut = 0;
  #isHurried = false;
  #isGivenUp = false;

  constructor(parts: RecordedSnapshotsParts) {
    this.#parts = parts;
  }

  /** How many are in the file. */
  get count(): number {
    return this.#recorded.size;
  }

  /** A snapshot was taken. */
  take(id: SnapshotId): void {
    if (this.#waiting >= limits.recordingWaitingSnapshots) this.#leftOut++;
    else this.#serialize(() => this.#record(id));
  }

  /** HEAD is at a snapshot now. */
  moveHead(id: SnapshotId): void {
    this.#serialize(async () => {
      await this.#record(id);
      const recorded = this.#recorded.get(id);
      if (recorded !== undefined) this.#parts.add({ type: 'head', id: recorded });
    });
  }

  /** Resolves once all that were taken are in the file. */
  async settle(): Promise<void> {
    await this.#last;
    if (this.#leftOut > 0)
      this.#parts.add({ type: 'note', text: `${this.#leftOut} snapshots were left out` });
    this.#leftOut = 0;
  }

  /** Nothing of the session is held up any more. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Those that wait are left out, and so is the rest of one that is under way. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  #serialize(work: () => Promise<void>): void {
    this.#waiting++;
    this.#last = this.#last.then(async () => {
      try {
        if (!this.#isGivenUp) await work();
      } finally {
        this.#waiting--;
      }
    });
  }

  /** One that is gone meanwhile, or damaged, is left out, which the file says. */
  async #record(id: SnapshotId): Promise<void> {
    if (this.#recorded.has(id)) return;
    const { objects, add } = this.#parts;
    try {
      const opened = objects.open(id);
      const { snapshot } = opened;
      if (!(await this.#write(snapshot.id, opened.export))) return;
      opened.finish();
      this.#recorded.set(id, snapshot.id);
      add(...snapshotEvents(snapshot));
    } catch (cause) {
      const { message } = SandboxError.from(cause);
      add({ type: 'note', text: `Snapshot ${id.slice(0, 12)} is not in this recording: ${message}` });
    }
  }

  /** Whether all of it is in the file. */
  async #write(snapshot: SnapshotId, parts: AsyncIterable<Uint8Array>): Promise<boolean> {
    const { add, room } = this.#parts;
    const rests = new Rests();
    for await (const piece of inPieces(parts)) {
      if (!this.#isHurried) await rests.rest();
      await room();
      if (this.#isGivenUp) return false;
      rests.resume();
      add(...objectsEvents(snapshot, piece));
    }
    return true;
  }
}
