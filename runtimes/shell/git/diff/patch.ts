import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { contentOf, type FileChange, isBinary, modeText, pathOf, textOf } from './file-changes.ts';
import { unifiedHunks } from './text-hunks.ts';

const noFile = '/dev/null';

export interface PatchOptions {
  readonly context?: number | undefined;
  readonly keyOf?: ((line: string) => string) | undefined;
  /** Takes all for text. */
  readonly isText?: boolean | undefined;
  readonly isFullIndex?: boolean | undefined;
  readonly prefixes?: readonly [string, string] | undefined;
}

/** One file of a patch, as `git diff` writes it. */
export async function patchOf(
  repository: Repository,
  change: FileChange,
  options: PatchOptions = {},
): Promise<string> {
  const { older, newer, kind, score } = change;
  if (kind === 'U') return `* Unmerged path ${repository.quoted(pathOf(change))}\n`;
  if (kind === 'T' && older && newer) {
    const parts = [
      await patchOf(repository, { kind: 'D', older, newer: undefined }, options),
      await patchOf(repository, { kind: 'A', older: undefined, newer }, options),
    ];
    return parts.join('');
  }
  const [before, after] = options.prefixes ?? ['a/', 'b/'];
  const a = repository.quoted(`${before}${(older ?? newer)?.path}`);
  const b = repository.quoted(`${after}${(newer ?? older)?.path}`);
  const lines = [`diff --git ${a} ${b}`];
  if (!older) lines.push(`new file mode ${modeText(newer?.mode)}`);
  else if (!newer) lines.push(`deleted file mode ${modeText(older.mode)}`);
  else if (older.mode !== newer.mode)
    lines.push(`old mode ${modeText(older.mode)}`, `new mode ${modeText(newer.mode)}`);
  if ((kind === 'R' || kind === 'C') && older && newer) {
    const word = kind === 'R' ? 'rename' : 'copy';
    lines.push(
      `similarity index ${score}%`,
      `${word} from ${repository.quoted(older.path)}`,
      `${word} to ${repository.quoted(newer.path)}`,
    );
  }
  if (older?.oid === newer?.oid) return `${lines.join('\n')}\n`;
  const mode = older && newer && older.mode === newer.mode ? ` ${modeText(older.mode)}` : '';
  const id = (oid = '0'.repeat(40)) => (options.isFullIndex ? oid : oid.slice(0, 7));
  lines.push(`index ${id(older?.oid)}..${id(newer?.oid)}${mode}`);
  const [left, right] = [await contentOf(repository, older), await contentOf(repository, newer)];
  const names = [older ? a : noFile, newer ? b : noFile];
  if (!options.isText && (isBinary(left) || isBinary(right)))
    return `${lines.join('\n')}\nBinary files ${names[0]} and ${names[1]} differ\n`;
  const hunks = await unifiedHunks(textOf(left), textOf(right), { signal: repository.signal, ...options });
  if (hunks === '') return older && newer && options.keyOf ? '' : `${lines.join('\n')}\n`;
  const [from, to] = names.map((name) => (name?.includes(' ') ? `${name}\t` : name));
  return `${lines.join('\n')}\n--- ${from}\n+++ ${to}\n${hunks}`;
}
