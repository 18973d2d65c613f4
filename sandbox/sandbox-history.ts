import type { Checkpoint } from '../protocol/checkpoint.ts';
import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type {
  ApplyOptions,
  ApplyResult,
  Change,
  CheckoutOptions,
  CheckoutResult,
  HistoryFacet,
  HistoryView,
  KeepPolicy,
  MergeOptions,
  MergeResult,
  PruneOptions,
  PruneResult,
  SnapshotInfo,
  SnapshotOptions,
} from '../protocol/sandbox/history.ts';
import type { SnapshotRef, TreeRef } from '../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import { assertLabel } from './capture/assert-label.ts';
import type { CaptureTimer } from './capture/capture-timer.ts';
import type { Capturer } from './capture/capturer.ts';
import { changeSummary } from './capture/changed-files.ts';
import { ChangedSince, checkOut, pastDiskLimit } from './capture/check-out.ts';
import type { CommandLog } from './capture/command-log.ts';
import { prune } from './capture/prune.ts';
import type { MachineState } from './checkpoints/machine-state.ts';
import type { EventLog } from './event-log.ts';
import { assertWritable } from './files/assert-writable.ts';
import type { LocalSandboxParts } from './local-sandbox-parts.ts';
import type { SandboxMachine } from './machine/sandbox-machine.ts';
import type { AroundWork } from './sandbox-work.ts';
import type { SandboxShells } from './shells/sandbox-shells.ts';
import type { ArchivedFiles } from './transfer/tar-restore.ts';

export interface SandboxHistoryParts extends Pick<LocalSandboxParts, 'state' | 'backend'> {
  readonly machine: SandboxMachine;
  readonly captures: CaptureTimer;
  readonly capturer: Capturer;
  readonly kept: MachineState;
  readonly shells: SandboxShells;
  readonly commands: CommandLog;
  readonly events: EventLog;
  /** Runs work in its turn, while nothing else changes the history. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
  readonly around: AroundWork;
  /** Does what gives room back. */
  readonly freeing: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told of the tree with which the sandbox `fork` begins. */
  readonly onForked: (tree: ObjectId, fork: string) => void;
  /** Snapshots were forgotten. */
  readonly onForgotten: () => Promise<void>;
  /** Resolves once there is a first snapshot, or can be none. */
  readonly begun: () => Promise<void>;
  readonly assertOpen: () => void;
}

/** The history of a sandbox: its snapshots, and the ways to and from them. What must not overlap takes turns. */
export class SandboxHistory implements HistoryFacet {
  readonly #parts: SandboxHistoryParts;
  /** Where a reader who may not move HEAD has gone to. */
  #lookingAt: SnapshotId | undefined;

  constructor(parts: SandboxHistoryParts) {
    this.#parts = parts;
  }

  async get(): Promise<HistoryView> {
    await this.#parts.begun();
    this.#parts.assertOpen();
    const { history, tree, snapshotter } = this.#parts.state;
    const head = this.#head();
    const { keepPolicy } = history;
    return {
      snapshots: history.list(),
      head,
      pending: changeSummary(tree, snapshotter.lastSnapshot),
      ...(keepPolicy ? { retention: keepPolicy } : {}),
    };
  }

  async createSnapshot({ label = '', ifChanged, memory }: SnapshotOptions = {}): Promise<SnapshotInfo> {
    const { state, capturer, kept, around, serialize } = this.#parts;
    assertWritable(state, 'take a snapshot');
    assertLabel(label);
    return around('snapshot.create', async () => {
      const { machine } = this.#parts;
      const before = machine.stoppedMs ?? 0;
      await this.#syncSettled();
      const stopped = Math.round((machine.stoppedMs ?? 0) - before);
      const stoppedMs = stopped >= limits.toldStopMs ? stopped : undefined;
      return serialize(async () => {
        const seal = memory ? kept.sealer() : undefined;
        const snapshot = await capturer.publish({ type: 'manual', label }, { ifChanged, seal, stoppedMs });
        await capturer.thinOut();
        return snapshot;
      });
    });
  }

