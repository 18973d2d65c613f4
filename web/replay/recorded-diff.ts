import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import type { RecordedSnapshot } from '../../recording/format/recording-event.ts';
import { toDisplayText } from '../../tree/content/byte-string.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { diffTrees, type TreeChange } from '../../tree/objects/diff-trees.ts';
import type { ReadObject, RecordedFiles } from './recorded-files.ts';

type Files = Pick<RecordedFiles, 'stat'>;

/** What differs between two trees. @throws asset-unavailable where a directory that changed is in the image only */
export async function diffRecorded(
  read: ReadObject,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<Change[]> {
  const { changes } = await diffTrees(async (id) => read(id), from, to, { maxChanges: limits.diffChanges });
  return changes.map(describe);
}

/**
 * What a snapshot changed against its parent, by what the recording says of it, where directories of the parent are in the image
 * only: at most `limits.snapshotPaths`. Of a path that was there or not, which only the image knows, it says `modified` unless all
 * were created: whoever reads what it was before is told that this is in the image.
 */
export async function changesOfSummary(
  { changes }: RecordedSnapshot,
  { before, after }: { readonly before: Files; readonly after: Files },
): Promise<Change[]> {
  const described: Change[] = [];
  for (const path of changes.paths) {
    const info = await after.stat(path).catch(ignoreMissing);
    if (info === undefined) {
      described.push({ type: 'deleted', path, sizeBytes: 0 });
      continue;
    }
    const type = changes.modified === 0 || (await isMissing(before, path)) ? 'created' : 'modified';
    const { sizeBytes } = info;
    described.push({ type, path, sizeBytes, ...(info.type === 'directory' ? { isDirectory: true } : {}) });
  }
  return described;
}

async function isMissing(files: Files, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return false;
  } catch (error) {
    return SandboxError.from(error).code === 'not-found';
  }
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
