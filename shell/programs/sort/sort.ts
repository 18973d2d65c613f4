import { shellLimits } from '../../limits.ts';
import { ShellError, ShellLimitError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import { nameInMessage, quoteName } from '../messages/quote-name.ts';
import { compareText } from '../order/compare-text.ts';
import type { Program } from '../program.ts';
import { checkLineCount } from '../streams/held-lines.ts';
import { openInput, openOutput, readInput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { Steps } from '../streams/steps.ts';
import { textLines } from '../streams/text-lines.ts';
import { type Comparable, comparableOf, compareComparables } from './compare-keys.ts';
import { type KeyOrder, keyText, orderOf, parseSortKey, type SortKey } from './sort-keys.ts';

const options = {
  blanks: '-b, --ignore-leading-blanks  ignore leading blanks',
  dictionary: '-d, --dictionary-order  consider only blanks and alphanumeric characters',
  fold: '-f, --ignore-case  fold lower case to upper case characters',
  general: '-g, --general-numeric-sort  compare according to general numerical value',
  printable: '-i, --ignore-nonprinting  consider only printable characters',
  month: "-M, --month-sort  compare (unknown) < 'JAN' < ... < 'DEC'",
  human: '-h, --human-numeric-sort  compare human readable numbers (e.g., 2K 1G)',
  numeric: '-n, --numeric-sort  compare according to string numerical value',
  random: '-R, --random-sort  shuffle, but group identical keys',
  randomSource: '--random-source=FILE  (ignored)',
  reverse: '-r, --reverse  reverse the result of comparisons',
  sort: '--sort=WORD  sort according to WORD: general-numeric, human-numeric, month, numeric, random, version',
  versionSort: '-V, --version-sort  natural sort of (version) numbers within text',
  batch: '--batch-size=NMERGE  (ignored)',
  check: '-c, --check[=WHEN]  check for sorted input; do not sort',
  checkQuietly: '-C  like -c, but do not report first bad line',
  compress: '--compress-program=PROG  (ignored)',
  debug: '--debug  (ignored)',
  files: '--files0-from=F  read input from the files specified by NUL-terminated names in file F',
  key: '-k, --key=KEYDEF  sort via a key; KEYDEF gives location and type',
  merge: '-m, --merge  merge already sorted files; do not sort',
  output: '-o, --output=FILE  write result to FILE instead of standard output',
  stable: '-s, --stable  stabilize sort by disabling last-resort comparison',
  buffer: '-S, --buffer-size=SIZE  (ignored)',
  separator: '-t, --field-separator=SEP  use SEP instead of non-blank to blank transition',
  temporary: '-T, --temporary-directory=DIR  (ignored)',
  parallel: '--parallel=N  (ignored)',
  unique: '-u, --unique  output only the first of an equal run; with -c, check for strict ordering',
  zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
};

const letters: Readonly<Record<string, string>> = {
  blanks: 'b',
  dictionary: 'd',
  fold: 'f',
  general: 'g',
  printable: 'i',
  month: 'M',
  human: 'h',
  numeric: 'n',
  random: 'R',
  reverse: 'r',
  versionSort: 'V',
};

const sortWords: ReadonlyMap<ShellText, string> = new Map([
  ['general-numeric', 'g'],
  ['human-numeric', 'h'],
  ['month', 'M'],
  ['numeric', 'n'],
  ['random', 'R'],
  ['version', 'V'],
]);

type Key = keyof typeof options;

export const sort: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Write sorted concatenation of all FILE(s) to standard output.',
  usageStatus: 2,
  options,
  async run(invocation) {
    const { call, options: given, operands, out } = invocation;
    const lines = new LineOrder(invocation);
    const delimiter = given.has('zero') ? '\0' : '\n';
    const list = given.value('files');
    const names =
      list === undefined
        ? operands
        : decodeText(await readInput(call, list))
            .split('\0')
            .filter((name) => name !== '');
    const files = names.length > 0 ? names : ['-'];
    const check = given.last('check', 'checkQuietly');
    if (check !== undefined) {
      if (files.length > 1)
        throw new ProgramError(`extra operand ${quoteName(files[1] ?? '')} not allowed with -c`, {
          status: 2,
        });
      const isQuiet = check === 'checkQuietly' || ['quiet', 'silent'].includes(given.value('check') ?? '');
      return checkOrder(invocation, { lines, name: files[0] ?? '-', delimiter, isQuiet });
    }
    const all = new HeldLines();
    for (const name of files) await readLines(invocation, { name, delimiter, into: all });
    const sorted = await lines.sort(all);
    const output = given.value('output');
    if (output === undefined) {
      for (const line of sorted) {
        out.add(line + delimiter);
        if (out.isFull) await out.flush();
      }
      return 0;
    }
    try {
      const file = openOutput(call, output);
      try {
        const written = new Output(file, call.signal);
        for (const line of sorted) await written.write(line + delimiter);
        await written.flush();
      } finally {
        file.release();
      }
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`open failed: ${nameInMessage(output)}: ${error.message}`, { status: 2 });
    }
    return 0;
  },
});

