import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { ProgressListener } from '../protocol/sandbox/progress.ts';
import type { ObjectId } from '../tree/content/object-id.ts';
import { History } from '../tree/history/history.ts';
import type { SnapshotRecord } from '../tree/history/snapshot-record.ts';
import { treesBefore } from '../tree/history/trees-before.ts';
import { ContentCache } from '../tree/live/content-cache.ts';
import { LiveTree } from '../tree/live/live-tree.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import { Snapshotter, type StoredTree } from './capture/snapshotter.ts';
import type { ImageObjects } from './image-objects.ts';
import { LocalSandbox } from './local-sandbox.ts';
import type { LocalSandboxParts, MachineSource, SandboxState } from './local-sandbox-parts.ts';
import { loadRunningTree, makeRunningTree, type RunningTree } from './memory/load-running-tree.ts';
import { MachineSnapshotter } from './memory/machine-snapshotter.ts';
import type { ReceivedMachine } from './memory/precopied-files.ts';
import { ObjectSource } from './object-source.ts';
import type { SandboxRecord } from './sandbox-settings.ts';

/** What a machine is made for. */
export interface MachineStart {
  readonly tree: LiveTree;
  /** The tree whose files `tree` has now. */
  readonly head: ObjectId;
  /** The tree that `tree` was last published as, or put at. */
  readonly sealed: () => ObjectId;
  /** The memory image that the machine goes on from, with `tree` as it was then. */
  readonly memory: ObjectId | undefined;
  /** What the machine goes on from that another thread has handed over, at `tree`: it does, or the start fails. */
  readonly handed: object | undefined;
  /** Trees that it may differ little from, the likeliest first. */
  readonly near: () => readonly ObjectId[];
  readonly source: ObjectSource;
}

export interface StartParts
  extends Pick<LocalSandboxParts, 'backend' | 'host'>,
    Pick<SandboxState, 'store' | 'readOnly'>,
    Pick<MachineSource, 'keepsRunning' | 'afterStart'> {
  /** Whether its machine can go on from memory images. */
  readonly goesOnFromMemory?: boolean | undefined;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far the start is. */
  readonly onProgress?: ProgressListener | undefined;
  /** The image's objects (`noImageObjects`). */
  readonly source: ImageObjects;
  /** A machine that was handed over: it goes on from that, on an empty store. */
  readonly handed?: ReceivedMachine | undefined;
  /** A tree that is at hand; it is not loaded again if it is the one to start from. */
  readonly known?: SealedTree | undefined;
  /** What a new sandbox of its runtime begins with, where it has no image. */
  readonly begins?: (() => StoredTree) | undefined;
  readonly machineFor: (start: MachineStart) => Promise<MachineSource['make']>;
}

/**
 * Loads the tree of HEAD (of the image, in an empty store) and starts a machine on it. The store is
 * the sandbox's once this resolves, and stays the caller's when it rejects.
 * @throws missing-object, corrupt-object, machine-failed, timeout
 */
export async function startLocalSandbox(info: SandboxRecord, parts: StartParts): Promise<LocalSandbox> {
  const { source: image, store, readOnly, known, handed } = parts;
  const source = new ObjectSource(store, image);
  const content = new ContentCache(source, { budgetBytes: limits.contentCacheBytes });
  const history = History.open(store, { isElsewhere: (id) => image.has(id) });
  const record = parts.goesOnFromMemory ? (history.running ?? headRecord(history)) : undefined;
  const { running, refused } = handed
    ? {
        running:
          handed.running ?? makeRunningTree({ ...handed, delta: () => handed.delta }, { source, known }),
      }
    : findRunning(record, source);
  const head = running?.sealed.id ?? headRecord(history)?.tree ?? image.tree;
  if (head === undefined) throw nothingStored(info.id);
  const sealed = running?.sealed ?? (known?.id === head ? known : source.loadTree(head).sealed);
  const base = running?.base ?? (sealed.isLoaded ? sealed : undefined);
  let sandbox: LocalSandbox | undefined;
  const tree = LiveTree.from(sealed.snapshot, {
    content,
    readOnly,
    totalBytes: info.diskMiB * 1024 * 1024,
    totalInodes: limits.inodes,
    onChange: () => sandbox?.noteChange(),
  });
  if (!running) tree.dropUnlinked(); // Whoever had it open is not here.
  const loadBase = () => base ?? source.loadTree(head).sealed;
  const snapshotter = new Snapshotter({
    ...{ tree, history, source, content, sealed },
    base: once(loadBase),
    begins: () => (image.tree === undefined ? parts.begins?.() : { id: image.tree, objects: [] }),
  });
  const machineSnapshotter = new MachineSnapshotter({ history, source, content, files: snapshotter });
  const near = () => treesBefore(history, { store, most: limits.nearTrees });
  const memory = handed ? undefined : running && record?.memory;
  const make = await parts.machineFor({
    ...{ tree, head, memory, source, near, handed: handed?.memory },
    sealed: () => snapshotter.treeId,
  });
  sandbox = await LocalSandbox.start({
    info,
    state: { store, history, tree, snapshotter, machineSnapshotter, image, source, content, readOnly },
    machine: {
      make,
      refused,
      keepsRunning: parts.keepsRunning,
      forkOf: handed?.info.id,
      shells: handed?.shells,
      afterStart: parts.afterStart,
    },
    backend: parts.backend,
    host: parts.host,
    signal: parts.signal,
    onProgress: parts.onProgress,
  });
  return sandbox;
}

/** A sandbox without an image has a snapshot before anybody knows of it. */
function nothingStored(id: string): SandboxError {
  const message = `Cannot start sandbox "${id}": it has no image, and its store no snapshot`;
  return new SandboxError('corrupt-object', message, { details: { id } });
}

function headRecord(history: History): SnapshotRecord | undefined {
  return history.head === undefined ? undefined : history.get(history.head);
}

/** The tree of a machine that is to go on, or why it cannot. */
function findRunning(
  record: SnapshotRecord | undefined,
  source: ObjectSource,
): { running?: RunningTree; refused?: SandboxError } {
  if (record?.memory === undefined) return {};
  try {
    return { running: loadRunningTree({ tree: record.tree, memory: record.memory }, source) };
  } catch (cause) {
    return { refused: SandboxError.from(cause) };
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
