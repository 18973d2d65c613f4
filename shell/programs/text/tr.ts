import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';
import { parseTrSet, type TrSet } from './tr-sets.ts';

export const tr: Program = defineProgram({
  usage: '[OPTION]... STRING1 [STRING2]',
  summary: 'Translate, squeeze, and/or delete characters from standard input, writing to standard output.',
  permutes: false,
  options: {
    complement: '-c, -C, --complement  use the complement of STRING1',
    delete: '-d, --delete  delete characters in STRING1, do not translate',
    squeeze:
      '-s, --squeeze-repeats  replace each sequence of a repeated character in the last STRING with a single one',
    truncate: '-t, --truncate-set1  first truncate STRING1 to length of STRING2',
  },
  async run({ call, options, operands, out }) {
    const [first, second, third] = operands;
    const deletes = options.has('delete');
    const squeezes = options.has('squeeze');
    if (first === undefined) throw new UsageError('missing operand');
    const needsTwo = deletes === squeezes;
    if (needsTwo && second === undefined) {
      const why = deletes
        ? 'Two strings must be given when both deleting and squeezing repeats.'
        : 'Two strings must be given when translating.';
      throw new UsageError(`missing operand after ${quoteName(first)}\n${why}`);
    }
    const excess = deletes && !squeezes ? second : third;
    if (excess !== undefined) {
      const why =
        deletes && !squeezes && third === undefined
          ? '\nOnly one string may be given when deleting without squeezing repeats.'
          : '';
      throw new UsageError(`extra operand ${quoteName(excess)}${why}`);
    }
    const given = parseTrSet(first);
    const from = options.has('complement') ? complementOf(given) : given.bytes;
    const to = second === undefined ? undefined : parseTrSet(second);
    const translates = !deletes && to !== undefined;
    const table = translates
      ? translation(from, {
          given,
          to,
          truncates: options.has('truncate'),
          isComplement: options.has('complement'),
        })
      : undefined;
    const deleted = deletes ? new Set(from) : undefined;
    const squeezed = squeezes ? new Set(to ? filled(to, to.bytes.length) : from) : undefined;
    let previous = -1;
    for await (const piece of pieces(call.stdin, call.signal)) {
      const result = new Uint8Array(piece.length);
      let size = 0;
      for (const byte of piece) {
        if (deleted?.has(byte)) continue;
        const translated = table ? (table[byte] ?? byte) : byte;
        if (translated === previous && squeezed?.has(translated)) continue;
        previous = translated;
        result[size] = translated;
        size += 1;
      }
      out.addBytes(result.subarray(0, size));
      await out.flush();
    }
    return 0;
  },
});

function complementOf({ bytes }: TrSet): number[] {
  const has = new Set(bytes);
  return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !has.has(byte));
}

/** The set with what is repeated in it, as long as `length`. */
function filled({ bytes, fill }: TrSet, length: number): number[] {
  if (fill === undefined) return [...bytes];
  const missing = Math.max(length - bytes.length, 0);
  return [...bytes.slice(0, fill.at), ...Array<number>(missing).fill(fill.byte), ...bytes.slice(fill.at)];
}

function translation(
  from: readonly number[],
  {
    given,
    to,
    truncates,
    isComplement,
  }: { given: TrSet; to: TrSet; truncates: boolean; isComplement: boolean },
): Uint8Array {
  if (to.hasOtherClass) {
    throw new ProgramError(
      "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  }
  const target = filled(to, from.length);
  const last = target.at(-1);
  if (last === undefined && !truncates) {
    throw new ProgramError('when not truncating set1, string2 must be non-empty');
  }
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const length = truncates ? Math.min(from.length, target.length) : from.length;
  for (let index = 0; index < length; index++) table[from[index] ?? 0] = target[index] ?? last ?? 0;
  if (!isComplement) changeCases(table, given, to);
  return table;
}

/** `[:upper:]` beside `[:lower:]` changes the case, whatever is before them. */
function changeCases(table: Uint8Array, from: TrSet, to: TrSet): void {
  for (const { at, isUpper } of from.cases) {
    const other = to.cases.find((target) => target.at === at);
    if (other === undefined || other.isUpper === isUpper) continue;
    const [first, delta] = isUpper ? [0x41, 0x20] : [0x61, -0x20];
    for (let letter = 0; letter < 26; letter++) table[first + letter] = first + letter + delta;
  }
}
