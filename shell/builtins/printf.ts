import { assignByName, quote } from '../expand/expand.ts';
import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../text.ts';
import { formatTime } from '../time/format-time.ts';
import { decodeEscapes } from './escapes.ts';
import { readOptions } from './option-letters.ts';
import { type FloatConversion, formatFloat } from './printf-float.ts';
import { type Conversion, type FormatPiece, parseFormat } from './printf-format.ts';
import { formatInteger, parseFloating, parseInteger } from './printf-numbers.ts';

const usage = 'printf [-v var] format [arguments]';

/** `printf [-v name] format [arguments]` */
export const printf: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'v:', usage });
  if (!options) return 2;
  const target = options.values.get('v');
  if (target !== undefined && !/^[A-Za-z_]\w*(\[.+\])?$/s.test(target)) {
    await shell.tell(`printf: \`${target}': not a valid identifier`);
    return 2;
  }
  const [format, ...args] = options.operands;
  if (format === undefined) {
    shell.warnPlain(`printf: usage: ${usage}`);
    return 2;
  }
  const printing = new Printing(shell, parseFormat(format), args);
  await printing.run();
  if (target !== undefined) {
    await assignByName(target, printing.text, shell.scope);
    shell.assigned(target);
  } else if (printing.text !== '') await shell.print(printing.text);
  return printing.status;
};

/** One call: the format is used again until no arguments are left. */
class Printing {
  text: ShellText = '';
  status = 0;
  readonly #shell: Shell;
  readonly #pieces: readonly FormatPiece[];
  readonly #args: readonly ShellText[];
  #at = 0;
  #stops = false;

  constructor(shell: Shell, pieces: readonly FormatPiece[], args: readonly ShellText[]) {
    this.#shell = shell;
    this.#pieces = pieces;
    this.#args = args;
  }

  async run(): Promise<void> {
    for (;;) {
      const before = this.#at;
      for (const piece of this.#pieces) {
        if (piece.type === 'text') {
          if (piece.warning !== undefined) this.#shell.warn(`printf: ${piece.warning}`);
          this.text += piece.text;
        } else if (piece.type === 'invalid') {
          this.#complain(piece.message);
          return;
        } else this.text += await this.#convert(piece);
        if (this.text.length > shellLimits.valueLength) {
          throw new ShellLimitError('valueLength', `printf: more than ${shellLimits.valueLength} characters`);
        }
        if (this.#stops) return;
      }
      if (this.#at >= this.#args.length || this.#at === before) return;
      const pause = this.#shell.step();
      if (pause) await pause;
    }
  }

  #complain(message: string): void {
    this.#shell.warn(`printf: ${message}`);
    this.status = 1;
  }

  #next(): ShellText | undefined {
    const arg = this.#args[this.#at];
    if (arg !== undefined) this.#at += 1;
    return arg;
  }

  async #convert(conversion: Conversion): Promise<ShellText> {
    let { flags } = conversion;
    let width = conversion.width === '*' ? Number(this.#integer()) : conversion.width;
    let precision = conversion.precision === '*' ? Number(this.#integer()) : conversion.precision;
    if (width !== undefined && width < 0) {
      width = -width;
      flags += '-';
    }
    if (precision !== undefined && precision < 0) precision = undefined;
    if ((width ?? 0) > shellLimits.valueLength || (precision ?? 0) > shellLimits.valueLength) {
      throw new ShellLimitError('valueLength', `printf: more than ${shellLimits.valueLength} characters`);
    }
    const layout = { flags, width, precision };
    switch (conversion.letter) {
      case 's':
        return padText(this.#next() ?? '', layout);
      case 'b': {
        const { text, stops } = decodeEscapes(this.#next() ?? '', 'b');
        this.#stops = stops;
        return padText(text, layout);
      }
      case 'q':
      case 'Q':
        return this.#quoted(conversion.letter, layout);
      case 'c':
        return padText(decodeText(encodeText(this.#next() ?? '').slice(0, 1)), {
          ...layout,
          precision: undefined,
        });
      case 'n': {
        const name = this.#next();
        if (name) await assignByName(name, String(encodeText(this.text).length), this.#shell.scope);
        return '';
      }
      case 'T':
        return padText(this.#time(conversion.timeFormat ?? ''), layout);
      case 'd':
      case 'i':
        return formatInteger(this.#integer(), conversion.letter, layout);
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        return formatInteger(this.#integer('unsigned'), conversion.letter, layout);
      default:
        return formatFloat(this.#floating(), conversion.letter as FloatConversion, layout);
    }
  }

  #quoted(letter: 'q' | 'Q', layout: Layout): ShellText {
    const arg = this.#next() ?? '';
    const { precision } = layout;
    const cut = letter === 'Q' && precision !== undefined ? cutBytes(arg, precision) : arg;
    return padText(quote(cut, 'printf-q'), letter === 'Q' ? { ...layout, precision: undefined } : layout);
  }

  #time(format: string): ShellText {
    const arg = this.#next();
    const seconds =
      arg === undefined || arg === '-1'
        ? Date.now() / 1000
        : arg === '-2'
          ? this.#shell.startedAt / 1000
          : Number(this.#integerOf(arg));
    return formatTime(format === '' ? '%X' : format, {
      seconds: Math.floor(seconds),
      zone: this.#shell.variables.environment().get('TZ'),
    });
  }

  #integer(sign: 'signed' | 'unsigned' = 'signed'): bigint {
    const arg = this.#next();
    return arg === undefined ? 0n : this.#integerOf(arg, sign);
  }

  #integerOf(arg: ShellText, sign: 'signed' | 'unsigned' = 'signed'): bigint {
    const { value, problem } = parseInteger(arg, sign);
    if (problem !== undefined) this.#complain(problem);
    if (problem?.startsWith('warning')) this.status = 0;
    return value;
  }

  #floating(): number {
    const arg = this.#next();
    if (arg === undefined) return 0;
    const { value, problem } = parseFloating(arg);
    if (problem !== undefined) this.#complain(problem);
    return value;
  }
}

interface Layout {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

/** Width and precision count bytes, as in C. */
function padText(text: ShellText, { flags, width, precision }: Layout): ShellText {
  const cut = precision === undefined ? text : cutBytes(text, precision);
  if (width === undefined) return cut;
  const missing = width - encodeText(cut).length;
  if (missing <= 0) return cut;
  return flags.includes('-') ? cut + ' '.repeat(missing) : ' '.repeat(missing) + cut;
}

function cutBytes(text: ShellText, bytes: number): ShellText {
  return text.length * 3 <= bytes ? text : decodeText(encodeText(text).slice(0, bytes));
}
