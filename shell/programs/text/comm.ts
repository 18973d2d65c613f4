import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { compareText } from '../order/compare-text.ts';
import type { Program } from '../program.ts';
import { LineReader } from '../streams/line-reader.ts';
import { withInputs } from '../streams/open-inputs.ts';

export const comm: Program = defineProgram({
  usage: '[OPTION]... FILE1 FILE2',
  summary: 'Compare sorted files FILE1 and FILE2 line by line.',
  options: {
    first: '-1  suppress column 1 (lines unique to FILE1)',
    second: '-2  suppress column 2 (lines unique to FILE2)',
    both: '-3  suppress column 3 (lines that appear in both files)',
    check: '--check-order  check that the input is correctly sorted',
    noCheck: '--nocheck-order  do not check that the input is correctly sorted',
    delimiter: '--output-delimiter=STR  separate columns with STR',
    total: '--total  output a summary',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  async run({ call, options, operands, out, warn }) {
    const [first, second, excess] = operands;
    if (first === undefined) throw new UsageError('missing operand');
    if (second === undefined) throw new UsageError(`missing operand after ${quoteName(first)}`);
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    const end = options.has('zero') ? '\0' : '\n';
    const delimiter = options.value('delimiter') ?? '\t';
    const shows = {
      first: !options.has('first'),
      second: !options.has('second'),
      both: !options.has('both'),
    };
    const indent = {
      first: '',
      second: shows.first ? delimiter : '',
      both: (shows.first ? delimiter : '') + (shows.second ? delimiter : ''),
    };
    const totals = { first: 0, second: 0, both: 0 };
    const print = async (column: keyof typeof shows, line: ShellText) => {
      totals[column] += 1;
      if (shows[column]) await out.write(`${indent[column]}${line}${end}`);
    };
    let status = 0;
    return withInputs(call, [first, second], async ([one, other]) => {
      if (one === undefined || other === undefined) return 1;
      const readers = [
        new LineReader(one, call.signal, end),
        new LineReader(other, call.signal, end),
      ] as const;
      const told = [false, false];
      let hasDifference = false;
      const next = async (index: 0 | 1, before: ShellText | undefined) => {
        const line = await readers[index].next();
        const isDisorder = line !== undefined && before !== undefined && compareText(before, line) > 0;
        const isChecked = options.has('check') || (!options.has('noCheck') && hasDifference);
        if (isDisorder && isChecked && !told[index]) {
          told[index] = true;
          const message = `file ${index + 1} is not in sorted order`;
          if (options.has('check')) throw new ProgramError(message);
          await warn(message);
          status = 1;
        }
        return line;
      };
      let left = await next(0, undefined);
      let right = await next(1, undefined);
      while (left !== undefined || right !== undefined) {
        const order = left === undefined ? 1 : right === undefined ? -1 : compareText(left, right);
        if (order !== 0) hasDifference = true;
        if (order < 0 && left !== undefined) {
          await print('first', left);
          left = await next(0, left);
        } else if (order > 0 && right !== undefined) {
          await print('second', right);
          right = await next(1, right);
        } else if (left !== undefined && right !== undefined) {
          await print('both', left);
          const line = left;
          left = await next(0, line);
          right = await next(1, line);
        }
      }
      if (options.has('total')) {
        out.add(`${[totals.first, totals.second, totals.both, 'total'].join(delimiter)}${end}`);
      }
      if (status !== 0) await warn('input is not in sorted order');
      return status;
    });
  },
});