  async checkout(ask: CheckoutOptions & { readonly id: SnapshotId }): Promise<CheckoutResult> {
    const { around, serialize } = this.#parts;
    return around('snapshot.checkout', () => serialize(() => this.#goTo(ask)));
  }

  async merge({ id, label, ...options }: MergeOptions & { readonly id: SnapshotId }): Promise<MergeResult> {
    const { state, capturer, events, around, serialize } = this.#parts;
    assertWritable(state, 'merge a snapshot');
    if (label !== undefined) assertLabel(label);
    state.history.get(id);
    return around('snapshot.merge', async () => {
      await this.#syncSettled();
      return serialize(async () => {
        const { id: ours } = await capturer.capture();
        // Loaded for those who use it: a page starts without.
        const { mergeSnapshot } = await import('./merge/merge-snapshot.ts');
        const merged = await mergeSnapshot({ ...options, label, ours, theirs: id }, state);
        const { id: head, ...result } = merged;
        if (head === ours) return { ...result, head, previousHead: ours };
        events.emit({ type: 'history' });
        return { ...result, ...(await this.#goTo({ id: head })) };
      });
    });
  }

  async applyChanges({ label, ...options }: ApplyOptions): Promise<ApplyResult> {
    const { state, capturer, events, around, serialize } = this.#parts;
    assertWritable(state, 'change files');
    if (label !== undefined) assertLabel(label);
    return around('snapshot.apply', async () => {
      await this.#syncSettled();
      return serialize(async () => {
        const { applyChanges } = await import('./merge/apply-changes.ts');
        for (let tries = 1; ; tries++) {
          const { id: ours } = await capturer.capture();
          const { id, settled } = await applyChanges({ ...options, label, ours }, state);
          events.emit({ type: 'history' });
          try {
            return { settled, ...(await this.#goTo({ id }, ours)) };
          } catch (error) {
            // What was written since is to be kept as well.
            if (!(error instanceof ChangedSince) || tries === limits.applyTries) throw error;
          }
        }
      });
    });
  }

  /** Goes to the files of an archive, as a new snapshot. */
  goToFiles(files: ArchivedFiles, label = 'an archive'): Promise<CheckoutResult> {
    const { state, machine, capturer, events, around, serialize } = this.#parts;
    const goTo = async () => {
      const cause = { type: 'import', source: label } as const;
      // A guest that hangs has no more time than before a checkout.
      const syncing = machine.sync({ timeoutMs: limits.remountTimeoutMs, isPublished: true });
      const unkept = await syncing.then(
        () => undefined,
        (error) => pastDiskLimit(error, machine),
      );
      const parent = await capturer.capture({ unkept });
      const { id } = await state.snapshotter.publishBeside({ ...files, cause, parents: [parent.id] });
      events.emit({ type: 'history' });
      return this.#goTo({ id });
    };
    return around('snapshot.restore', () => serialize(goTo));
  }

  async fork({
    id,
    ...options
  }: {
    readonly id: SnapshotId;
    readonly name?: string | undefined;
  }): Promise<SandboxInfo> {
    const { backend, state, around, serialize, onForked } = this.#parts;
    const begin = async () => {
      const { tree } = state.history.get(id);
      const info = await backend.fork(id, { ...options, tree: state.snapshotter.kept(id) });
      onForked(tree, info.id);
      return info;
    };
    return around('sandbox.fork', () => serialize(begin));
  }

  async diff({
    from,
    to,
  }: {
    readonly from: TreeRef;
    readonly to: TreeRef | SnapshotRef;
  }): Promise<Change[]> {
    const { machine, state, backend, serialize } = this.#parts;
    if (from === 'now' || to === 'now') await machine.sync();
    const { snapshotter } = state;
    if (typeof to === 'string') return serialize(() => snapshotter.diff(from, to));
    await using other = await backend.openOther(to);
    return await serialize(() => snapshotter.diffToOther(from, other));
  }

  async setTag({ name, id }: { readonly name: string; readonly id?: SnapshotId | undefined }): Promise<void> {
    const { state, events, serialize } = this.#parts;
    assertWritable(state, 'set a tag');
    await serialize(() => state.history.setTag(name, id));
    events.emit({ type: 'history' });
  }

  async deleteSnapshot({ id }: { readonly id: SnapshotId }): Promise<void> {
    const { state, events, freeing, serialize, onForgotten } = this.#parts;
    const forget = async () => {
      await state.history.forget([id]);
      await onForgotten();
    };
    await freeing(() => serialize(forget));
    events.emit({ type: 'history' });
  }

  async prune({ policy, dryRun = false }: PruneOptions = {}): Promise<PruneResult> {
    const { state, capturer, events, freeing, serialize } = this.#parts;
    if (!dryRun) assertWritable(state, 'forget snapshots');
    const { history } = state;
    const result = await freeing(() => serialize(() => prune({ policy, dryRun }, { history, capturer })));
    if (result.forgotten.length > 0 && !dryRun) events.emit({ type: 'history' });
    return result;
  }

  async setRetention({ policy }: { readonly policy?: KeepPolicy | undefined }): Promise<void> {
    const { state, events, serialize } = this.#parts;
    assertWritable(state, 'set what is kept');
    await serialize(() => state.history.setKeepPolicy(policy));
    events.emit({ type: 'history' });
  }

  async collectGarbage(): Promise<number> {
    const { capturer, captures, events, around, freeing, serialize } = this.#parts;
    const freed = await around('garbage.collect', () => freeing(() => serialize(() => capturer.collect())));
    events.emit({ type: 'history' });
    if (capturer.stopped) captures.hurry();
    return freed;
  }

  settle(): Promise<void> {
    return this.#parts.captures.settle();
  }

  /** What a command has changed is that command's; what else has changed is in the tree. */
  async #syncSettled(): Promise<void> {
    await this.settle();
    await this.#parts.machine.sync({ mustAnswer: true, isPublished: true });
  }

  /** In its turn. With `expected`, only from there. */
  async #goTo(
    { id, discard = false }: CheckoutOptions & { readonly id: SnapshotId },
    expected?: SnapshotId,
  ): Promise<CheckoutResult> {
    const { state, machine, captures, capturer, kept, commands, shells, events } = this.#parts;
    const { history, snapshotter, readOnly } = state;
    let checkpoint: Checkpoint | undefined;
    const { previousHead, unkept } = await checkOut(id, {
      ...{ snapshotter, machine, capturer, expected },
      previousHead: readOnly || discard ? this.#head() : undefined,
      prepare: () => kept.prepare(id),
      leaving: () => {
        if (!readOnly) checkpoint = kept.checkpoints.take({ type: 'before-restore' });
      },
      moveTo: async (to) => {
        if (readOnly) this.#lookingAt = to;
        // A store without any room can still go back to where HEAD is.
        else if (to !== history.head) await history.moveHead(to);
      },
      arrived: (at) => {
        commands.clear();
        shells.resetTo(history.get(at));
        state.tree.rearm();
        kept.checkpoints.noteReplaced();
        events.emit({ type: 'head', head: at });
      },
    });
    // What could not be saved is no more.
    if (capturer.stopped) captures.hurry();
    return { head: id, previousHead, checkpoint: checkpoint?.id, unkept: unkept?.toData() };
  }

  #head(): SnapshotId {
    const head = this.#lookingAt ?? this.#parts.state.history.head;
    if (head) return head;
    const why = 'Nothing of this sandbox is stored yet: its first snapshot is not taken, or failed';
    throw this.#parts.capturer.stopped ?? new SandboxError('not-found', why);
  }
}
