import { decodeText, encodeText, type ShellText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';

/** Prints a question to standard error and reads a line of standard input: whether it begins with `y`. */
export async function ask(call: ProgramCall, question: ShellText): Promise<boolean> {
  await call.stderr.write(encodeText(`${call.name}: ${question} `), call.signal);
  return /^[yY]/.test(await readLine(call));
}

async function readLine({ stdin, signal }: ProgramCall): Promise<ShellText> {
  let line = '';
  for (;;) {
    const piece = await stdin.read(4096, signal);
    if (piece.length === 0) return line;
    const end = piece.indexOf(0x0a);
    if (end < 0) {
      line += decodeText(piece);
      continue;
    }
    if (end + 1 < piece.length) stdin.unread(piece.subarray(end + 1));
    return line + decodeText(piece.subarray(0, end));
  }
}
