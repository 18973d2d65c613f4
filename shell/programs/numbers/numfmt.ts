import type { ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { parseCount } from '../command-line/parse-count.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { openInput } from '../streams/input.ts';
import { LineReader } from '../streams/line-reader.ts';
import { parseRanges, type Range } from '../text/ranges.ts';
import { type Rounding, readScaled, type Scale, ScaledNumberProblem, showScaled } from './scaled-number.ts';

const options = {
  delimiter: '-d, --delimiter=X  use X instead of whitespace for field delimiter',
  field: '--field=FIELDS  replace the numbers in these input fields (default=1)',
  format: "--format=FORMAT  use printf style floating-point FORMAT: '%', flags, width, precision, 'f'",
  from: '--from=UNIT  auto-scale input numbers to UNITs: none, auto, si, iec, iec-i',
  fromUnit: '--from-unit=N  specify the input unit size (instead of the default 1)',
  grouping: '--grouping  (ignored: the C locale has no groups)',
  header: '--header[=N]  print (without converting) the first N header lines; N defaults to 1',
  invalid: '--invalid=MODE  failure mode for invalid numbers: abort, fail, warn, ignore',
  padding: '--padding=N  pad the output to N characters; negative N will left-align',
  round: '--round=METHOD  use METHOD for rounding: up, down, from-zero, towards-zero, nearest',
  suffix: '--suffix=SUFFIX  add SUFFIX to output numbers, and accept optional SUFFIX in input numbers',
  to: '--to=UNIT  auto-scale output numbers to UNITs: none, si, iec, iec-i',
  toUnit: '--to-unit=N  the output unit size (instead of the default 1)',
  zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
};

type Key = keyof typeof options;

const mostPadding = 65_536;

export const numfmt: Program = defineProgram({
  usage: '[OPTION]... [NUMBER]...',
  summary: 'Reformat NUMBER(s), or the numbers from standard input if none are specified.',
  options,
  async run(invocation) {
    const { call, options: given, operands, out } = invocation;
    const converter = new NumberConverter(invocation);
    const delimiter = given.has('zero') ? '\0' : '\n';
    if (operands.length > 0) {
      for (const line of operands) await out.write((await converter.line(line)) + delimiter);
      return converter.status;
    }
    let headers = given.has('header') ? countOf(given.value('header') ?? '1', 'header') : 0;
    const file = openInput(call, '-');
    try {
      const reader = new LineReader(file, call.signal, delimiter);
      for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
        const shown = headers > 0 ? line : await converter.line(line);
        headers -= 1;
        await out.write(shown + (reader.wasEnded ? delimiter : ''));
      }
    } finally {
      file.release();
    }
    return converter.status;
  },
});

class NumberConverter {
  readonly #invocation: Invocation<Key>;
  readonly #fields: readonly Range[];
  readonly #delimiter: string | undefined;
  readonly #from: Scale;
  readonly #to: Scale;
  readonly #rounding: Rounding;
  readonly #invalid: string;
  readonly #suffix: ShellText;
  readonly #units: { readonly from: number; readonly to: number };
  readonly #padding: number | undefined;
  readonly #format: NumberFormat;
  status = 0;

  constructor(invocation: Invocation<Key>) {
    this.#invocation = invocation;
    const { options: given } = invocation;
    const unit = (key: 'fromUnit' | 'toUnit') => {
      const text = given.value(key) ?? '1';
      // Here K is 1,000, and Ki 1,024.
      const size = parseCount(text.endsWith('i') ? text.slice(0, -1) : text.replace(/[KMGTPE]$/, '$&B'));
      if (!size) throw new ProgramError(`invalid unit size: ${quoteName(text)}`);
      return size;
    };
    this.#fields = parseRanges(given.value('field') ?? '1', 'fields');
    this.#delimiter = given.value('delimiter');
    this.#from = wordOf(given.value('from'), ['none', 'auto', 'si', 'iec', 'iec-i'], '--from') ?? 'none';
    this.#to = wordOf(given.value('to'), ['none', 'si', 'iec', 'iec-i'], '--to') ?? 'none';
    const roundings: Rounding[] = ['up', 'down', 'from-zero', 'towards-zero', 'nearest'];
    this.#rounding = wordOf(given.value('round'), roundings, '--round') ?? 'from-zero';
    const modes = ['abort', 'fail', 'warn', 'ignore'] as const;
    this.#invalid = wordOf(given.value('invalid'), modes, '--invalid') ?? 'abort';
    this.#suffix = given.value('suffix') ?? '';
    this.#units = { from: unit('fromUnit'), to: unit('toUnit') };
    const padding = given.value('padding');
    if (padding !== undefined && (!/^[-+]?\d+$/.test(padding) || Number(padding) === 0))
      throw new ProgramError(`invalid padding value ${quoteName(padding)}`);
    this.#padding = padding === undefined ? undefined : bounded(Number(padding));
    this.#format = formatOf(given.value('format') ?? '%f');
  }

