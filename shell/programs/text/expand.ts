import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { eachLine } from './each-line.ts';

/** Columns at which tabs stop. */
interface TabStops {
  readonly stops: readonly number[];
  /** Past the last of them: at every multiple. 0: nowhere. */
  readonly every: number;
}

export const expand: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Convert tabs in each FILE to spaces, writing to standard output.',
  options: {
    initial: '-i, --initial  do not convert tabs after non blanks',
    tabs: '-t, --tabs=LIST  have tabs N characters apart, not 8, or use a comma separated list of tab positions',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-([\d,]+)$/, '-t$1')),
  async run(invocation) {
    const tabs = parseTabs(invocation.options.values('tabs').join(','));
    const isInitial = invocation.options.has('initial');
    return eachLine(invocation, (line) => {
      let shown = '';
      let column = 0;
      let isConverting = true;
      for (const character of line) {
        if (character === '\t' && isConverting) {
          const next = nextStop(column, tabs) ?? column + 1;
          shown += ' '.repeat(next - column);
          column = next;
          continue;
        }
        if (character === '\b') column = Math.max(column - 1, 0);
        else column += 1;
        if (isInitial && character !== ' ') isConverting = false;
        shown += character;
      }
      return shown;
    });
  },
});

export const unexpand: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Convert blanks in each FILE to tabs, writing to standard output.',
  options: {
    all: '-a, --all  convert all blanks, instead of just initial blanks',
    first: '--first-only  convert only leading sequences of blanks (overrides -a)',
    tabs: '-t, --tabs=LIST  have tabs N characters apart instead of 8 (enables -a)',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-([\d,]+)$/, '-t$1')),
  async run(invocation) {
    const { options } = invocation;
    const tabs = parseTabs(options.values('tabs').join(','));
    const isAll = options.has('all', 'tabs') && !options.has('first');
    return eachLine(invocation, (line) => unexpandLine(line, tabs, isAll));
  },
});

function unexpandLine(line: ShellText, tabs: TabStops, isAll: boolean): ShellText {
  let shown = '';
  let column = 0;
  let blanks = '';
  let start = 0;
  let isConverting = true;
  const flush = () => {
    shown += blanks;
    blanks = '';
  };
  for (const character of line) {
    if (!isConverting || (character !== ' ' && character !== '\t')) {
      flush();
      shown += character;
      column += 1;
      if (!isAll) isConverting = false;
      continue;
    }
    if (blanks === '') start = column;
    const stop = nextStop(column, tabs);
    column = character === '\t' ? (stop ?? column + 1) : column + 1;
    blanks += character;
    if (stop !== undefined && column === stop) {
      // One blank alone before a stop stays as it is.
      const isSingle = blanks === ' ' && column - start === 1;
      shown += isSingle && !nextIsBlank(line, column) ? blanks : '\t';
      blanks = '';
    }
  }
  flush();
  return shown;

  function nextIsBlank(text: ShellText, at: number): boolean {
    return text[at] === ' ' || text[at] === '\t';
  }
}

function parseTabs(text: ShellText): TabStops {
  if (text === '') return { stops: [], every: 8 };
  const parts = text.split(/[,\s]+/).filter((part) => part !== '');
  const numbers = parts.map((part) => {
    if (!/^\/?\d+$/.test(part))
      throw new ProgramError(`tab size contains invalid character(s): ${quoteName(part)}`);
    return Number(part.replace('/', ''));
  });
  if (numbers.includes(0)) throw new ProgramError('tab size cannot be 0');
  const [only] = numbers;
  if (numbers.length === 1 && only !== undefined) return { stops: [], every: only };
  const every = parts.at(-1)?.startsWith('/') ? (numbers.pop() ?? 0) : 0;
  if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0)))
    throw new ProgramError('tab sizes must be ascending');
  return { stops: numbers, every };
}

function nextStop(column: number, { stops, every }: TabStops): number | undefined {
  const listed = stops.find((stop) => stop > column);
  if (listed !== undefined) return listed;
  return every > 0 ? column + every - (column % every) : undefined;
}
