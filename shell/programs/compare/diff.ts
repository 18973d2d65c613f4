import { isDirectory, isFile } from '../../../tree/live/file-mode.ts';
import type { InodeView, Timestamp } from '../../../tree/live/file-tree.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { kindOf } from '../attributes/file-kind.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { UsageError } from '../messages/program-error.ts';
import { nameInMessage, quoteIfNeeded, quoteName } from '../messages/quote-name.ts';
import { isDirectoryOperand, pathOf } from '../paths/operands.ts';
import { baseName, joinPath } from '../paths/path-names.ts';
import { Regex } from '../patterns/regex.ts';
import type { Program } from '../program.ts';
import { heldLines } from '../streams/held-lines.ts';
import { readInput } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';
import { now, zoneOfCall } from '../time/now.ts';
import {
  type ComparedPair,
  type ComparedText,
  contextFormat,
  edFormat,
  functionLookup,
  normalFormat,
  sideBySide,
  unifiedFormat,
} from './format-differences.ts';
import { type Hunk, lineDifferences } from './line-differences.ts';

const options = {
  normal: '--normal  output a normal diff (the default)',
  brief: '-q, --brief  report only when files differ',
  identical: '-s, --report-identical-files  report when two files are the same',
  context: '-c  output 3 lines of copied context',
  contextLines: '-C NUM  output NUM lines of copied context',
  contextLong: '--context[=NUM]  output NUM (default 3) lines of copied context',
  unified: '-u  output 3 lines of unified context',
  unifiedLines: '-U NUM  output NUM lines of unified context',
  unifiedLong: '--unified[=NUM]  output NUM (default 3) lines of unified context',
  ed: '-e, --ed  output an ed script',
  sideBySide: '-y, --side-by-side  output in two columns',
  width: '-W, --width=NUM  output at most NUM (default 130) print columns',
  suppressCommon: '--suppress-common-lines  do not output common lines',
  showFunction: '-p, --show-c-function  show which C function each change is in',
  label: '--label=LABEL  use LABEL instead of file name and timestamp',
  recursive: '-r, --recursive  recursively compare any subdirectories found',
  newFile: '-N, --new-file  treat absent files as empty',
  unidirectional: '-P, --unidirectional-new-file  treat absent first files as empty',
  exclude: '-x, --exclude=PAT  exclude files that match PAT',
  start: '-S, --starting-file=FILE  start with FILE when comparing directories',
  ignoreCase: '-i, --ignore-case  ignore case differences in file contents',
  ignoreTrailing: '-Z, --ignore-trailing-space  ignore white space at line end',
  ignoreAmount: '-b, --ignore-space-change  ignore changes in the amount of white space',
  ignoreSpace: '-w, --ignore-all-space  ignore all white space',
  ignoreBlank: '-B, --ignore-blank-lines  ignore changes where lines are all blank',
  ignoreMatching: '-I, --ignore-matching-lines=RE  ignore changes where all lines match RE',
  stripReturn: '--strip-trailing-cr  strip trailing carriage return on input',
  text: '-a, --text  treat all files as text',
  minimal: '-d, --minimal  try hard to find a smaller set of changes',
  color: '--color[=WHEN]  (ignored)',
  speed: '--speed-large-files  (ignored)',
};

type Key = keyof typeof options;

export const diff: Program = defineProgram({
  usage: '[OPTION]... FILES',
  summary: 'Compare FILES line by line.',
  usageStatus: 2,
  options,
  rewrite: (args) =>
    args.map((argument) =>
      argument.replace(
        /^-([uc])(\d+)$/,
        (_, letter: string, count: string) => `-${letter.toUpperCase()}${count}`,
      ),
    ),
  async run(invocation) {
    const { operands, call } = invocation;
    const [first, second, excess] = operands;
    if (first === undefined) throw new UsageError(`missing operand after ${quoteName(call.name)}`);
    if (second === undefined)
      throw new UsageError(`missing operand after ${quoteName(operands.at(-1) ?? '')}`);
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    return new Comparison(invocation).operands(first, second);
  },
});

