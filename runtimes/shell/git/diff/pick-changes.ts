import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { contentOf, type FileChange, isBinary, textOf } from './file-changes.ts';
import { unifiedHunks } from './text-hunks.ts';

/** Changes by which a string came or went (`-S`), or of which a changed line matches (`-G`). */
export async function pickedChanges(
  repository: Repository,
  changes: readonly FileChange[],
  { string, expression }: { readonly string: string | undefined; readonly expression: string | undefined },
): Promise<FileChange[]> {
  if (string === undefined && expression === undefined) return [...changes];
  const regex = expression === undefined ? undefined : new Regex(expression, { syntax: 'extended' });
  const found: FileChange[] = [];
  for (const change of changes) {
    repository.signal.throwIfAborted();
    if (change.kind === 'U' || change.older?.oid === change.newer?.oid) continue;
    const sides = [await contentOf(repository, change.older), await contentOf(repository, change.newer)];
    const [before = '', after = ''] = sides.map(textOf);
    if (string !== undefined && count(before, string) === count(after, string)) continue;
    if (regex) {
      if (sides.some(isBinary)) continue;
      const hunks = await unifiedHunks(before, after, { signal: repository.signal, context: 0 });
      if (!hunks.split('\n').some((line) => /^[-+]/.test(line) && regex.test(line.slice(1)))) continue;
    }
    found.push(change);
  }
  return found;
}

function count(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}
