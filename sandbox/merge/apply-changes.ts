import { SandboxError } from '../../protocol/errors.ts';
import type { ApplyOptions, MergeConflict } from '../../protocol/sandbox/history.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { applyMerge } from '../../tree/merge/apply-merge.ts';
import { isGitObject } from '../../tree/merge/git-index.ts';
import { readLinkedNames } from '../../tree/merge/linked-names.ts';
import { planMerge } from '../../tree/merge/plan-merge.ts';
import { diffTrees, type TreeChange } from '../../tree/objects/diff-trees.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sameMetadata } from '../../tree/objects/tree-entry.ts';
import { sealInSlices } from '../seal-in-slices.ts';
import { describeConflict, type MergeParts, stateOf } from './merge-snapshot.ts';

/** The snapshot that has the changes, which is not checked out yet. */
export interface Applied {
  readonly id: SnapshotId;
  /** Conflicts that `prefer` has settled. */
  readonly settled: readonly MergeConflict[];
}

/**
 * Makes the differences between pairs of snapshots in HEAD, which is the files as they are, one after the other, and publishes the result beside it, after
 * the first of `onto`; where one of those has the same files, it is that.
 * @throws conflict, not-found, limit-exceeded, storage-full, missing-object, corrupt-object
 */
export async function applyChanges(
  { ours, changes, onto, prefer, label }: ApplyOptions & { readonly ours: SnapshotId },
  parts: MergeParts,
): Promise<Applied> {
  const { history, snapshotter, source, content } = parts;
  const begun = snapshotter.load(ours);
  const { totalBytes, totalInodes } = parts.tree.usage();
  const passing: StoredObject[] = [];
  const conflicts: MergeConflict[] = [];
  let count = 0;
  let sealed = begun;
  for (const { from, to } of changes) {
    await snapshotter.prepare(to);
    const trees = { base: history.get(from).tree, ours: sealed.id, theirs: history.get(to).tree };
    await source.withPassing(passing, async () => {
      const get = async (id: ObjectId) => source.read(id);
      // Without a side to prefer, all that is in conflict is to be told.
      const plan = await planMerge(get, { ...trees, prefer: prefer ?? 'theirs' });
      conflicts.push(...plan.conflicts.map(describeConflict));
      count += plan.conflictCount;
      const tree = LiveTree.from(sealed.snapshot, { content, totalBytes, totalInodes });
      // In nobody's way, and what somebody has committed or branched since may need it.
      const steps = plan.steps.filter((step) => step.type !== 'remove' || !isGitObject(step.path));
      applyMerge(tree, { steps, theirs: await readLinkedNames(get, trees.theirs) });
      const next = await sealInSlices(tree.snapshot(), sealed);
      passing.push(...next.objects);
      sealed = next.sealed;
    });
  }
  if (count > 0 && prefer === undefined) throw inConflict(conflicts, count);
  for (const id of onto) {
    const get = async (object: ObjectId) => source.read(object);
    const compare = () => diffTrees(get, history.get(id).tree, sealed.id);
    const { changes, truncated } = await source.withPassing(passing, compare);
    if (!truncated && changes.every(isTimeOfDirectory)) return { id, settled: conflicts };
  }
  const [parent] = onto;
  if (parent === undefined) throw new SandboxError('invalid-argument', 'There is nothing to go on from');
  const { id } = await snapshotter.publishBeside({
    snapshot: sealed.snapshot,
    previous: begun,
    cause: { type: 'manual', label: label ?? '' },
    parents: [parent],
    extensions: stateOf(history.get(ours)),
  });
  return { id, settled: conflicts };
}

/** A directory that was made again has another time: a folder's directories have none that is put back. */
function isTimeOfDirectory({ type, before, after }: TreeChange): boolean {
  if (type !== 'metadata' || !before || after?.directory === undefined) return false;
  const { mtimeSeconds, mtimeNanoseconds } = after;
  return sameMetadata({ ...before, mtimeSeconds, mtimeNanoseconds }, after);
}

function inConflict(conflicts: readonly MergeConflict[], count: number): SandboxError {
  const first = conflicts[0]?.path ?? '';
  const where = count > 1 ? `"${first}" and ${count - 1} more` : `"${first}"`;
  const message = `Cannot keep what was changed since: ${where} was changed in the same place. Nothing was changed`;
  return new SandboxError('conflict', message, { details: { conflicts, count } });
}