class Comparison {
  readonly #invocation: Invocation<Key>;
  readonly #context: number;
  readonly #steps: Steps;
  /** Changes of lines that match one of them do not count. */
  readonly #ignored: readonly Regex[];

  constructor(invocation: Invocation<Key>) {
    this.#invocation = invocation;
    const { options: given } = invocation;
    this.#steps = new Steps(invocation.call.signal);
    this.#ignored = given.values('ignoreMatching').map((pattern) => new Regex(pattern, { syntax: 'basic' }));
    const last = given.last('unifiedLines', 'unifiedLong', 'contextLines', 'contextLong');
    const text = last === undefined ? undefined : given.value(last);
    this.#context = text === undefined ? 3 : countOf(text, 'invalid context length');
  }

  /** A file and a directory: the file of that name in it. */
  async operands(first: ShellText, second: ShellText): Promise<number> {
    const { call } = this.#invocation;
    const areDirectories = [first, second].map((name) => name !== '-' && isDirectoryOperand(call, name));
    if (areDirectories[0] && areDirectories[1]) return this.#directories(first, second);
    if (areDirectories[0]) return this.#files(joinPath(first, baseName(second)), second);
    if (areDirectories[1]) return this.#files(first, joinPath(second, baseName(first)));
    return this.#files(first, second);
  }

  async #directories(first: ShellText, second: ShellText): Promise<number> {
    const { call, options: given, out } = this.#invocation;
    const excluded = given.values('exclude');
    const [left, right] = [first, second].map((name) => {
      const names = call.files.readdir(pathOf(call, name));
      return new Set(names.filter((entry) => !excluded.some((pattern) => matches(pattern, entry))));
    });
    let status = 0;
    for (const name of [...new Set([...(left ?? []), ...(right ?? [])])].sort()) {
      const [a, b] = [joinPath(first, name), joinPath(second, name)];
      const isInBoth = left?.has(name) && right?.has(name);
      const isNew = given.has('newFile') || (given.has('unidirectional') && !left?.has(name));
      if (!isInBoth && !(isNew && !isDirectoryOperand(call, left?.has(name) ? a : b))) {
        if (isNew && given.has('recursive')) {
          status = Math.max(status, await this.#missingDirectory(a, b, left?.has(name) ?? false));
          continue;
        }
        out.add(`Only in ${left?.has(name) ? first : second}: ${name}\n`);
        status = Math.max(status, 1);
        continue;
      }
      const directories = [a, b].map((path) => isDirectoryOperand(call, path));
      if (directories[0] && directories[1]) {
        if (given.has('recursive')) status = Math.max(status, await this.#directories(a, b));
        else out.add(`Common subdirectories: ${quoteIfNeeded(a)} and ${quoteIfNeeded(b)}\n`);
      } else if (directories[0] || directories[1]) {
        const kind = (path: ShellText) => kindOf(call.files.stat(pathOf(call, path)));
        out.add(`File ${a} is a ${kind(a)} while file ${b} is a ${kind(b)}\n`);
        status = Math.max(status, 1);
      } else status = Math.max(status, await this.#files(a, b, true));
      if (out.isFull) await out.flush();
    }
    return status;
  }

  async #missingDirectory(first: ShellText, second: ShellText, isFirst: boolean): Promise<number> {
    const { call } = this.#invocation;
    let status = 0;
    const present = isFirst ? first : second;
    for (const name of [...call.files.readdir(pathOf(call, present))].sort()) {
      const [a, b] = [joinPath(first, name), joinPath(second, name)];
      const isBelow = isDirectoryOperand(call, isFirst ? a : b);
      status = Math.max(
        status,
        isBelow ? await this.#missingDirectory(a, b, isFirst) : await this.#files(a, b, true),
      );
    }
    return status;
  }

  async #files(first: ShellText, second: ShellText, isFound = false): Promise<number> {
    const { call, options: given, out, warn } = this.#invocation;
    const contents: (Uint8Array | undefined)[] = [];
    for (const name of [first, second]) {
      try {
        contents.push(await readInput(call, name));
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        const mayMiss = error.code === 'ENOENT' && given.has('newFile', 'unidirectional');
        if (!mayMiss) await warn(`${nameInMessage(name)}: ${error.message}`);
        contents.push(mayMiss ? new Uint8Array(0) : undefined);
      }
    }
    const [a, b] = contents;
    if (a === undefined || b === undefined) return 2;
    const isSame = await haveSameBytes(a, b, this.#steps);
    const isBinary = !given.has('text') && [a, b].some((bytes) => bytes.subarray(0, 65_536).includes(0));
    if (!isSame && isBinary && !given.has('brief')) {
      out.add(`Binary files ${first} and ${second} differ\n`);
      return 1;
    }
    const pair = { older: textOf(a), newer: textOf(b) };
    const hunks = isSame ? [] : await this.#differences(pair);
    if (hunks.length === 0) {
      if (given.has('identical')) out.add(`Files ${first} and ${second} are identical\n`);
      if (given.has('sideBySide') && !given.has('suppressCommon')) await this.#show(this.#body(pair, hunks));
      return 0;
    }
    if (given.has('brief')) {
      out.add(`Files ${first} and ${second} differ\n`);
      return 1;
    }
    if (isFound) out.add(`diff${this.#shownOptions()} ${quoteIfNeeded(first)} ${quoteIfNeeded(second)}\n`);
    out.add(this.#headers(first, second));
    await this.#show(this.#body(pair, hunks));
    return 1;
  }

  async #show(pieces: Iterable<ShellText>): Promise<void> {
    const { out } = this.#invocation;
    for (const piece of pieces) {
      out.add(piece);
      if (out.isFull) await out.flush();
      if (this.#steps.isDue) await this.#steps.next();
    }
  }

  #shownOptions(): string {
    const { call, operands } = this.#invocation;
    const isOperand = (argument: ShellText) => operands.includes(argument);
    return call.args
      .filter((argument) => !isOperand(argument))
      .map((argument) => ` ${quoteIfNeeded(argument)}`)
      .join('');
  }

  #style(): 'context' | 'unified' | 'ed' | 'side' | 'normal' {
    const { options: given } = this.#invocation;
    switch (
      given.last(
        'normal',
        'context',
        'contextLines',
        'contextLong',
        'unified',
        'unifiedLines',
        'unifiedLong',
        'ed',
        'sideBySide',
      )
    ) {
      case 'context':
      case 'contextLines':
      case 'contextLong':
        return 'context';
      case 'unified':
      case 'unifiedLines':
      case 'unifiedLong':
        return 'unified';
      case 'ed':
        return 'ed';
      case 'sideBySide':
        return 'side';
      default:
        return 'normal';
    }
  }

