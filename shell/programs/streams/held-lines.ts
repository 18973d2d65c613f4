import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

/** The lines of a text that is held as a whole: what stands between delimiters. @throws ShellLimitError of too many */
export function heldLines(text: ShellText, delimiter: '\n' | '\0' = '\n'): ShellText[] {
  let count = 0;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) {
    count += 1;
    checkLineCount(count);
  }
  return text.split(delimiter);
}

/** @throws ShellLimitError */
export function checkLineCount(count: number): void {
  if (count <= shellLimits.lines) return;
  throw new ShellLimitError('lines', `the input has more than ${shellLimits.lines} lines`);
}
