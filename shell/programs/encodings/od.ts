import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { formatNumber } from '../notation/format-number.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

/** How units of a line are shown. */
interface UnitFormat {
  readonly bytes: number;
  readonly width: number;
  /** Shows the characters of the line after it (`z`). */
  readonly showsText: boolean;
  show(view: DataView, at: number): string;
}

export const od: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Write an unambiguous representation, octal bytes by default, of FILE to standard output.',
  options: {
    radix: '-A, --address-radix=RADIX  output format for file offsets; RADIX is one of [doxn]',
    endian: '--endian=ORDER  swap input bytes according the specified order: big or little',
    skip: '-j, --skip-bytes=BYTES  skip BYTES input bytes first',
    count: '-N, --read-bytes=BYTES  limit dump to BYTES input bytes',
    strings: '-S BYTES, --strings[=BYTES]  (not supported)',
    type: '-t, --format=TYPE  select output format or formats: a c d[SIZE] f[SIZE] o[SIZE] u[SIZE] x[SIZE]',
    duplicates: '-v, --output-duplicates  do not use * to mark line suppression',
    width:
      '-w[BYTES], --width[=BYTES]  output BYTES bytes per output line; 32 is implied when BYTES is not specified',
    a: '-a  same as -t a,  select named characters',
    b: '-b  same as -t o1, select octal bytes',
    c: '-c  same as -t c,  select printable characters or backslash escapes',
    d: '-d  same as -t u2, select unsigned decimal 2-byte units',
    f: '-f  same as -t fF, select floats',
    i: '-i  same as -t dI, select decimal ints',
    l: '-l  same as -t dL, select decimal longs',
    o: '-o  same as -t o2, select octal 2-byte units',
    s: '-s  same as -t d2, select decimal 2-byte units',
    x: '-x  same as -t x2, select hexadecimal 2-byte units',
    e: '-e  same as -t fD',
    B: '-B  same as -t o2',
    D: '-D  same as -t u4',
    F: '-F  same as -t fD',
    H: '-H  same as -t x4',
    I: '-I  same as -t dL',
    L: '-L  same as -t dL',
    O: '-O  same as -t o4',
    X: '-X  same as -t x4',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const isLittle = options.value('endian') !== 'big';
    const types: Readonly<Record<string, string>> = {
      a: 'a',
      b: 'o1',
      c: 'c',
      d: 'u2',
      f: 'f4',
      i: 'd4',
      l: 'd8',
      o: 'o2',
      s: 'd2',
      x: 'x2',
      e: 'f8',
      B: 'o2',
      D: 'u4',
      F: 'f8',
      H: 'x4',
      I: 'd8',
      L: 'd8',
      O: 'o4',
      X: 'x4',
    };
    const formats: UnitFormat[] = [];
    for (const { key, value } of options.given) {
      const text = key === 'type' ? (value ?? '') : Object.hasOwn(types, key) ? types[key] : undefined;
      if (text !== undefined) for (const format of parseTypes(text, isLittle)) formats.push(format);
    }
    if (formats.length === 0) formats.push(...parseTypes('o2', isLittle));
    const multiple = formats.reduce((least, { bytes }) => leastCommonMultiple(least, bytes), 1);
    const wanted = options.has('width')
      ? countOf(options.value('width') ?? '32', 'invalid --width argument')
      : 16;
    const width = wanted % multiple === 0 && wanted > 0 ? wanted : multiple;
    const radix = options.value('radix') ?? 'o';
    if (!/^[doxn]$/.test(radix)) {
      throw new ProgramError(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
    }
    const dump = new Dump({ formats, width, radix, showsDuplicates: options.has('duplicates') });
    let skipped = countOf(options.value('skip') ?? '0', 'invalid --skip-bytes argument');
    let left = options.has('count')
      ? countOf(options.value('count') ?? '', 'invalid --read-bytes argument')
      : Number.POSITIVE_INFINITY;
    dump.offset = skipped;
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        for await (const piece of pieces(file, call.signal)) {
          const start = Math.min(skipped, piece.length);
          skipped -= start;
          const taken = piece.subarray(start, start + Math.min(left, piece.length));
          left -= taken.length;
          await out.write(dump.add(taken));
          if (left === 0) return;
        }
      });
      if (!isDone) status = 1;
    }
    if (skipped > 0) throw new ProgramError('cannot skip past end of combined input');
    out.add(dump.end());
    return status;
  },
});

