import { isFile } from '../../../tree/live/file-mode.ts';
import { OpenTreeFile } from '../../files/open-tree-file.ts';
import { absolutePath } from '../../files/tree-files.ts';
import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { decodeText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { displayWidth } from '../notation/display-width.ts';
import type { Program, ProgramCall } from '../program.ts';
import { pieces, readInput } from '../streams/input.ts';

interface Counts {
  lines: number;
  words: number;
  characters: number;
  bytes: number;
  longest: number;
}

type Count = keyof Counts;

const nothing: Readonly<Counts> = { lines: 0, words: 0, characters: 0, bytes: 0, longest: 0 };

export const wc: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary:
    'Print newline, word, and byte counts for each FILE, and a total line if more than one FILE is specified.',
  options: {
    bytes: '-c, --bytes  print the byte counts',
    characters: '-m, --chars  print the character counts',
    lines: '-l, --lines  print the newline counts',
    longest: '-L, --max-line-length  print the maximum display width',
    words: '-w, --words  print the word counts',
    from: '--files0-from=F  read input from the files specified by NUL-terminated names in file F',
    total: '--total=WHEN  when to print a line with total counts: auto, always, only, never',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const order: Count[] = ['lines', 'words', 'characters', 'bytes', 'longest'];
    const given = order.filter((count) => options.has(count));
    const shown: readonly Count[] = given.length > 0 ? given : ['lines', 'words', 'bytes'];
    const when = options.value('total') ?? 'auto';
    if (!['auto', 'always', 'only', 'never'].includes(when)) {
      throw new ProgramError(`invalid argument ${quoteName(when)} for '--total'`, { isUsage: true });
    }
    const names = await namesOf(call, { from: options.value('from'), operands });
    const width = shown.length === 1 && names.length < 2 ? 1 : when === 'only' ? 1 : widthOf(call, names);
    const total: Counts = { ...nothing };
    const print = (counts: Counts, name: ShellText | undefined) => {
      const numbers = shown.map((count) => String(counts[count]).padStart(width)).join(' ');
      out.add(`${numbers}${name === undefined ? '' : ` ${name}`}\n`);
    };
    let status = 0;
    for (const name of names.length > 0 ? names : [undefined]) {
      const isDone = await withInput(invocation, { name: name ?? '-' }, async (file) => {
        if (file.type === 'directory' && when !== 'only') print(nothing, name);
        const counts = await count(file, { shown, signal: call.signal });
        if (hasByteLocale(call.environment)) counts.characters = counts.bytes;
        for (const key of order) {
          total[key] = key === 'longest' ? Math.max(total[key], counts[key]) : total[key] + counts[key];
        }
        if (when !== 'only') print(counts, name);
      });
      if (!isDone) status = 1;
    }
    if (when === 'only') print(total, undefined);
    else if (when === 'always' || (when === 'auto' && names.length > 1)) print(total, 'total');
    return status;
  },
});

async function namesOf(
  call: ProgramCall,
  { from, operands }: { from: ShellText | undefined; operands: readonly ShellText[] },
): Promise<readonly ShellText[]> {
  if (from === undefined) return operands;
  if (operands.length > 0) {
    throw new ProgramError(
      `extra operand ${quoteName(operands[0] ?? '')}\nfile operands cannot be combined with --files0-from`,
      {
        isUsage: true,
      },
    );
  }
  return decodeText(await readInput(call, from))
    .split('\0')
    .filter((name) => name !== '');
}

/** Columns are as wide as the size of all files has digits, and 7 where there is no telling. */
function widthOf(call: ProgramCall, names: readonly ShellText[]): number {
  let bytes = 0;
  let least = 1;
  for (const name of names.length > 0 ? names : ['-']) {
    if (name === '-') {
      if (call.stdin instanceof OpenTreeFile) bytes += call.stdin.sizeBytes;
      else least = 7;
      continue;
    }
    const path = absolutePath(call.cwd, name);
    if (!call.files.exists(path)) continue;
    const { mode, sizeBytes } = call.files.stat(path);
    if (isFile(mode)) bytes += sizeBytes;
    else least = 7;
  }
  return Math.max(least, String(bytes).length);
}

const whitespace = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);

/** Whether characters are bytes: the locale of C. */
function hasByteLocale(environment: ProgramCall['environment']): boolean {
  const locale = environment.get('LC_ALL') || environment.get('LC_CTYPE') || environment.get('LANG');
  return locale === 'C' || locale === 'POSIX';
}

async function count(
  file: OpenFile,
  { shown, signal }: { shown: readonly Count[]; signal: AbortSignal },
): Promise<Counts> {
  const counts: Counts = { ...nothing };
  const countsWords = shown.includes('words');
  const countsCharacters = shown.includes('characters');
  const width = shown.includes('longest') ? new LineWidth() : undefined;
  let isInWord = false;
  for await (const piece of pieces(file, signal)) {
    counts.bytes += piece.length;
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) counts.lines += 1;
    if (countsCharacters) for (const byte of piece) if ((byte & 0xc0) !== 0x80) counts.characters += 1;
    if (countsWords) {
      for (const byte of piece) {
        const isSpace = whitespace.has(byte);
        if (isInWord && isSpace) counts.words += 1;
        if (!isSpace) isInWord ||= byte > 0x20 && byte !== 0x7f;
        else isInWord = false;
      }
    }
    width?.add(piece);
  }
  if (isInWord) counts.words += 1;
  counts.longest = width?.end() ?? 0;
  return counts;
}

/** The widest line that there was. */
class LineWidth {
  readonly #decoder = new TextDecoder();
  #width = 0;
  #longest = 0;

  add(piece: Uint8Array): void {
    this.#addText(this.#decoder.decode(piece, { stream: true }));
  }

  end(): number {
    this.#addText(this.#decoder.decode());
    return Math.max(this.#longest, this.#width);
  }

  #addText(text: string): void {
    for (const character of text) {
      if (character === '\n' || character === '\r' || character === '\f') {
        this.#longest = Math.max(this.#longest, this.#width);
        this.#width = 0;
      } else if (character === '\t') this.#width += 8 - (this.#width % 8);
      else this.#width += displayWidth(character);
    }
  }
}
