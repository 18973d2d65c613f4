import { joinBytes } from '../../../tree/join-bytes.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { absolutePath } from '../../files/tree-files.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';

const pieceBytes = 65_536;

/** Opens a file to read: `-` is standard input. To be released. @throws ShellError */
export function openInput(call: ProgramCall, name: ShellText): OpenFile {
  if (name !== '-') return call.files.open(absolutePath(call.cwd, name), { read: true }, call);
  call.stdin.retain();
  return call.stdin;
}

/** Opens a file to write, which is made or emptied, or appended to. To be released. @throws ShellError */
export function openOutput(
  call: ProgramCall,
  name: ShellText,
  { append = false }: { append?: boolean } = {},
): OpenFile {
  const path = absolutePath(call.cwd, name);
  return call.files.open(path, { write: true, create: true, append, truncate: !append }, call);
}

/** What is read of an open file, piece by piece to its end. */
export async function* pieces(file: OpenFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const slices = new WorkSlices();
  for (;;) {
    const piece = await file.read(pieceBytes, signal);
    if (piece.length === 0) return;
    yield piece;
    await slices.end();
    signal.throwIfAborted();
  }
}

/** Everything up to the end. @throws ShellLimitError of more than `shellLimits.inputBytes` */
export async function readAll(file: OpenFile, signal: AbortSignal): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let total = 0;
  for await (const piece of pieces(file, signal)) {
    total += piece.length;
    if (total > shellLimits.inputBytes) {
      throw new ShellLimitError('inputBytes', `the input has more than ${shellLimits.inputBytes} bytes`);
    }
    read.push(piece);
  }
  return joinBytes(read, total);
}

/** Opens, reads all, and releases. @throws ShellError */
export async function readInput(call: ProgramCall, name: ShellText): Promise<Uint8Array> {
  const file = openInput(call, name);
  try {
    return await readAll(file, call.signal);
  } finally {
    file.release();
  }
}
