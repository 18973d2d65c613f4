import type { ShellText } from '../../text.ts';
import type { Invocation } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { textLines } from '../streams/text-lines.ts';

/** Calls `show` of each line of each file and prints what it answers; a last line without newline stays so. Answers the exit code. */
export async function eachLine(
  invocation: Pick<Invocation<never>, 'call' | 'warn' | 'out' | 'operands'>,
  show: (line: ShellText, isEnded: boolean) => ShellText,
  {
    operands = invocation.operands,
    delimiter = '\n',
  }: { operands?: readonly ShellText[]; delimiter?: '\n' | '\0' } = {},
): Promise<number> {
  const { call, out } = invocation;
  let status = 0;
  for (const name of operands.length > 0 ? operands : ['-']) {
    const isDone = await withInput(invocation, { name }, async (file) => {
      for await (const { lines, isEnded } of textLines(file, call.signal, delimiter)) {
        for (const [index, line] of lines.entries()) {
          const hasEnd = isEnded || index < lines.length - 1;
          out.add(show(line, hasEnd) + (hasEnd ? delimiter : ''));
        }
        if (out.isFull) await out.flush();
      }
    });
    if (!isDone) status = 1;
  }
  return status;
}
