import { SandboxError } from '../../protocol/errors.ts';
import type { MergeConflict, MergeOptions, MergeResult } from '../../protocol/sandbox/history.ts';
import { commandsExtension } from '../../protocol/sandbox/ran-commands.ts';
import { toDisplayText } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { shortId } from '../../tree/history/history-error.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { applyMerge } from '../../tree/merge/apply-merge.ts';
import { readLinkedNames } from '../../tree/merge/linked-names.ts';
import { type MergePlan, planMerge, type TreeConflict } from '../../tree/merge/plan-merge.ts';
import type { SandboxState } from '../local-sandbox-parts.ts';

export type MergeParts = Pick<SandboxState, 'history' | 'snapshotter' | 'tree' | 'source' | 'content'>;

/** The snapshot that a merge leads to, which is not checked out yet. */
export type Merged = Pick<MergeResult, 'outcome' | 'base' | 'settled'> & { readonly id: SnapshotId };

/**
 * Publishes the merge of HEAD, which is the files as they are, and another snapshot, beside HEAD (ADR 43).
 * @throws conflict, not-found, limit-exceeded, storage-full, missing-object, corrupt-object
 */
export async function mergeSnapshot(
  { ours, theirs, prefer, label }: MergeOptions & { readonly ours: SnapshotId; readonly theirs: SnapshotId },
  parts: MergeParts,
): Promise<Merged> {
  const { history, snapshotter } = parts;
  const base = history.commonAncestor(ours, theirs);
  if (base === undefined) throw noAncestor(theirs);
  if (base === theirs) return { outcome: 'up-to-date', base, settled: [], id: ours };
  if (base === ours) return { outcome: 'fast-forward', base, settled: [], id: theirs };
  // All of theirs may come into the result; of the base, only what differs is read.
  await snapshotter.prepare(theirs);
  const get = async (id: ObjectId) => parts.source.read(id);
  const treeOf = (id: SnapshotId) => history.get(id).tree;
  const trees = { base: treeOf(base), ours: treeOf(ours), theirs: treeOf(theirs) };
  const plan = await planMerge(get, { ...trees, prefer });
  if (plan.conflictCount > 0 && prefer === undefined) throw inConflict(plan, { base, ours, theirs });
  const sealed = snapshotter.load(ours);
  const { totalBytes, totalInodes } = parts.tree.usage();
  const tree = LiveTree.from(sealed.snapshot, { content: parts.content, totalBytes, totalInodes });
  applyMerge(tree, { steps: plan.steps, theirs: await readLinkedNames(get, trees.theirs) });
  const { id } = await snapshotter.publishBeside({
    snapshot: tree.snapshot(),
    previous: sealed,
    cause: { type: 'manual', label: label ?? `Merge ${shortId(theirs)}` },
    parents: [ours, theirs],
    extensions: stateOf(history.get(ours)),
  });
  return { outcome: 'merged', base, settled: plan.conflicts.map(describeConflict), id };
}

/** What goes on in our sandbox, such as its shells: not what ran before the snapshot. */
export function stateOf({ extensions = {} }: SnapshotRecord): SnapshotRecord['extensions'] {
  const { [commandsExtension]: _, ...state } = extensions;
  return Object.keys(state).length === 0 ? undefined : state;
}

export function describeConflict({ path, kind }: TreeConflict): MergeConflict {
  return { path: toDisplayText(path), kind };
}

function noAncestor(theirs: SnapshotId): SandboxError {
  const why =
    'the two have no common ancestor in this history. Go there by a checkout, or compare them with diff';
  return new SandboxError('not-found', `Cannot merge snapshot "${shortId(theirs)}": ${why}`, {
    details: { snapshot: theirs },
  });
}

function inConflict(
  { conflicts, conflictCount }: MergePlan,
  {
    base,
    ours,
    theirs,
  }: { readonly base: SnapshotId; readonly ours: SnapshotId; readonly theirs: SnapshotId },
): SandboxError {
  const shown = conflicts.map(describeConflict);
  const first = shown[0]?.path ?? '';
  const where = conflictCount > 1 ? `"${first}" and ${conflictCount - 1} more` : `"${first}"`;
  const message = `Cannot merge snapshot "${shortId(theirs)}": both sides changed ${where}. Nothing was changed; prefer one side, or make the two alike first`;
  return new SandboxError('conflict', message, {
    details: { conflicts: shown, count: conflictCount, base, ours, theirs },
  });
}
