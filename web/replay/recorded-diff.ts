import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import type { RecordedSnapshot } from '../../recording/format/recording-event.ts';
import { toDisplayText } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { diffTrees, type TreeChange } from '../../tree/objects/diff-trees.ts';
import type { ReadObject, RecordedFiles } from './recorded-files.ts';

/** What differs between two trees. @throws asset-unavailable where a directory that changed is in the image only */
export async function diffRecorded(
  read: ReadObject,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<Change[]> {
  const { changes } = await diffTrees(async (id) => read(id), from, to, { maxChanges: limits.diffChanges });
  return changes.map(describe);
}

/**
 * What a snapshot changed against its parent, by what the recording says of it, where the parent's directories are in the image
 * only. The summary has the paths of what was created, then of what was modified, then of what was deleted; it is cut at
 * `limits.snapshotPaths`.
 */
export async function changesOfSummary(
  { changes }: RecordedSnapshot,
  files: Pick<RecordedFiles, 'stat'>,
): Promise<Change[]> {
  let createdLeft = changes.created;
  const described: Change[] = [];
  for (const path of changes.paths) {
    const info = await files.stat(path).catch(ignoreMissing);
    if (info === undefined) described.push({ type: 'deleted', path, sizeBytes: 0 });
    else if (info.type === 'directory')
      described.push({ type: 'created', path, sizeBytes: 0, isDirectory: true });
    else
      described.push({ type: createdLeft-- > 0 ? 'created' : 'modified', path, sizeBytes: info.sizeBytes });
  }
  return described;
}

function ignoreMissing(error: unknown): undefined {
  if (SandboxError.from(error).code === 'not-found') return undefined;
  throw error;
}

function describe({ type, path, from, before, after }: TreeChange): Change {
  const entry = after ?? before;
  return {
    type,
    path: toDisplayText(path),
    ...(from === undefined ? {} : { from: toDisplayText(from) }),
    sizeBytes: entry?.sizeBytes ?? 0,
    ...(entry?.directory === undefined ? {} : { isDirectory: true }),
  };
}
