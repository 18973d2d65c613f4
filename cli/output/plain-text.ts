import { displayWidth } from '../../shell/programs/notation/display-width.ts';
import { escapedByte } from '../../shell/text.ts';

/** Characters that move the cursor, colour, ring, or reorder what stands around them. Half a surrogate pair is no character. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text from a sandbox as one harmless line for a terminal (rule H-9): control characters are written as escapes, so
 * that nothing is hidden.
 */
export function plainText(text: string): string {
  return text.replace(unsafe, escapeOf);
}

/** The same of a line of a file, whose tabs stay. */
export function plainLine(text: string): string {
  return text.replace(unsafe, (character) => (character === '\t' ? character : escapeOf(character)));
}

/** The same of several lines. Those after the first are indented, so that none passes for a line of ours. */
export function plainLines(text: string): string {
  return text.split(/\r?\n/).map(plainLine).join('\n  ');
}

/** As much of it as so many columns of a terminal have room for, with a mark where it is cut. */
export function cutText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let shown = '';
  let left = columns - 1;
  for (const character of text) {
    left -= displayWidth(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown}…`;
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // A byte that is no UTF-8, as the text of a patch has it (`ShellText`).
  const byte = escapedByte(code) ?? (code < 0x100 ? code : undefined);
  if (byte !== undefined) return named[character] ?? `\\x${byte.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
