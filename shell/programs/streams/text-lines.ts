import { joinBytes } from '../../../tree/join-bytes.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { pieces } from './input.ts';

/** Lines that came at once, without their delimiters. */
interface TextLines {
  readonly lines: readonly ShellText[];
  /** Whether the last line had a delimiter after it: all have, but the last of a file. */
  readonly isEnded: boolean;
  /** Whether a zero byte is among them. */
  readonly hasZero: boolean;
}

/** The lines of a file as text, as many at a time as there are. */
export async function* textLines(
  file: OpenFile,
  signal: AbortSignal,
  delimiter: '\n' | '\0' = '\n',
): AsyncGenerator<TextLines> {
  const end = delimiter.charCodeAt(0);
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces(file, signal)) {
    const last = piece.lastIndexOf(end);
    if (last < 0) {
      held.push(piece);
      heldBytes += piece.length;
      if (heldBytes > shellLimits.valueLength) {
        throw new ShellLimitError('valueLength', `a line has more than ${shellLimits.valueLength} bytes`);
      }
      continue;
    }
    const whole = piece.subarray(0, last);
    const bytes = held.length > 0 ? joinBytes([...held, whole], heldBytes + whole.length) : whole;
    yield {
      lines: decodeText(bytes).split(delimiter),
      isEnded: true,
      hasZero: delimiter === '\n' && bytes.includes(0),
    };
    held = last + 1 < piece.length ? [piece.subarray(last + 1)] : [];
    heldBytes = piece.length - last - 1;
  }
  if (heldBytes === 0) return;
  const rest = joinBytes(held, heldBytes);
  yield { lines: [decodeText(rest)], isEnded: false, hasZero: rest.includes(0) };
}
