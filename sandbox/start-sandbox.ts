import type { ImageSource } from '../protocol/image-source.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxInfo } from '../protocol/sandbox.ts';
import { History } from '../tree/history/history.ts';
import { treesBefore } from '../tree/history/trees-before.ts';
import { ContentCache } from '../tree/live/content-cache.ts';
import { LiveTree } from '../tree/live/live-tree.ts';
import type { ObjectId } from '../tree/objects/object-id.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import { LocalSandbox } from './local-sandbox.ts';
import type { LocalSandboxParts } from './local-sandbox-parts.ts';
import { ObjectSource } from './object-source.ts';
import { type AroundWork, justWork } from './sandbox-work.ts';
import { Snapshotter } from './snapshotter.ts';

/** What a machine is made for. */
export interface MachineStart {
  readonly tree: LiveTree;
  /** The tree whose files `tree` has now. */
  readonly head: ObjectId;
  /** The tree that `tree` was last published as, or put at. */
  readonly sealed: () => ObjectId;
  /** Trees that it may differ little from, the likeliest first. */
  readonly near: () => readonly ObjectId[];
  readonly source: ObjectSource;
}

export type StartParts = Pick<
  LocalSandboxParts,
  'store' | 'readOnly' | 'fork' | 'quota' | 'afterStart' | 'networkLog'
> & {
  /** By default nothing is noted. */
  readonly around?: AroundWork | undefined;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
  /** The image's objects. */
  readonly source: ImageSource;
  /** A tree that is at hand; it is not loaded again if it is the one to start from. */
  readonly known?: SealedTree | undefined;
  readonly machineFor: (start: MachineStart) => Promise<LocalSandboxParts['makeMachine']>;
};

/**
 * Loads the tree of HEAD (of the image, in an empty store) and starts a machine on it. The store is
 * the sandbox's once this resolves, and stays the caller's when it rejects.
 * @throws missing-object, corrupt-object, machine-failed, timeout
 */
export async function startLocalSandbox(info: SandboxInfo, parts: StartParts): Promise<LocalSandbox> {
  const { source: image, known, machineFor, around = justWork, ...rest } = parts;
  const source = new ObjectSource(parts.store, image);
  const content = new ContentCache(source, { budgetBytes: limits.contentCacheBytes });
  const history = History.open(parts.store, { isElsewhere: (id) => image.has(id) });
  const head = headTree(history) ?? image.manifest.tree;
  const sealed = known?.id === head ? known : source.loadTree(head).sealed;
  let sandbox: LocalSandbox | undefined;
  const tree = LiveTree.from(sealed.snapshot, {
    content,
    readOnly: parts.readOnly,
    totalBytes: info.diskMiB * 1024 * 1024,
    totalInodes: limits.inodes,
    onChange: () => sandbox?.noteChange(),
  });
  tree.dropUnlinked(); // Whoever had it open is not here.
  const snapshotter = new Snapshotter({ tree, history, source, content, sealed });
  const near = () => treesBefore(history, { store: parts.store, most: limits.nearTrees });
  const makeMachine = await machineFor({ tree, head, source, sealed: () => snapshotter.treeId, near });
  sandbox = await LocalSandbox.start({
    info,
    history,
    tree,
    snapshotter,
    image,
    makeMachine,
    around,
    ...rest,
  });
  return sandbox;
}

function headTree(history: History): ObjectId | undefined {
  return history.head === undefined ? undefined : history.get(history.head).tree;
}
