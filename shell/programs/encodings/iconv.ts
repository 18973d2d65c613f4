import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, escapedByte, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { openOutput, readInput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { Steps } from '../streams/steps.ts';

const options = {
  from: '-f, --from-code=NAME  encoding of original text',
  to: '-t, --to-code=NAME  encoding for output',
  list: '-l, --list  list all known coded character sets',
  omit: '-c  omit invalid characters from output',
  output: '-o, --output=FILE  output file',
  silent: '-s, --silent  suppress warnings (ignored)',
  verbose: '--verbose  (ignored)',
};

type Key = keyof typeof options;
type Encoding = 'utf-8' | 'latin1' | 'ascii';

const encodings: ReadonlyMap<string, Encoding> = new Map([
  ['UTF-8', 'utf-8'],
  ['UTF8', 'utf-8'],
  ['ISO-8859-1', 'latin1'],
  ['ISO8859-1', 'latin1'],
  ['ISO88591', 'latin1'],
  ['ISO_8859-1', 'latin1'],
  ['LATIN1', 'latin1'],
  ['L1', 'latin1'],
  ['ASCII', 'ascii'],
  ['US-ASCII', 'ascii'],
  ['ANSI_X3.4-1968', 'ascii'],
]);

/** Characters that are converted until others get the thread. */
const charactersAtOnce = 65_536;

export const iconv: Program = defineProgram({
  usage: '[OPTION...] [FILE...]',
  summary: 'Convert encoding of given files from one encoding to another: UTF-8, ISO-8859-1 and ASCII.',
  options,
  async run(invocation) {
    const { call, options: given, operands } = invocation;
    if (given.has('list')) {
      invocation.out.add([...encodings.keys()].map((name) => `${name}//\n`).join(''));
      return 0;
    }
    const [from, to] = [given.value('from') ?? 'UTF-8', given.value('to') ?? 'UTF-8'];
    const conversion = conversionOf(from, to, given.has('omit'));
    const name = given.value('output');
    const file = name === undefined ? undefined : openOutput(call, name);
    try {
      const out = file ? new Output(file, call.signal) : invocation.out;
      for (const input of operands.length > 0 ? operands : ['-'])
        await convert(invocation, { input, conversion, out });
      await out.flush();
      return 0;
    } finally {
      file?.release();
    }
  },
});

interface Conversion {
  readonly from: Encoding;
  readonly to: Encoding;
  /** What cannot be converted is left out. */
  readonly omits: boolean;
  /** What cannot be converted becomes something like it. */
  readonly transliterates: boolean;
}

function conversionOf(from: ShellText, to: ShellText, omits: boolean): Conversion {
  const [toName = '', ...suffixes] = to.toUpperCase().split('//');
  const [source, target] = [encodings.get(from.toUpperCase().split('//')[0] ?? ''), encodings.get(toName)];
  if (source === undefined && target === undefined)
    throw new ProgramError(`conversions from \`${from}' and to \`${to}' are not supported`);
  if (source === undefined) throw new ProgramError(`conversion from \`${from}' is not supported`);
  if (target === undefined) throw new ProgramError(`conversion to \`${to}' is not supported`);
  return {
    from: source,
    to: target,
    omits: omits || suffixes.includes('IGNORE'),
    transliterates: suffixes.includes('TRANSLIT'),
  };
}

/** @throws ProgramError of what cannot be converted, after what was before it */
async function convert(
  { call }: Pick<Invocation<Key>, 'call'>,
  { input, conversion, out }: { input: ShellText; conversion: Conversion; out: Output },
): Promise<void> {
  let bytes: Uint8Array;
  try {
    bytes = await readInput(call, input);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`cannot open input file \`${input}': ${error.message}`);
  }
  const { from, omits } = conversion;
  const text = from === 'utf-8' ? decodeText(bytes) : latin1Text(bytes);
  const steps = new Steps(call.signal);
  let position = 0;
  let converted = '';
  let count = 0;
  for (const character of text) {
    const width = from === 'utf-8' ? encodeText(character).length : 1;
    const shown = convertCharacter(character, conversion);
    if (shown === undefined && !omits) {
      await put(converted);
      await out.flush();
      const isCut = escapedByte(character.charCodeAt(0)) !== undefined && isCutOff(bytes, position);
      throw new ProgramError(
        isCut
          ? 'incomplete character or shift sequence at end of buffer'
          : `illegal input sequence at position ${position}`,
      );
    }
    converted += shown ?? '';
    position += width;
    count += 1;
    if (count % charactersAtOnce !== 0) continue;
    await put(converted);
    converted = '';
    await steps.next();
  }
  await put(converted);

  async function put(piece: ShellText): Promise<void> {
    if (conversion.to === 'utf-8') await out.write(piece);
    else await out.writeBytes(Uint8Array.from(piece, (character) => character.charCodeAt(0)));
  }
}

function latin1Text(bytes: Uint8Array): ShellText {
  const pieces: ShellText[] = [];
  for (let at = 0; at < bytes.length; at += 8192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return pieces.join('');
}

/** A sequence of UTF-8 that the end of the file comes before. */
function isCutOff(bytes: Uint8Array, position: number): boolean {
  const first = bytes[position] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  const rest = bytes.subarray(position + 1);
  return length > 0 && rest.length < length - 1 && rest.every((byte) => (byte & 0xc0) === 0x80);
}

function convertCharacter(character: string, conversion: Conversion): string | undefined {
  const { from, to, transliterates } = conversion;
  const code = character.codePointAt(0) ?? 0;
  const isInvalid = from === 'ascii' ? code > 0x7f : escapedByte(code) !== undefined;
  if (isInvalid) return undefined;
  const last = to === 'utf-8' ? 0x10ffff : to === 'latin1' ? 0xff : 0x7f;
  if (code <= last) return character;
  return transliterates ? transliterated(character, last) : undefined;
}

const similar: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
  ['ø', 'o'],
  ['Ø', 'O'],
  ['“', '"'],
  ['”', '"'],
  ['„', ',,'],
  ['‘', "'"],
  ['’', "'"],
  ['–', '-'],
  ['—', '-'],
  ['…', '...'],
  ['©', '(C)'],
  ['®', '(R)'],
  ['™', '(TM)'],
  ['\u00a0', ' '],
]);

function transliterated(character: string, last: number): string {
  const known = similar.get(character);
  if (known !== undefined) return known;
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain !== '' && [...plain].every((part) => (part.codePointAt(0) ?? 0) <= last) ? plain : '?';
}
