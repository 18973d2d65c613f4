import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { formatNumber, parseNumberFormat } from '../notation/format-number.ts';
import type { Program } from '../program.ts';
import type { Output } from '../streams/output.ts';

/** A decimal number, exactly: `units` of 10 to the power of minus `scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const seq: Program = defineProgram({
  usage: '[OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST',
  summary: 'Print numbers from FIRST to LAST, in steps of INCREMENT.',
  options: {
    format: '-f, --format=FORMAT  use printf style floating-point FORMAT',
    separator: '-s, --separator=STRING  use STRING to separate numbers (default: \\n)',
    equalWidth: '-w, --equal-width  equalize width by padding with leading zeroes',
  },
  permutes: false,
  // A negative number is no option.
  rewrite: (args) => {
    const at = args.findIndex((argument) => /^-[\d.]/.test(argument));
    if (at < 0) return args;
    const before = args.slice(0, at);
    const isOperand = (argument: ShellText, index: number) =>
      !argument.startsWith('-') && !/^-[sf]$/.test(before[index - 1] ?? '');
    return before.includes('--') || before.some(isOperand) ? args : [...before, '--', ...args.slice(at)];
  },
  async run({ options, operands, out }) {
    if (operands.length === 0) throw new UsageError('missing operand');
    if (operands.length > 3) throw new UsageError(`extra operand ${quoteName(operands[3] ?? '')}`);
    const [one = '1', two = '1', three = '1'] = operands;
    const [first, step, last] =
      operands.length === 1 ? ['1', '1', one] : operands.length === 2 ? [one, '1', two] : [one, two, three];
    const separator = options.value('separator') ?? '\n';
    const text = options.value('format');
    const format = text === undefined ? undefined : parseNumberFormat(text);
    if (text !== undefined && format === undefined) {
      throw new ProgramError(formatMistake(text));
    }
    if (format && options.has('equalWidth')) {
      throw new UsageError('format string may not be specified when printing equal width strings');
    }
    const numbers = { first: decimalOf(first), step: decimalOf(step), last: decimalOf(last) };
    if (numbers.step?.units === 0n) throw new UsageError(`invalid Zero increment value: ${quoteName(step)}`);
    const scale = Math.max(numbers.first?.scale ?? 0, numbers.step?.scale ?? 0);
    const width = options.has('equalWidth') ? widthOf([numbers.first, numbers.last], scale) : 0;
    await print(numbers, {
      out,
      separator,
      width,
      scale,
      format: format && ((value) => formatNumber(value, format)),
    });
    return 0;
  },
});

function formatMistake(text: ShellText): string {
  const rest = text.replaceAll('%%', '');
  if (!rest.includes('%')) return `format ${quoteName(text)} has no % directive`;
  const [, letter = ''] = /%[-+ #0']*\d*(?:\.\d*)?([\s\S]?)/.exec(rest) ?? [];
  if (letter === '') return `format ${quoteName(text)} ends in %`;
  if (!/[aefgEFG]/.test(letter)) return `format ${quoteName(text)} has unknown %${letter} directive`;
  return `format ${quoteName(text)} has too many % directives`;
}

/** `undefined`: without end. @throws UsageError */
function decimalOf(text: ShellText): Decimal | undefined {
  const trimmed = text.trim();
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d{1,4}))?$/.exec(trimmed) ?? [];
  if (whole + fraction === '') {
    if (/^[-+]?inf(inity)?$/i.test(trimmed)) return undefined;
    const number = /^[-+]?0x[\da-f]+$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
    if (Number.isInteger(number)) return { units: BigInt(number), scale: 0 };
    const kind = /^[-+]?nan$/i.test(trimmed)
      ? `invalid 'not-a-number' argument: ${quoteName(text)}`
      : undefined;
    throw new UsageError(kind ?? `invalid floating point argument: ${quoteName(text)}`);
  }
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

function scaled({ units, scale }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - scale);
}

function widthOf(numbers: readonly (Decimal | undefined)[], scale: number): number {
  return Math.max(
    ...numbers.map((number) => {
      if (number === undefined) return 0;
      const finest = Math.max(scale, number.scale);
      const text = decimalText(scaled(number, finest), finest);
      return text.split('.')[0]?.length ?? 0;
    }),
  );
}

function decimalText(units: bigint, scale: number): string {
  const isNegative = units < 0n;
  const digits = String(isNegative ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${isNegative ? '-' : ''}${whole}${scale > 0 ? `.${digits.slice(digits.length - scale)}` : ''}`;
}

interface Printing {
  readonly out: Output;
  readonly separator: ShellText;
  readonly width: number;
  readonly scale: number;
  readonly format: ((value: number) => string) | undefined;
}

async function print(
  { first, step, last }: Record<'first' | 'step' | 'last', Decimal | undefined>,
  { out, separator, width, scale, format }: Printing,
): Promise<void> {
  if (first === undefined || step === undefined) return;
  const finest = Math.max(scale, last?.scale ?? 0);
  const increment = scaled(step, finest);
  const end = last === undefined ? undefined : scaled(last, finest);
  const shift = 10n ** BigInt(finest - scale);
  let isFirst = true;
  for (
    let value = scaled(first, finest);
    end === undefined || (increment > 0n ? value <= end : value >= end);
    value += increment
  ) {
    const plain = decimalText(value / shift, scale);
    const shown = format ? format(Number(plain)) : padded(plain, width + (scale > 0 ? scale + 1 : 0));
    out.add(isFirst ? shown : `${separator}${shown}`);
    isFirst = false;
    if (out.isFull) await out.flush();
  }
  if (!isFirst) out.add('\n');
}

function padded(text: string, width: number): string {
  return text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0');
}
