import { joinBytes } from '../../../tree/join-bytes.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import { pieces } from './input.ts';

const newline = 0x0a;

/** Lines with their delimiter; the last one may have none. Several at a time, as they come. */
export async function* lineBatches(
  file: OpenFile,
  signal: AbortSignal,
  delimiter: number = newline,
): AsyncGenerator<Uint8Array[]> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces(file, signal)) {
    const batch: Uint8Array[] = [];
    let at = 0;
    for (let end = piece.indexOf(delimiter); end >= 0; end = piece.indexOf(delimiter, at)) {
      const line = piece.subarray(at, end + 1);
      batch.push(held.length > 0 ? joinBytes([...held, line], heldBytes + line.length) : line);
      held = [];
      heldBytes = 0;
      at = end + 1;
    }
    if (at < piece.length) {
      held.push(piece.subarray(at));
      heldBytes += piece.length - at;
      if (heldBytes > shellLimits.valueLength) {
        throw new ShellLimitError('valueLength', `a line has more than ${shellLimits.valueLength} bytes`);
      }
    }
    if (batch.length > 0) yield batch;
  }
  if (held.length > 0) yield [joinBytes(held, heldBytes)];
}
