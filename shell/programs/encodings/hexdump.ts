import { simpleEscapes } from '../../simple-escapes.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

const options = {
  octalBytes: '-b, --one-byte-octal  one-byte octal display',
  characters: '-c, --one-byte-char  one-byte character display',
  canonical: '-C, --canonical  canonical hex+ASCII display',
  decimal: '-d, --two-bytes-decimal  two-byte decimal display',
  octal: '-o, --two-bytes-octal  two-byte octal display',
  hex: '-x, --two-bytes-hex  two-byte hexadecimal display',
  length: '-n LENGTH, --length=LENGTH  interpret only length bytes of input',
  skip: '-s OFFSET, --skip=OFFSET  skip offset bytes from the beginning',
  all: '-v, --no-squeezing  output identical lines',
};

type Key = keyof typeof options;

const lineBytes = 16;

/** How the bytes of one line are shown. */
interface Display {
  /** Bytes of a unit, and characters of one with what stands before it. */
  readonly unit: 1 | 2;
  readonly width: number;
  show(value: number): string;
}

const displayKeys = ['octalBytes', 'characters', 'decimal', 'octal', 'hex'] as const;

const displays: Readonly<Record<(typeof displayKeys)[number], Display>> = {
  octalBytes: { unit: 1, width: 4, show: (byte) => byte.toString(8).padStart(3, '0') },
  characters: { unit: 1, width: 4, show: characterOf },
  decimal: { unit: 2, width: 8, show: (word) => String(word).padStart(5, '0') },
  octal: { unit: 2, width: 8, show: (word) => word.toString(8).padStart(6, '0') },
  hex: { unit: 2, width: 8, show: hexWord },
};

const usualDisplay: Display = { unit: 2, width: 5, show: hexWord };

/** `hexdump`, without formats of one's own (`-e`). */
export const hexdump: Program = defineProgram({
  usage: '[options] <file>...',
  summary: 'Display file contents in hexadecimal, decimal, octal, or ascii.',
  options,
  async run(invocation) {
    const { options: given, out } = invocation;
    const isCanonical = given.has('canonical');
    const key = displayKeys.find((name) => given.has(name));
    const display = key === undefined ? usualDisplay : displays[key];
    const textOf = (line: Uint8Array) => (isCanonical ? canonicalLine(line) : displayLine(line, display));
    const offsetDigits = isCanonical ? 8 : 7;
    const reader = new LineReader(numberOf(given.value('skip')) ?? 0, numberOf(given.value('length')));
    let before = '';
    let isSqueezing = false;
    const show = async (offset: number, line: Uint8Array) => {
      const text = textOf(line);
      const isSame = text === before && line.length === lineBytes && !given.has('all');
      before = text;
      if (isSame && isSqueezing) return;
      isSqueezing = isSame;
      await out.write(isSame ? '*\n' : `${offset.toString(16).padStart(offsetDigits, '0')}${text}\n`);
    };
    const read = await readFiles(invocation, reader, show);
    if (reader.size > 0) out.add(`${reader.offset.toString(16).padStart(offsetDigits, '0')}\n`);
    return read === 'all' ? 0 : 1;
  },
});

async function readFiles(
  invocation: Invocation<Key>,
  reader: LineReader,
  show: (offset: number, line: Uint8Array) => Promise<void>,
): Promise<'all' | 'some'> {
  const { call, operands, warn } = invocation;
  const names = operands.length > 0 ? operands : ['-'];
  let failures = 0;
  for (const name of names) {
    const isRead = await withInput(invocation, { name }, async (file) => {
      for await (const piece of pieces(file, call.signal)) {
        for (const line of reader.take(piece)) await show(line.offset, line.bytes);
        if (reader.isDone) return;
      }
    });
    if (!isRead) failures += 1;
    if (reader.isDone) break;
  }
  for (const line of reader.rest()) await show(line.offset, line.bytes);
  if (failures === names.length) await warn('all input file arguments failed');
  return failures === 0 ? 'all' : 'some';
}

interface Line {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Divides all files, one after the other, into lines. */
class LineReader {
  offset: number;
  /** Bytes that were read past what is skipped. */
  size = 0;
  #toSkip: number;
  #left: number;
  #held: Uint8Array = new Uint8Array(0);

  constructor(skip: number, length: number | undefined) {
    this.offset = skip;
    this.#toSkip = skip;
    this.#left = length ?? Number.POSITIVE_INFINITY;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  *take(piece: Uint8Array): Generator<Line> {
    const skipped = Math.min(this.#toSkip, piece.length);
    this.#toSkip -= skipped;
    const fresh = piece.subarray(skipped, skipped + this.#left);
    this.#left -= fresh.length;
    this.size += fresh.length;
    const bytes = new Uint8Array(this.#held.length + fresh.length);
    bytes.set(this.#held);
    bytes.set(fresh, this.#held.length);
    let at = 0;
    for (; at + lineBytes <= bytes.length; at += lineBytes)
      yield this.#line(bytes.subarray(at, at + lineBytes));
    this.#held = bytes.subarray(at);
  }

  *rest(): Generator<Line> {
    if (this.#held.length > 0) yield this.#line(this.#held);
  }

  #line(bytes: Uint8Array): Line {
    const { offset } = this;
    this.offset += bytes.length;
    return { offset, bytes };
  }
}

function displayLine(line: Uint8Array, { unit, width, show }: Display): string {
  let text = '';
  for (let at = 0; at < line.length; at += unit) {
    const value = (line[at] ?? 0) + (unit === 2 ? (line[at + 1] ?? 0) * 256 : 0);
    text += show(value).padStart(width);
  }
  return text.padEnd((lineBytes / unit) * width);
}

function canonicalLine(line: Uint8Array): string {
  const pairs = Array.from(line, (byte) => byte.toString(16).padStart(2, '0'));
  const hex = `  ${pairs.slice(0, 8).join(' ')}${pairs.length > 8 ? `  ${pairs.slice(8).join(' ')}` : ''}`;
  const shown = Array.from(line, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
  return `${hex.padEnd(52)}|${shown.join('')}|`;
}

function hexWord(word: number): string {
  return word.toString(16).padStart(4, '0');
}

function characterOf(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  if (byte === 0) return '\\0';
  return escapeOfByte.get(byte) ?? byte.toString(8).padStart(3, '0');
}

const escapeOfByte: ReadonlyMap<number, string> = new Map(
  [...simpleEscapes]
    .filter(([letter]) => !'e\\'.includes(letter))
    .map(([letter, character]) => [character.charCodeAt(0), `\\${letter}`]),
);

const scales: Readonly<Record<string, number>> = {
  '': 1,
  b: 512,
  k: 1024,
  K: 1024,
  m: 1024 ** 2,
  M: 1024 ** 2,
  G: 1024 ** 3,
};

/** Decimal, `0x` hexadecimal or `0` octal, with a unit. */
function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, hexadecimal, digits = '', unit = ''] = /^(0x)?([0-9a-fA-F]+?)([kKmMGb]?)$/.exec(text) ?? [];
  const base = hexadecimal ? 16 : /^0\d/.test(digits) ? 8 : 10;
  const number = Number.parseInt(digits, base) * (scales[unit] ?? 1);
  if (!Number.isSafeInteger(number)) throw new UsageError(`failed to parse: '${text}'`);
  return number;
}
