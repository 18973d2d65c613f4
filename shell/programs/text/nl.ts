import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { Regex } from '../patterns/regex.ts';
import type { Program } from '../program.ts';
import { textLines } from '../streams/text-lines.ts';

type Section = 'header' | 'body' | 'footer';

export const nl: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Write each FILE to standard output, with line numbers added.',
  options: {
    body: '-b, --body-numbering=STYLE  use STYLE for numbering body lines: a all, t nonempty, n none, pBRE matching',
    delimiter: '-d, --section-delimiter=CC  use CC for logical page delimiters',
    footer: '-f, --footer-numbering=STYLE  use STYLE for numbering footer lines',
    header: '-h, --header-numbering=STYLE  use STYLE for numbering header lines',
    increment: '-i, --line-increment=NUMBER  line number increment at each line',
    blanks: '-l, --join-blank-lines=NUMBER  group of NUMBER empty lines counted as one',
    format: '-n, --number-format=FORMAT  insert line numbers according to FORMAT: ln, rn, rz',
    noRenumber: '-p, --no-renumber  do not reset line numbers for each section',
    separator: '-s, --number-separator=STRING  add STRING after (possible) line number',
    start: '-v, --starting-line-number=NUMBER  first line number for each section',
    width: '-w, --number-width=NUMBER  use NUMBER columns for line numbers',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const integer = (key: 'increment' | 'start', usual: string) => {
      const text = options.value(key) ?? usual;
      if (!/^[-+]?\d+$/.test(text))
        throw new UsageError(
          `invalid line number ${key === 'start' ? 'start' : 'increment'}: ${quoteName(text)}`,
        );
      return Number(text);
    };
    const start = integer('start', '1');
    const increment = integer('increment', '1');
    const width = countOf(options.value('width') ?? '6', 'invalid line number field width');
    const group = Math.max(countOf(options.value('blanks') ?? '1', 'invalid line number of blank lines'), 1);
    const separator = options.value('separator') ?? '\t';
    const format = options.value('format') ?? 'rn';
    if (!['ln', 'rn', 'rz'].includes(format))
      throw new UsageError(`invalid line numbering format: ${quoteName(format)}`);
    const numbered = {
      header: numberingOf(options.value('header') ?? 'n', 'header'),
      body: numberingOf(options.value('body') ?? 't', 'body'),
      footer: numberingOf(options.value('footer') ?? 'n', 'footer'),
    };
    const given = options.value('delimiter') ?? '\\:';
    const mark = given.length === 1 ? `${given}:` : given;
    let section: Section = 'body';
    let number = start;
    let blanks = 0;
    const shownNumber = () => {
      const text = String(number);
      if (format === 'ln') return text.padEnd(width);
      return format === 'rn'
        ? text.padStart(width)
        : number < 0
          ? `-${text.slice(1).padStart(width - 1, '0')}`
          : text.padStart(width, '0');
    };
    const show = (line: ShellText): ShellText => {
      const next = sectionOf(line, mark);
      if (next) {
        section = next;
        if (!options.has('noRenumber')) number = start;
        return '';
      }
      blanks = line === '' ? blanks + 1 : 0;
      const style = numbered[section];
      const isSkipped = line === '' && style.isAll && blanks % group !== 0;
      if (isSkipped || !style.matches(line))
        return line === ''
          ? ' '.repeat(width + separator.length)
          : `${' '.repeat(width + separator.length)}${line}`;
      const prefix = `${shownNumber()}${separator}`;
      number += increment;
      return `${prefix}${line}`;
    };
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        for await (const { lines } of textLines(file, call.signal)) {
          for (const line of lines) out.add(`${show(line)}\n`);
          if (out.isFull) await out.flush();
        }
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

function sectionOf(line: ShellText, mark: ShellText): Section | undefined {
  if (mark === '' || !line.startsWith(mark)) return undefined;
  if (line === mark.repeat(3)) return 'header';
  if (line === mark.repeat(2)) return 'body';
  return line === mark ? 'footer' : undefined;
}

function numberingOf(
  style: ShellText,
  section: Section,
): { matches: (line: ShellText) => boolean; isAll: boolean } {
  if (style === 'a') return { matches: () => true, isAll: true };
  if (style === 't') return { matches: (line) => line !== '', isAll: false };
  if (style === 'n') return { matches: () => false, isAll: false };
  if (!style.startsWith('p')) throw new UsageError(`invalid ${section} numbering style: ${quoteName(style)}`);
  const expression = new Regex(style.slice(1), { syntax: 'basic' });
  return { matches: (line) => expression.test(line), isAll: false };
}