interface DumpStyle {
  readonly formats: readonly UnitFormat[];
  readonly width: number;
  readonly radix: string;
  readonly showsDuplicates: boolean;
}

class Dump {
  readonly #style: DumpStyle;
  readonly #columns: number;
  offset = 0;
  #held: number[] = [];
  #previous = '';
  #isSuppressing = false;

  constructor(style: DumpStyle) {
    this.#style = style;
    // Units of all formats stand below each other: a byte takes as many columns as the widest needs.
    this.#columns = style.formats.reduce(
      (most, { width, bytes }) => Math.max(most, ((width + 1) * style.width) / bytes),
      0,
    );
  }

  add(bytes: Uint8Array): string {
    let text = '';
    for (const byte of bytes) {
      this.#held.push(byte);
      if (this.#held.length === this.#style.width) text += this.#line();
    }
    return text;
  }

  end(): string {
    const last = this.#held.length > 0 ? this.#line() : '';
    return this.#style.radix === 'n' ? last : `${last}${this.#address()}\n`;
  }

  #line(): string {
    const bytes = Uint8Array.from(this.#held);
    const key = this.#held.join(',');
    const isFull = bytes.length === this.#style.width;
    if (!this.#style.showsDuplicates && isFull && key === this.#previous) {
      const isFirst = !this.#isSuppressing;
      this.#isSuppressing = true;
      this.offset += bytes.length;
      this.#held = [];
      return isFirst ? '*\n' : '';
    }
    this.#previous = key;
    this.#isSuppressing = false;
    const padded = new Uint8Array(this.#style.width + 8);
    padded.set(bytes);
    const view = new DataView(padded.buffer);
    const address = this.#address();
    const lines = this.#style.formats.map((format, index) => {
      const lead =
        index === 0 || this.#style.radix === 'n' ? (index === 0 ? address : '') : ' '.repeat(address.length);
      return `${lead}${this.#units(format, view, bytes.length)}\n`;
    });
    this.offset += bytes.length;
    this.#held = [];
    return lines.join('');
  }

  #units(format: UnitFormat, view: DataView, length: number): string {
    const count = this.#style.width / format.bytes;
    const used = Math.ceil(length / format.bytes);
    let text = '';
    for (let index = 0; index < used; index++) {
      const end =
        Math.round(((index + 1) * this.#columns) / count) - Math.round((index * this.#columns) / count);
      text += format.show(view, index * format.bytes).padStart(Math.max(end, format.width + 1));
    }
    if (!format.showsText) return text;
    const blank = ' '.repeat(Math.max(this.#columns - text.length, 0));
    const shown = Array.from({ length }, (_, at) => printable(view.getUint8(at))).join('');
    return `${text}${blank}  >${shown}<`;
  }

  #address(): string {
    switch (this.#style.radix) {
      case 'd':
        return String(this.offset).padStart(7, '0');
      case 'x':
        return this.offset.toString(16).padStart(6, '0');
      case 'n':
        return '';
      default:
        return this.offset.toString(8).padStart(7, '0');
    }
  }
}

function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}

const sizes: Readonly<Record<string, number>> = { C: 1, S: 2, I: 4, L: 8, F: 4, D: 8 };

function parseTypes(text: ShellText, isLittle: boolean): UnitFormat[] {
  const formats: UnitFormat[] = [];
  let rest = text;
  while (rest !== '') {
    const [whole, letter = '', size = '', mark] = /^([acdfoux])([CSILFD]|\d+)?(z)?/.exec(rest) ?? [];
    if (whole === undefined)
      throw new ProgramError(`invalid character '${rest[0]}' in type string ${quoteName(text)}`);
    rest = rest.slice(whole.length);
    const bytes = size === '' ? (letter === 'f' ? 8 : 4) : (sizes[size] ?? Number(size));
    const format = formatOf(letter, { bytes, isLittle, showsText: mark !== undefined });
    if (format === undefined) {
      const kind = letter === 'f' ? 'floating point' : 'integral';
      throw new ProgramError(
        `invalid type string ${quoteName(text)};\nthis system doesn't provide a ${bytes}-byte ${kind} type`,
      );
    }
    formats.push(format);
  }
  return formats;
}

