import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { History } from '../../tree/history/history.ts';
import type { Cause, Coverage, SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { unlinkedContent } from '../../tree/live/unlinked-content.ts';
import type { EventLog } from '../event-log.ts';
import type { CommandLog, CommandRun, EndedRuns } from './command-log.ts';
import type { PublishOptions, Seal, SnapshotExtras, Snapshotter } from './snapshotter.ts';

export interface CapturerParts {
  readonly tree: LiveTree;
  readonly history: History;
  readonly snapshotter: Snapshotter;
  readonly commands: CommandLog;
  readonly events: EventLog;
  /** What a snapshot that is taken now has beyond its files. */
  readonly extras?: (() => SnapshotExtras | undefined) | undefined;
  /** What a snapshot of the files holds, where that is not what every disk snapshot does. */
  readonly coverage?: (() => Coverage | undefined) | undefined;
  /** Told before each publication. */
  readonly onSealed: (tree: ObjectId) => void;
  /** Told after each publication. */
  readonly onPublished: (id: SnapshotId) => void;
  /** Told of each failure to save; where it is absent, nobody but the live tree has the files. */
  readonly onUnsaved?: ((why: SandboxError) => void) | undefined;
  /** Why files could not be saved when the sandbox last ran. */
  readonly unsaved?: SandboxError | undefined;
  /** What seals the files with the machine as it runs, where that is stored beside each capture. */
  readonly sealBeside?: (() => Seal | undefined) | undefined;
  /** Told when the history has deleted snapshots of its own accord. */
  readonly onForgotten: () => Promise<void>;
  /** Trees that are no garbage, though no snapshot has them yet. */
  readonly incoming?: (() => readonly ObjectId[]) | undefined;
  /** Told before garbage is collected, which waits for it. */
  readonly onCollected: () => Promise<void>;
}

/** Adds snapshots to the history, says so, and keeps the history from growing for ever. Calls must not overlap. */
export class Capturer {
  readonly #parts: CapturerParts;
  #sinceThinned: number;
  #forgottenSinceCollected = 0;
  #stopped: SandboxError | undefined;
  /** The code of the failure that was told last, until there is a success. */
  #told: SandboxError['code'] | undefined;

  constructor(parts: CapturerParts) {
    this.#parts = parts;
    this.#stopped = parts.unsaved;
    // Sessions that are all short must not add up to a history that is never thinned out.
    this.#sinceThinned = parts.history.size;
  }

  /** Why the last capture failed, when it did. */
  get stopped(): SandboxError | undefined {
    return this.#stopped;
  }

  /** Publishes the files as they are now, as `Snapshotter.publish` does; durable when it resolves. @throws storage-full */
  async publish(cause: Cause, options: PublishOptions = {}): Promise<SnapshotInfo> {
    const { history, snapshotter, tree, events, onSealed, onPublished } = this.#parts;
    const before = history.head;
    tree.rearm();
    const extras = this.#parts.extras?.();
    const coverage = this.#parts.coverage?.();
    const snapshot = await snapshotter.publish(cause, { ...options, extras, coverage, onSealed });
    onPublished(snapshot.id);
    if (snapshot.id !== before) {
      this.#sinceThinned++;
      events.emit({ type: 'snapshot', snapshot, head: snapshot.id });
    }
    if (this.#stopped) {
      this.#stopped = undefined;
      this.#told = undefined;
      tree.setFull(false);
      events.emit({ type: 'capture-resumed' });
    }
    return snapshot;
  }

  /**
   * Publishes what changed, caused by the commands since the last time: each by itself where the files are known that it
   * left. `unkept` is why that is not all of it; with `leavesPassing`, what comes and goes by itself may be left.
   * @throws storage-full
   */
  async capture({
    unkept,
    leavesPassing,
  }: {
    readonly unkept?: SandboxError | undefined;
    readonly leavesPassing?: boolean;
  } = {}): Promise<SnapshotInfo> {
    const { commands, snapshotter } = this.#parts;
    const taken = commands.take();
    const processes = commands.takeProcesses();
    let published = 0;
    try {
      for (const { runs, files } of taken.slice(0, -1)) {
        const seal = () => snapshotter.sealFiles(files);
        await this.publish(causeOf(runs), { seal, leavesPassing, ran: runs.map((run) => run.ran) });
        published++;
      }
      const { runs } = taken[taken.length - 1] as EndedRuns;
      const ran = runs.length > 0 ? runs.map((run) => run.ran) : processes;
      const how = { seal: this.#parts.sealBeside?.(), ran, leavesPassing, unkept: unkept?.message };
      return await this.publish(causeOf(runs), how);
    } catch (error) {
      commands.putBack(taken.slice(published), processes);
      throw error;
    }
  }

  /** The history's first snapshot, of the image as it is. Fails as `tryCapture` does. */
  tryBegin(image: string): Promise<void> {
    return this.#try(() => this.publish({ type: 'image', image }));
  }

  /** The first snapshot of a fork of what ran in `sandbox`. Fails as `tryCapture` does. */
  tryBeginFork(sandbox: string, sealer: () => Seal): Promise<void> {
    return this.#try(async () => this.publish({ type: 'fork', sandbox }, { seal: sealer() }));
  }

  /** `capture` that tells of a failure once, and of the first success after it. */
  tryCapture(options: { readonly leavesPassing?: boolean } = {}): Promise<void> {
    // What could not be saved before is saved with all there is.
    const leavesPassing = options.leavesPassing === true && this.#stopped === undefined;
    return this.#try(() => this.capture({ leavesPassing }));
  }

  /** Whether `sync` could make the tree what is to be captured; a disk may hold more than the sandbox may have. */
  async bringUpToDate(sync: () => Promise<unknown>): Promise<boolean> {
    try {
      await sync();
      return true;
    } catch (cause) {
      this.noteFailure(SandboxError.from(cause));
      return false;
    }
  }

  /** Nothing can be captured for now, which is told once. The next success takes it back. */
  noteFailure(error: SandboxError): void {
    const isNew = this.#told !== error.code;
    this.#stopped = error;
    this.#told = error.code;
    this.#parts.onUnsaved?.(error);
    if (isNew) this.#parts.events.emit({ type: 'capture-stopped', error: error.toData() });
  }

  /**
   * Every so many snapshots the old ones become sparse, and the space of many is freed. Both look at all
   * snapshots, so they come the less often the more there are. What keeps it from that, such as a disk without room
   * for the copy, is tried again the next time.
   */
  async thinOut(): Promise<void> {
    const { history, events, onForgotten } = this.#parts;
    const every = Math.max(limits.retentionEvery, history.size / limits.retentionEvery);
    if (this.#sinceThinned < every) return;
    this.#sinceThinned = 0;
    try {
      const forgotten = await history.retain();
      if (forgotten.length === 0) return;
      await onForgotten();
      events.emit({ type: 'history' });
      this.#forgottenSinceCollected += forgotten.length;
      const hasMany = this.#forgottenSinceCollected >= limits.collectAfterForgotten;
      if (hasMany && history.isCollectionDue) await this.collect();
    } catch (error) {
      console.info('The history was not thinned out:', error);
    }
  }

  /** Snapshots were forgotten. */
  noteForgotten(): Promise<void> {
    return this.#parts.onForgotten();
  }

  /** `collect`, where what it copies is paid for by what was stored since the last time (`History.isCollectionDue`). */
  async collectIfDue(): Promise<void> {
    if (this.#parts.history.isCollectionDue) await this.collect();
  }

  /** Frees what neither a snapshot nor an open file needs. Resolves to the bytes freed. */
  async collect(): Promise<number> {
    await this.#parts.onCollected();
    const { history, tree, snapshotter, incoming } = this.#parts;
    this.#forgottenSinceCollected = 0;
    this.#parts.commands.joinEnded();
    return history.collect([...unlinkedContent(tree), snapshotter.base.id, ...(incoming?.() ?? [])]);
  }

  async #try(publish: () => Promise<SnapshotInfo>): Promise<void> {
    try {
      await publish();
    } catch (cause) {
      const error = SandboxError.from(cause);
      // The guest is not to write what nobody will keep (H-4). A tree that only follows files elsewhere has to take
      // them, or nothing could be saved ever after.
      if (error.code === 'storage-full' && !this.#parts.onUnsaved) this.#parts.tree.setFull(true);
      this.noteFailure(error);
    }
  }
}

function causeOf(runs: readonly CommandRun[]): Cause {
  const commands = [...new Set(runs.map(({ command }) => command))];
  return { type: 'capture', commands, ...(runs.length === 0 ? {} : { runs: runs.map(({ id }) => id) }) };
}