/** The lines of all files, within bounds. */
class HeldLines {
  readonly lines: ShellText[] = [];
  /** With what ends each line. */
  characters = 0;

  /** @throws ShellLimitError */
  add(lines: readonly ShellText[]): void {
    for (const line of lines) {
      this.lines.push(line);
      this.characters += line.length + 1;
    }
    if (this.characters > shellLimits.inputBytes)
      throw new ShellLimitError('inputBytes', `the input has more than ${shellLimits.inputBytes} bytes`);
    checkLineCount(this.lines.length);
  }
}

async function readLines(
  { call }: Pick<Invocation<Key>, 'call'>,
  { name, delimiter, into }: { name: ShellText; delimiter: '\n' | '\0'; into: HeldLines },
): Promise<void> {
  let isOpen = false;
  try {
    const file = openInput(call, name);
    isOpen = true;
    try {
      for await (const { lines } of textLines(file, call.signal, delimiter)) into.add(lines);
    } finally {
      file.release();
    }
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    const what = isOpen ? 'read failed' : 'cannot read';
    throw new ProgramError(`${what}: ${nameInMessage(name)}: ${error.message}`, { status: 2 });
  }
}

async function checkOrder(
  invocation: Invocation<Key>,
  {
    lines,
    name,
    delimiter,
    isQuiet,
  }: { lines: LineOrder; name: ShellText; delimiter: '\n' | '\0'; isQuiet: boolean },
): Promise<number> {
  const all = new HeldLines();
  await readLines(invocation, { name, delimiter, into: all });
  const disorder = await lines.firstDisorder(all.lines);
  if (disorder < 0) return 0;
  if (!isQuiet) await invocation.warn(`${name}:${disorder + 1}: disorder: ${all.lines[disorder] ?? ''}`);
  return 1;
}

interface Keyed {
  readonly line: ShellText;
  readonly keys: readonly Comparable[];
}

/** The order of lines that the options say. */
class LineOrder {
  readonly #keys: readonly (SortKey & { readonly order: KeyOrder })[];
  readonly #separator: string | undefined;
  readonly #isUnique: boolean;
  readonly #isStable: boolean;
  readonly #isReversed: boolean;
  readonly #steps: Steps;

  constructor({ call, options: given }: Pick<Invocation<Key>, 'call' | 'options'>) {
    this.#steps = new Steps(call.signal);
    let global = '';
    for (const { key, value } of given.given) {
      if (key === 'sort') global += sortWords.get(value ?? '') ?? unknown(value ?? '');
      else if (Object.hasOwn(letters, key)) global += letters[key];
    }
    const kinds = [...new Set(global.replaceAll(/[^ghMnRV]/g, ''))];
    if (kinds.length > 1)
      throw new ProgramError(`options '-${kinds.sort().join('')}' are incompatible`, { status: 2 });
    const order = orderOf(global);
    const keys = given.values('key').map(parseSortKey);
    const whole: SortKey = {
      startField: 1,
      startCharacter: 1,
      endField: 0,
      endCharacter: 0,
      order: undefined,
    };
    this.#keys = (keys.length > 0 ? keys : [whole]).map((key) => ({ ...key, order: key.order ?? order }));
    this.#separator = separatorOf(given.value('separator'));
    this.#isUnique = given.has('unique');
    this.#isStable = given.has('stable') || this.#isUnique;
    this.#isReversed = order.isReversed;
  }

