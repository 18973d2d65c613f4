import type { Change } from '../../protocol/sandbox/history.ts';
import type { FileComparison } from './compare-file.ts';

/** Digits of a blob's id. */
const blobDigits = 12;

/**
 * One file of a patch, as `git diff` prints it and `patch -p1` and `git apply` take it; what is no text, or too much, is
 * one line that both skip. A byte that is no UTF-8 is as in `ShellText`.
 */
export function patchText(change: Change, comparison: FileComparison): string {
  const { type, older, newer, hunks } = comparison;
  const [oldName, newName] = [quoted(`a${change.from ?? change.path}`), quoted(`b${change.path}`)];
  if (type === 'unnamed') return `Files ${oldName} and ${newName} cannot be read by these names\n`;
  const [oldShown, newShown] = [older ? oldName : '/dev/null', newer ? newName : '/dev/null'];
  if (type === 'special') return `Special files ${oldShown} and ${newShown} differ\n`;
  if (type === 'too-large') {
    const sizes = [older, newer].map((side) => side?.sizeBytes ?? 0);
    return `Files ${oldShown} and ${newShown} are too large to compare: ${sizes.join(' and ')} bytes\n`;
  }
  const lines = [`diff --git ${oldName} ${newName}`, ...modeLines(comparison)];
  if (change.from !== undefined) {
    lines.push(`rename from ${quoted(change.from.slice(1))}`, `rename to ${quoted(change.path.slice(1))}`);
  }
  if (older?.blob !== newer?.blob) lines.push(indexLine(comparison));
  if (type === 'binary' && older?.blob !== newer?.blob)
    lines.push(`Binary files ${oldShown} and ${newShown} differ`);
  if (hunks.length > 0) lines.push(`--- ${endedName(oldShown)}`, `+++ ${endedName(newShown)}`);
  // An owner or a time that has changed is nothing that a patch can say.
  return lines.length === 1 ? '' : `${lines.join('\n')}\n${hunks.join('')}`;
}

function modeLines({ older, newer }: FileComparison): string[] {
  if (!older) return [`new file mode ${newer?.mode}`];
  if (!newer) return [`deleted file mode ${older.mode}`];
  return older.mode === newer.mode ? [] : [`old mode ${older.mode}`, `new mode ${newer.mode}`];
}

/** Which content there was and is, by git's ids. */
function indexLine({ older, newer }: FileComparison): string {
  const [from, to] = [older, newer].map((side) => (side?.blob ?? '0'.repeat(40)).slice(0, blobDigits));
  const mode = older?.mode === newer?.mode ? ` ${older?.mode}` : '';
  return `index ${from}..${to}${mode}`;
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/** A name as git writes it: between quotes, with escapes, where it has controls, quotes or backslashes. */
function quoted(name: string): string {
  if (!/[\p{Cc}"\\]/u.test(name)) return name;
  const escaped = name.replace(
    /[\p{Cc}"\\]/gu,
    (character) => named[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

/** After a name with blanks stands a tab, so that programs find its end. */
function endedName(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name;
}
