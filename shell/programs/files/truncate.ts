import { attempt, defineProgram } from '../command-line/define-program.ts';
import { parseCount } from '../command-line/parse-count.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import type { Program } from '../program.ts';

export const truncate: Program = defineProgram({
  usage: 'OPTION... FILE...',
  summary: 'Shrink or extend the size of each FILE to the specified size.',
  options: {
    noCreate: '-c, --no-create  do not create any files',
    blocks: '-o, --io-blocks  treat SIZE as number of IO blocks instead of bytes',
    reference: '-r, --reference=RFILE  base size on RFILE',
    size: '-s, --size=SIZE  set or adjust the file size by SIZE bytes: +, -, <, >, /, % may come before it',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    const text = options.value('size');
    const reference = options.value('reference');
    if (text === undefined && reference === undefined) {
      throw new UsageError("you must specify either '--size' or '--reference'");
    }
    if (operands.length === 0) throw new UsageError('missing file operand');
    const [, operator = '', digits = ''] = /^\s*([-+<>/%]?)\s*(.*)$/.exec(text ?? '+0') ?? [];
    const count = parseCount(digits);
    if (count === undefined) throw new ProgramError(`Invalid number: ${quoteName(text ?? '')}`);
    const size = count * (options.has('blocks') ? 4096 : 1);
    const base = reference === undefined ? undefined : call.files.stat(pathOf(call, reference)).sizeBytes;
    let status = 0;
    for (const name of operands) {
      const isDone = await attempt(invocation, `cannot open ${quoteName(name)} for writing`, () => {
        const path = pathOf(call, name);
        if (!statIfThere(call, name)) {
          if (options.has('noCreate')) return;
          call.files.open(path, { write: true, create: true }, call).release();
        }
        call.files.truncate(path, sizeAfter(base ?? call.files.stat(path).sizeBytes, operator, size));
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

function sizeAfter(before: number, operator: string, size: number): number {
  switch (operator) {
    case '+':
      return before + size;
    case '-':
      return Math.max(before - size, 0);
    case '<':
      return Math.min(before, size);
    case '>':
      return Math.max(before, size);
    case '/':
      return size === 0 ? before : Math.floor(before / size) * size;
    case '%':
      return size === 0 ? before : Math.ceil(before / size) * size;
    default:
      return size;
  }
}