const octalWidths: Readonly<Record<number, number>> = { 1: 3, 2: 6, 4: 11, 8: 22 };
const signedWidths: Readonly<Record<number, number>> = { 1: 4, 2: 6, 4: 11, 8: 20 };
const unsignedWidths: Readonly<Record<number, number>> = { 1: 3, 2: 5, 4: 10, 8: 20 };

function formatOf(
  letter: string,
  { bytes, isLittle, showsText }: { bytes: number; isLittle: boolean; showsText: boolean },
): UnitFormat | undefined {
  if (letter === 'a' || letter === 'c') {
    const show = letter === 'a' ? namedCharacter : escapedCharacter;
    return { bytes: 1, width: 3, showsText, show: (view, at) => show(view.getUint8(at)) };
  }
  if (letter === 'f') {
    if (bytes !== 4 && bytes !== 8) return undefined;
    const show = (view: DataView, at: number) =>
      bytes === 4
        ? shortestFloat(view.getFloat32(at, isLittle))
        : shortestDouble(view.getFloat64(at, isLittle));
    return { bytes, width: bytes === 4 ? 15 : 24, showsText, show };
  }
  const widths = letter === 'o' ? octalWidths : letter === 'd' ? signedWidths : unsignedWidths;
  const width = letter === 'x' ? bytes * 2 : widths[bytes];
  if (width === undefined || ![1, 2, 4, 8].includes(bytes)) return undefined;
  const value = (view: DataView, at: number): bigint => {
    if (bytes === 1) return BigInt(letter === 'd' ? view.getInt8(at) : view.getUint8(at));
    if (bytes === 2)
      return BigInt(letter === 'd' ? view.getInt16(at, isLittle) : view.getUint16(at, isLittle));
    if (bytes === 4)
      return BigInt(letter === 'd' ? view.getInt32(at, isLittle) : view.getUint32(at, isLittle));
    return letter === 'd' ? view.getBigInt64(at, isLittle) : view.getBigUint64(at, isLittle);
  };
  const radix = letter === 'o' ? 8 : letter === 'x' ? 16 : 10;
  const isPadded = radix !== 10;
  return {
    bytes,
    width,
    showsText,
    show: (view, at) => {
      const text = value(view, at).toString(radix);
      return isPadded ? text.padStart(width, '0') : text;
    },
  };
}

function shortestFloat(value: number): string {
  // Numbers near zero have fewer digits.
  for (let precision = Math.abs(value) < 2 ** -126 ? 1 : 6; precision < 9; precision++) {
    const text = general(value, precision);
    if (Math.fround(Number(text)) === value) return text;
  }
  return general(value, 9);
}

function shortestDouble(value: number): string {
  for (let precision = Math.abs(value) < 2 ** -1022 ? 1 : 15; precision < 17; precision++) {
    const text = general(value, precision);
    if (Number(text) === value) return text;
  }
  return general(value, 17);
}

function general(value: number, precision: number): string {
  return formatNumber(value, { prefix: '', suffix: '', flags: '', width: 0, precision, conversion: 'g' });
}

const controlNames =
  'nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp'.split(
    ' ',
  );

function namedCharacter(byte: number): string {
  const low = byte & 0x7f;
  return low === 0x7f ? 'del' : (controlNames[low] ?? String.fromCharCode(low));
}

const escapes: Readonly<Record<number, string>> = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
};

function escapedCharacter(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  return escapes[byte] ?? byte.toString(8).padStart(3, '0');
}

function leastCommonMultiple(a: number, b: number): number {
  let [high, low] = [a, b];
  while (low !== 0) [high, low] = [low, high % low];
  return (a / high) * b;
}
