import { limits } from '../../protocol/limits.ts';
import type { FilesFacet } from '../../protocol/sandbox/files.ts';
import type { Change } from '../../protocol/sandbox/history.ts';
import { type ComparedTrees, compareFile, type FileComparison } from '../../shell/patches/compare-file.ts';
import { patchText } from '../../shell/patches/patch-text.ts';

/** A change, and for what is no directory how its content differs. */
export interface PatchedChange extends Change {
  readonly content?: FileComparison['type'];
  readonly added?: number;
  readonly deleted?: number;
  /** As `git diff` has it for one file; of a byte that is no UTF-8, U+FFFD. */
  readonly patch?: string;
}

/**
 * The changes with their patches, up to the one whose files make more than `limits.patchedPageBytes` with those before: there are
 * fewer than were given then, but one at least. @throws missing-object, corrupt-object, aborted
 */
export async function patchChanges(
  changes: readonly Change[],
  { files, ...trees }: ComparedTrees & { readonly files: Pick<FilesFacet, 'stat' | 'read'> },
): Promise<readonly PatchedChange[]> {
  const patched: PatchedChange[] = [];
  let readBytes = 0;
  for (const change of changes) {
    if (readBytes > limits.patchedPageBytes) break;
    if (change.isDirectory) {
      patched.push(change);
      continue;
    }
    const comparison = await compareFile(files, change, trees);
    const { type: content, added, deleted, older, newer } = comparison;
    for (const side of [older, newer]) if (side?.blob) readBytes += side.sizeBytes;
    patched.push({ ...change, content, added, deleted, patch: patchText(change, comparison).toWellFormed() });
  }
  return patched;
}
