import type { GoldenSession } from '../../protocol/golden-session.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox.ts';
import { History } from '../../tree/history/history.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { diffTrees } from '../../tree/objects/diff-trees.ts';
import { type LoadedTree, loadTree } from '../../tree/objects/load-tree.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { canResume } from './golden-resume.ts';
import { ObjectSource } from './object-source.ts';
import { Snapshotter } from './snapshotter.ts';
import { TabSandbox, type TabSandboxParts } from './tab-sandbox.ts';

export type SandboxParts = Pick<
  TabSandboxParts,
  'store' | 'machine' | 'readOnly' | 'fork' | 'quota' | 'prefetch' | 'keepOffline'
> & {
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
  /** The image's objects. */
  readonly source: ImageSource;
  /** The image's tree, when it has been loaded already. */
  readonly imageTree?: LoadedTree | undefined;
};

/**
 * Loads the tree of HEAD (of the image, in an empty store) and starts a machine on it. The store is
 * the sandbox's once this resolves, and stays the caller's when it rejects.
 * @throws missing-object, corrupt-object, machine-failed, timeout
 */
export async function startSandbox(info: SandboxInfo, parts: SandboxParts): Promise<TabSandbox> {
  const { source: image, imageTree, ...rest } = parts;
  const source = new ObjectSource(parts.store, image);
  const content = new ContentCache(source, { budgetBytes: limits.contentCacheBytes });
  const history = History.open(parts.store, { isElsewhere: (id) => source.isInImage(id) });
  const head = headTree(history) ?? image.manifest.tree;
  const loaded =
    imageTree?.sealed.id === head ? imageTree : loadTree({ read: (id) => source.verified(id) }, head);
  let sandbox: TabSandbox | undefined;
  const tree = LiveTree.from(loaded.snapshot, {
    content,
    readOnly: parts.readOnly,
    totalBytes: info.diskMiB * 1024 * 1024,
    totalInodes: limits.inodes,
    onChange: () => sandbox?.noteChange(),
  });
  const snapshotter = new Snapshotter({ tree, history, source, content, sealed: loaded.sealed });
  const resume = await mayResume(parts.machine.session, { source, from: image.manifest.tree, to: head });
  sandbox = await TabSandbox.start({ info, history, tree, snapshotter, resume, ...rest });
  return sandbox;
}

/** Looks at what differs between the image and HEAD; too much to look at is too much to go on with. */
async function mayResume(
  session: GoldenSession | undefined,
  { source, from, to }: { source: ObjectSource; from: ObjectId; to: ObjectId },
): Promise<boolean> {
  if (!session) return false;
  const { changes, truncated } = await diffTrees(async (id) => source.read(id), from, to);
  const paths = changes.flatMap(({ path, from: source }) => (source === undefined ? [path] : [path, source]));
  return !truncated && canResume(session, paths);
}

function headTree(history: History): ObjectId | undefined {
  return history.head === undefined ? undefined : history.get(history.head).tree;
}