  async sort({ lines, characters }: HeldLines): Promise<readonly ShellText[]> {
    const [only] = this.#keys;
    const steps = this.#steps;
    // Long lines take long to compare.
    const runLength = Math.min(Math.max(Math.floor((lines.length * 2 ** 20) / (characters + 1)), 2), 4096);
    const { order } = only ?? { order: orderOf('') };
    const isWhole =
      this.#keys.length === 1 && only?.startField === 1 && only.startCharacter === 1 && only.endField === 0;
    const isPlain =
      isWhole &&
      order.kind === 'text' &&
      !order.foldsCase &&
      !order.ignoresOthers &&
      !order.ignoresUnprintable &&
      !order.skipsBlanksAtStart;
    if (isPlain) {
      const sorted = await mergeSorted(lines, compareText, { steps, runLength });
      if (order.isReversed) sorted.reverse();
      return this.#isUnique ? sorted.filter((line, index) => line !== sorted[index - 1]) : sorted;
    }
    const keyed: Keyed[] = [];
    for (const line of lines) {
      keyed.push(this.#keyed(line));
      if (steps.isDue) await steps.next();
    }
    const sorted = await mergeSorted(keyed, (a, b) => this.#compare(a, b), { steps, runLength });
    const result: ShellText[] = [];
    let before: Keyed | undefined;
    for (const entry of sorted) {
      const isRepeated = this.#isUnique && before !== undefined && this.#compareKeys(before, entry) === 0;
      if (!isRepeated) result.push(entry.line);
      before = entry;
      if (steps.isDue) await steps.next();
    }
    return result;
  }

  /** The index of the first line that is not in order; -1 of none. */
  async firstDisorder(lines: readonly ShellText[]): Promise<number> {
    let before: Keyed | undefined;
    for (const [index, line] of lines.entries()) {
      const entry = this.#keyed(line);
      const order = before === undefined ? -1 : this.#compare(before, entry);
      if (this.#isUnique ? order >= 0 : order > 0) return index;
      before = entry;
      if (this.#steps.isDue) await this.#steps.next();
    }
    return -1;
  }

  #keyed(line: ShellText): Keyed {
    const keys = this.#keys.map((key) => {
      return comparableOf(keyText(line, key, { separator: this.#separator, order: key.order }), key.order);
    });
    return { line, keys };
  }

  #compareKeys(a: Keyed, b: Keyed): number {
    for (const [index, { order }] of this.#keys.entries()) {
      const compared = compareComparables(a.keys[index] ?? '', b.keys[index] ?? '', order.kind);
      if (compared !== 0) return order.isReversed ? -compared : compared;
    }
    return 0;
  }

  #compare(a: Keyed, b: Keyed): number {
    const byKeys = this.#compareKeys(a, b);
    if (byKeys !== 0 || this.#isStable) return byKeys;
    const byLine = compareText(a.line, b.line);
    return this.#isReversed ? -byLine : byLine;
  }
}

function unknown(word: ShellText): never {
  throw new ProgramError(`invalid argument ${quoteName(word)} for '--sort'`, { status: 2, isUsage: true });
}

function separatorOf(text: ShellText | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text === '') throw new ProgramError('empty tab', { status: 2 });
  if (text === '\\0') return '\0';
  if ([...text].length > 1) throw new ProgramError(`multi-character tab ${quoteName(text)}`, { status: 2 });
  return text;
}

/** Sorts in pieces that are merged, between which others get the thread. Equal ones keep their order. */
async function mergeSorted<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  { steps, runLength }: { steps: Steps; runLength: number },
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(compare));
    await steps.next();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? []));
    }
    runs = merged;
  }
  return runs[0] ?? [];

  async function merge(left: readonly T[], right: readonly T[]): Promise<T[]> {
    const merged: T[] = [];
    let [one, other] = [0, 0];
    while (one < left.length || other < right.length) {
      const [a, b] = [left[one], right[other]];
      const takesLeft = other >= right.length || (one < left.length && compare(a as T, b as T) <= 0);
      merged.push((takesLeft ? a : b) as T);
      if (takesLeft) one += 1;
      else other += 1;
      if (merged.length % runLength === 0) await steps.next();
    }
    return merged;
  }
}