  async line(line: ShellText): Promise<ShellText> {
    const parts = this.#delimiter === undefined ? blankFields(line) : line.split(this.#delimiter);
    const shown: ShellText[] = [];
    for (const [index, part] of parts.entries()) {
      const isChosen = this.#fields.some(({ first, last }) => index + 1 >= first && index + 1 <= last);
      shown.push(isChosen ? await this.#field(part, index) : part);
    }
    return shown.join(this.#delimiter ?? ' ');
  }

  async #field(field: ShellText, index: number): Promise<ShellText> {
    const hasSuffix =
      this.#suffix !== '' && field.length > this.#suffix.length && field.endsWith(this.#suffix);
    const number = (hasSuffix ? field.slice(0, -this.#suffix.length) : field).replace(/^[ \t]+/, '');
    try {
      const { value, decimals } = readScaled(number, this.#from);
      const scaled = (value * this.#units.from) / this.#units.to;
      const text = showScaled(scaled, {
        scale: this.#to,
        rounding: this.#rounding,
        decimals: this.#format.decimals,
        usual: this.#units.from === 1 && this.#units.to === 1 ? decimals : 0,
      });
      const { prefix, suffix, zeros, width } = this.#format;
      const filled = zeros > 0 ? zeroFilled(text, zeros) : text;
      // A field that had blanks before it keeps its place.
      const isPlaced = this.#delimiter === undefined && (index > 0 || /^[ \t]/.test(field));
      const padding = this.#padding ?? width ?? (isPlaced ? field.length : 0);
      return prefix + padded(filled + this.#suffix, padding) + suffix;
    } catch (error) {
      if (!(error instanceof ScaledNumberProblem)) throw error;
      if (this.#invalid === 'abort') throw new ProgramError(error.message, { status: 2 });
      if (this.#invalid !== 'ignore') await this.#invocation.warn(error.message);
      if (this.#invalid === 'fail') this.status = 2;
      return field;
    }
  }
}

/** Fields between single blanks; those before a field are part of it. */
function blankFields(line: ShellText): ShellText[] {
  return (
    line
      .match(/(?:^[ \t]*|[ \t])(?:[ \t]*[^ \t]+|[ \t]*$)/g)
      ?.map((field, index) => (index === 0 ? field : field.slice(1))) ?? [line]
  );
}

interface NumberFormat {
  readonly prefix: ShellText;
  readonly suffix: ShellText;
  readonly zeros: number;
  readonly width: number | undefined;
  readonly decimals: number | undefined;
}

function formatOf(format: ShellText): NumberFormat {
  const shown = quoteName(format);
  const match = /^((?:[^%]|%%)*)%([-0' ]*)(\d*)(?:\.(\d*))?f((?:[^%]|%%)*)$/.exec(format);
  if (match === null) {
    const hasDirective = /^(?:[^%]|%%)*%[^%]/.test(format);
    throw new ProgramError(
      hasDirective
        ? `invalid format ${shown}, directive must be %[0]['][-][N][.][N]f`
        : `format ${shown} has no % directive`,
    );
  }
  const [, prefix = '', flags = '', digits = '', decimals, suffix = ''] = match;
  const width = bounded(Number(digits));
  const isZeroed = flags.includes('0') && !flags.includes('-');
  return {
    prefix: prefix.replaceAll('%%', '%'),
    suffix: suffix.replaceAll('%%', '%'),
    zeros: isZeroed ? width : 0,
    width: digits === '' || isZeroed ? undefined : flags.includes('-') ? -width : width,
    decimals: decimals === undefined ? undefined : Math.min(Number(decimals), 100),
  };
}

function bounded(width: number): number {
  if (Math.abs(width) > mostPadding)
    throw new ProgramError(`invalid padding value ${quoteName(String(width))}`);
  return width;
}

function zeroFilled(text: string, width: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function padded(text: ShellText, width: number): ShellText {
  return width < 0 ? text.padEnd(-width) : text.padStart(width);
}

function countOf(text: ShellText, what: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count === 0) throw new ProgramError(`invalid ${what} value ${quoteName(text)}`);
  return count;
}

function wordOf<Word extends string>(
  wanted: ShellText | undefined,
  words: readonly Word[],
  option: string,
): Word | undefined {
  if (wanted === undefined) return undefined;
  const found =
    words.find((word) => word === wanted) ?? words.find((word) => wanted !== '' && word.startsWith(wanted));
  if (found !== undefined) return found;
  const valid = words.map((word) => `\n  - '${word}'`).join('');
  throw new UsageError(`invalid argument ${quoteName(wanted)} for '${option}'\nValid arguments are:${valid}`);
}
