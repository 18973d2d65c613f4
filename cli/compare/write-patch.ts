import type { Change } from '../../protocol/sandbox/history.ts';
import type { FileComparison } from '../../shell/patches/compare-file.ts';
import { encodeText } from '../../shell/text.ts';
import { bytesText } from '../output/amounts.ts';
import { plainLine } from '../output/plain-text.ts';
import type { Style } from '../output/style.ts';

/** A patch as bytes for a file or a program, or as harmless coloured text for a terminal. */
export function patchOutput(text: string, style: Style): string | Uint8Array {
  if (!style.isTerminal) return encodeText(text);
  let isHunk = false;
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('@@')) isHunk = true;
    return style.paint(formatOf(line, isHunk), plainLine(line));
  });
  return lines.join('\n');
}

/** One row of `--stat`: how many lines each file gained and lost, or how its size changed. */
export function statRow(change: Change, { type, added, deleted, older, newer }: FileComparison): string[] {
  const path = change.from === undefined ? change.path : `${change.from} -> ${change.path}`;
  const shown = plainLine(path).replaceAll('\t', '\\t');
  if (type === 'text') return [shown, `| +${added} -${deleted}`];
  if (type === 'unnamed') return [shown, '| cannot be read by this name'];
  return [shown, `| ${bytesText(older?.sizeBytes ?? 0)} -> ${bytesText(newer?.sizeBytes ?? 0)}`];
}

function formatOf(line: string, isHunk: boolean): Parameters<Style['paint']>[0] {
  if (!isHunk) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : 'reset';
}
