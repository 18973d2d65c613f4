import type { OpenFile } from '../io/open-file.ts';
import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import { decodeText, type ShellText } from '../text.ts';

export interface ReadLine {
  /** Without the delimiter. */
  readonly text: ShellText;
  /** Whether the delimiter came before the input's end. */
  readonly isComplete: boolean;
}

/** Lines are short: what is read past one is read again. */
const firstChunkBytes = 128;
const maxChunkBytes = 8192;

/** Reads up to a delimiter, and leaves what follows for other readers. `undefined` at the end of the input. @throws ShellLimitError */
export async function readLine(
  input: OpenFile,
  { delimiter = 10, signal }: { delimiter?: number; signal?: AbortSignal } = {},
): Promise<ReadLine | undefined> {
  const { bytes, isComplete } = await readUntil(input, { delimiter, signal, into: [] });
  if (bytes.length === 0 && !isComplete) return undefined;
  return { text: decodeText(bytes), isComplete };
}

/**
 * The bytes up to a delimiter, which is read but not answered. They are put into `into` as they come, such that who gives up waiting
 * has them.
 * @throws ShellLimitError of more than a value may have
 */
export async function readUntil(
  input: OpenFile,
  { delimiter, signal, into }: { delimiter: number; signal?: AbortSignal | undefined; into: Uint8Array[] },
): Promise<{ bytes: Uint8Array; isComplete: boolean }> {
  let lengthBytes = 0;
  for (let chunkBytes = firstChunkBytes; ; chunkBytes = Math.min(chunkBytes * 4, maxChunkBytes)) {
    const bytes = await input.read(chunkBytes, signal);
    if (bytes.length === 0) return { bytes: join(into), isComplete: false };
    const end = bytes.indexOf(delimiter);
    if (end < 0) {
      into.push(bytes);
      lengthBytes += bytes.length;
      checkReadBytes(lengthBytes);
      continue;
    }
    if (end + 1 < bytes.length) input.unread(bytes.subarray(end + 1));
    into.push(bytes.subarray(0, end));
    return { bytes: join(into), isComplete: true };
  }
}

/** @throws ShellLimitError of more bytes than a value may have */
export function checkReadBytes(bytes: number): void {
  if (bytes <= shellLimits.valueLength) return;
  throw new ShellLimitError('valueLength', `what is read has more than ${shellLimits.valueLength} bytes`);
}

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [first, ...rest] = chunks;
  if (first && rest.length === 0) return first;
  const joined = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}