  #headers(first: ShellText, second: ShellText): ShellText {
    const style = this.#style();
    if (style !== 'context' && style !== 'unified') return '';
    const labels = this.#invocation.options.values('label');
    const title = (name: ShellText, label: ShellText | undefined) => label ?? `${name}\t${this.#time(name)}`;
    const [old, fresh] = style === 'unified' ? ['---', '+++'] : ['***', '---'];
    return `${old} ${title(first, labels[0])}\n${fresh} ${title(second, labels[1])}\n`;
  }

  #time(name: ShellText): string {
    const { call } = this.#invocation;
    let time: Timestamp = now();
    const path = pathOf(call, name);
    if (name !== '-') {
      const inode: InodeView | undefined = call.files.exists(path) ? call.files.stat(path) : undefined;
      if (inode === undefined || isFile(inode.mode) || isDirectory(inode.mode)) {
        time = { seconds: inode?.mtimeSeconds ?? 0, nanoseconds: inode?.mtimeNanoseconds ?? 0 };
      }
    }
    const format = this.#style() === 'unified' ? '%Y-%m-%d %H:%M:%S.%N %z' : '%a %b %e %H:%M:%S %Y';
    return formatDate(format, calendarTime(time, zoneOfCall(call)));
  }

  #body(pair: ComparedPair, hunks: readonly Hunk[]): Iterable<ShellText> {
    const { options: given } = this.#invocation;
    switch (this.#style()) {
      case 'unified':
        return unifiedFormat(pair, hunks, {
          context: this.#context,
          ...(given.has('showFunction') && { functionOf: functionLookup(pair.older.lines, 40) }),
        });
      case 'context':
        return contextFormat(pair, hunks, this.#context);
      case 'ed':
        return edFormat(pair, hunks);
      case 'side':
        return sideBySide(pair, hunks, {
          width: Math.min(countOf(given.value('width') ?? '130', 'invalid width'), mostColumns),
          hidesCommon: given.has('suppressCommon'),
        });
      default:
        return normalFormat(pair, hunks);
    }
  }

  async #differences(pair: ComparedPair): Promise<readonly Hunk[]> {
    const steps = this.#steps;
    const keys = new Map<ShellText, number>();
    const numbered = async ({ lines, isEnded }: ComparedText) => {
      const numbers: number[] = [];
      for (const [index, line] of lines.entries()) {
        // A last line without newline is another than one with it, unless white space does not count.
        const isOpen =
          index === lines.length - 1 &&
          !isEnded &&
          !this.#invocation.options.has('ignoreAmount', 'ignoreSpace');
        const key = `${this.#keyOf(line)}${isOpen ? '\n' : ''}`;
        const known = keys.get(key);
        numbers.push(known ?? keys.size);
        if (known === undefined) keys.set(key, keys.size);
        if (steps.isDue) await steps.next();
      }
      return numbers;
    };
    const hunks = await lineDifferences(await numbered(pair.older), await numbered(pair.newer), steps);
    if (!this.#invocation.options.has('ignoreBlank', 'ignoreMatching')) return hunks;
    const counted: Hunk[] = [];
    for (const hunk of hunks) if (!(await this.#isIgnored(pair, hunk))) counted.push(hunk);
    return counted;
  }

  #keyOf(line: ShellText): ShellText {
    const { options: given } = this.#invocation;
    let key = line;
    if (given.has('stripReturn')) key = key.replace(/\r$/, '');
    if (given.has('ignoreSpace')) key = key.replaceAll(/\s+/g, '');
    else if (given.has('ignoreAmount')) key = key.replaceAll(/\s+/g, ' ').replace(/ $/, '');
    else if (given.has('ignoreTrailing')) key = key.trimEnd();
    return given.has('ignoreCase') ? key.toLowerCase() : key;
  }

  /** Changes of blank lines, or of lines that match, where those do not count. */
  async #isIgnored(
    { older, newer }: ComparedPair,
    { oldStart, oldCount, newStart, newCount }: Hunk,
  ): Promise<boolean> {
    const ignoresBlank = this.#invocation.options.has('ignoreBlank');
    const lines = [
      ...older.lines.slice(oldStart, oldStart + oldCount),
      ...newer.lines.slice(newStart, newStart + newCount),
    ];
    for (const line of lines) {
      if (this.#steps.isDue) await this.#steps.next();
      const isIgnored =
        (ignoresBlank && line.trim() === '') || this.#ignored.some((regex) => regex.test(line));
      if (!isIgnored) return false;
    }
    return true;
  }
}

/** Columns of two files beside each other, at most. */
const mostColumns = 10_000;

async function haveSameBytes(a: Uint8Array, b: Uint8Array, steps: Steps): Promise<boolean> {
  if (a.length !== b.length) return false;
  const atOnce = 65_536;
  for (let from = 0; from < a.length; from += atOnce) {
    const to = Math.min(from + atOnce, a.length);
    for (let at = from; at < to; at++) if (a[at] !== b[at]) return false;
    if (steps.isDue) await steps.next();
  }
  return true;
}

function textOf(bytes: Uint8Array): ComparedText {
  if (bytes.length === 0) return { lines: [], isEnded: true };
  const isEnded = bytes.at(-1) === 0x0a;
  return { lines: heldLines(decodeText(isEnded ? bytes.subarray(0, -1) : bytes)), isEnded };
}
