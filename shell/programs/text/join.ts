import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { compareText } from '../order/compare-text.ts';
import type { Program } from '../program.ts';
import { LineReader } from '../streams/line-reader.ts';
import { withInputs } from '../streams/open-inputs.ts';

interface Row {
  readonly key: ShellText;
  readonly fields: readonly ShellText[];
}

/** A field of the output: 0 is the key. */
interface OutputField {
  readonly file: 0 | 1 | 2;
  readonly field: number;
}

export const join: Program = defineProgram({
  usage: '[OPTION]... FILE1 FILE2',
  summary: 'For each pair of input lines with identical join fields, write a line to standard output.',
  options: {
    unpairable: '-a FILENUM  also print unpairable lines from file FILENUM, where FILENUM is 1 or 2',
    empty: '-e STRING  replace missing (empty) input fields with STRING',
    ignoreCase: '-i, --ignore-case  ignore differences in case when comparing fields',
    field: "-j FIELD  equivalent to '-1 FIELD -2 FIELD'",
    format: '-o FORMAT  obey FORMAT while constructing output line',
    separator: '-t CHAR  use CHAR as input and output field separator',
    only: '-v FILENUM  like -a FILENUM, but suppress joined output lines',
    first: '-1 FIELD  join on this FIELD of file 1',
    second: '-2 FIELD  join on this FIELD of file 2',
    check: '--check-order  check that the input is correctly sorted',
    noCheck: '--nocheck-order  do not check that the input is correctly sorted',
    header: '--header  treat the first line in each file as field headers',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  async run({ call, options, operands, out, warn }) {
    const [first, second, excess] = operands;
    if (first === undefined || second === undefined) {
      throw new UsageError(
        first === undefined ? 'missing operand' : `missing operand after ${quoteName(first)}`,
      );
    }
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    const end = options.has('zero') ? '\0' : '\n';
    const given = options.value('separator');
    const separator = given === '' ? '\n' : given === '\\0' ? '\0' : given;
    const fieldNumber = (text: ShellText) => {
      if (!/^\d+$/.test(text) || Number(text) === 0)
        throw new ProgramError(`invalid field number: ${quoteName(text)}`);
      return Number(text);
    };
    const shared = options.value('field');
    const keys = [
      fieldNumber(options.value('first') ?? shared ?? '1'),
      fieldNumber(options.value('second') ?? shared ?? '1'),
    ];
    const fileNumbers = (texts: readonly ShellText[]) => {
      for (const text of texts)
        if (text !== '1' && text !== '2') throw new ProgramError(`invalid file number: ${quoteName(text)}`);
      return texts;
    };
    const only = fileNumbers(options.values('only'));
    const unpaired = [...fileNumbers(options.values('unpairable')), ...only];
    const empty = options.value('empty') ?? '';
    const fold = (key: ShellText) => (options.has('ignoreCase') ? key.toUpperCase() : key);
    const between = separator ?? ' ';
    const split = (line: ShellText, file: 0 | 1): Row => {
      const fields = separator === undefined ? line.trim().split(/[ \t]+/) : line.split(separator);
      return { key: fields[(keys[file] ?? 1) - 1] ?? '', fields };
    };
    const format = options.has('format') ? parseFormat(options.values('format').join(',')) : undefined;
    const compose = (left: Row | undefined, right: Row | undefined, widths: readonly number[]): ShellText => {
      const key = (left ?? right)?.key ?? '';
      const chosen = format === 'auto' ? autoFormat(widths, keys) : format;
      if (chosen === undefined) {
        const others = [left, right].flatMap(
          (row, index) => row?.fields.filter((_, at) => at !== (keys[index] ?? 1) - 1) ?? [],
        );
        return [key, ...others].map((field) => field || empty).join(between);
      }
      const pick = ({ file, field }: OutputField) => {
        if (file === 0) return key;
        return (file === 1 ? left : right)?.fields[field - 1];
      };
      return chosen.map((field) => pick(field) || empty).join(between);
    };
    return withInputs(call, [first, second], async ([one, other]) => {
      if (one === undefined || other === undefined) return 1;
      const readers = [
        new LineReader(one, call.signal, end),
        new LineReader(other, call.signal, end),
      ] as const;
      const told = [false, false];
      const counts = [0, 0];
      let status = 0;
      let hasUnpaired = false;
      const next = async (file: 0 | 1, before: Row | undefined): Promise<Row | undefined> => {
        const line = await readers[file].next();
        if (line === undefined) return undefined;
        counts[file] = (counts[file] ?? 0) + 1;
        const row = split(line, file);
        const isDisorder = before !== undefined && compareText(fold(before.key), fold(row.key)) > 0;
        const isChecked = options.has('check') || (!options.has('noCheck') && hasUnpaired);
        if (isDisorder && isChecked && !told[file]) {
          told[file] = true;
          const message = `${file === 0 ? first : second}:${counts[file]}: is not sorted: ${line}`;
          if (options.has('check')) throw new ProgramError(message);
          await warn(message);
          status = 1;
        }
        return row;
      };
      let left = await next(0, undefined);
      let right = await next(1, undefined);
      const widths = [left?.fields.length ?? 0, right?.fields.length ?? 0];
      if (options.has('header') && (left || right)) {
        await out.write(compose(left, right, widths) + end);
        [left, right] = [await next(0, undefined), await next(1, undefined)];
      }
      while (left || right) {
        const order = !left ? 1 : !right ? -1 : compareText(fold(left.key), fold(right.key));
        if (order !== 0) hasUnpaired = true;
        if (order < 0) {
          if (unpaired.includes('1')) await out.write(compose(left, undefined, widths) + end);
          left = await next(0, left);
        } else if (order > 0) {
          if (unpaired.includes('2')) await out.write(compose(undefined, right, widths) + end);
          right = await next(1, right);
        } else {
          const key = fold(left?.key ?? '');
          const [lefts, rights]: [Row[], Row[]] = [[], []];
          for (; left && fold(left.key) === key; left = await next(0, left)) lefts.push(left);
          for (; right && fold(right.key) === key; right = await next(1, right)) rights.push(right);
          if (only.length > 0) continue;
          for (const a of lefts) for (const b of rights) await out.write(compose(a, b, widths) + end);
        }
      }
      if (status !== 0) await warn('input is not in sorted order');
      return status;
    });
  },
});

function parseFormat(text: ShellText): 'auto' | OutputField[] {
  if (text === 'auto') return 'auto';
  return text
    .split(/[,\s]+/)
    .filter((part) => part !== '')
    .map((part): OutputField => {
      if (part === '0') return { file: 0, field: 0 };
      const [, file, field] = /^([12])\.(\d+)$/.exec(part) ?? [];
      if (file === undefined) throw new ProgramError(`invalid file number in field spec: ${quoteName(part)}`);
      return { file: file === '1' ? 1 : 2, field: Number(field) };
    });
}

/** `-o auto`: as many fields as the first lines have. */
function autoFormat(widths: readonly number[], keys: readonly number[]): OutputField[] {
  const fields: OutputField[] = [{ file: 0, field: 0 }];
  for (const file of [1, 2] as const) {
    for (let field = 1; field <= (widths[file - 1] ?? 0); field++) {
      if (field !== keys[file - 1]) fields.push({ file, field });
    }
  }
  return fields;
}
