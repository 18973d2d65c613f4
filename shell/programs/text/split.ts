import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';
import { openOutput, pieces, readAll } from '../streams/input.ts';
import { lineBatches } from '../streams/lines.ts';

export const split: Program = defineProgram({
  usage: '[OPTION]... [FILE [PREFIX]]',
  summary:
    'Output pieces of FILE to PREFIXaa, PREFIXab, ...; default size is 1000 lines, and default PREFIX is x.',
  options: {
    suffixLength: '-a, --suffix-length=N  generate suffixes of length N (default 2)',
    additional: '--additional-suffix=SUFFIX  append an additional SUFFIX to file names',
    bytes: '-b, --bytes=SIZE  put SIZE bytes per output file',
    lineBytes: '-C, --line-bytes=SIZE  put at most SIZE bytes of records per output file',
    numeric: '-d, --numeric-suffixes[=FROM]  use numeric suffixes starting at 0, not alphabetic',
    hex: '-x, --hex-suffixes[=FROM]  use hex suffixes starting at 0, not alphabetic',
    elide: "-e, --elide-empty-files  do not generate empty output files with '-n'",
    lines: '-l, --lines=NUMBER  put NUMBER lines/records per output file',
    number: '-n, --number=CHUNKS  generate CHUNKS output files: N by size, l/N by lines, r/N round robin',
    separator: '-t, --separator=SEP  use SEP instead of newline as the record separator',
    verbose: '--verbose  print a diagnostic just before each output file is opened',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-(\d+)$/, '-l$1')),
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const [name = '-', prefix = 'x', excess] = operands;
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    const style = options.last('numeric', 'hex');
    const from = style === undefined ? '' : (options.value(style) ?? '');
    const radix = style === 'numeric' ? 10 : style === 'hex' ? 16 : 26;
    const parts = new Parts(call, {
      prefix,
      suffix: options.value('additional') ?? '',
      radix,
      length: Number(options.value('suffixLength') ?? 2),
      isGrowing: !options.has('suffixLength') && from === '',
      from: from === '' ? 0 : Number.parseInt(from, radix),
      onOpen: (part) => {
        if (options.has('verbose')) out.add(`creating file ${quoteName(part)}\n`);
      },
    });
    const separator = options.value('separator');
    const delimiter = separator === undefined ? 0x0a : separator === '\\0' ? 0 : separator.charCodeAt(0);
    const kind = options.last('bytes', 'lineBytes', 'lines', 'number') ?? 'lines';
    const text = options.value(kind) ?? '1000';
    const opening = `cannot open ${quoteName(name)} for reading`;
    try {
      const isDone = await withInput(invocation, { name, opening }, async (file) => {
        if (kind === 'number')
          return intoChunks(file, { text, parts, delimiter, call, elides: options.has('elide') });
        const count = countOf(text, `invalid number of ${kind === 'lines' ? 'lines' : 'bytes'}`);
        if (count === 0)
          throw new ProgramError(
            `invalid number of ${kind === 'lines' ? 'lines' : 'bytes'}: ${quoteName(text)}`,
          );
        if (kind === 'bytes') return byBytes(file, { count, parts, call });
        return byLines(file, { count, parts, delimiter, call, inBytes: kind === 'lineBytes' });
      });
      return isDone ? 0 : 1;
    } finally {
      parts.close();
    }
  },
});

interface PartNames {
  readonly prefix: ShellText;
  readonly suffix: ShellText;
  readonly radix: number;
  readonly length: number;
  /** Names get longer when they run out: `xyz` is followed by `xzaaa`. */
  readonly isGrowing: boolean;
  readonly from: number;
  onOpen(name: ShellText): void;
}

/** The files that are written, one after the other. */
class Parts {
  readonly #call: ProgramCall;
  readonly #names: PartNames;
  #next: number;
  #file: OpenFile | undefined;

  constructor(call: ProgramCall, names: PartNames) {
    this.#call = call;
    this.#names = names;
    this.#next = names.from;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#file ??= this.open();
    if (bytes.length > 0) await this.#file.write(bytes, this.#call.signal);
  }

  open(): OpenFile {
    const { prefix, suffix, onOpen } = this.#names;
    const name = `${prefix}${this.#suffix(this.#next)}${suffix}`;
    this.#next += 1;
    onOpen(name);
    this.#file = openOutput(this.#call, name);
    return this.#file;
  }

  close(): void {
    this.#file?.release();
    this.#file = undefined;
  }

  #suffix(index: number): string {
    const { radix, length, isGrowing } = this.#names;
    const letters = radix === 26 ? 'abcdefghijklmnopqrstuvwxyz' : '0123456789abcdef';
    let [left, size, lead] = [index, length, ''];
    for (let capacity = radix ** (size - 1) * (radix - 1); isGrowing && left >= capacity; ) {
      left -= capacity;
      size += 1;
      lead += letters[radix - 1];
      capacity = radix ** (size - 1) * (radix - 1);
    }
    if (!isGrowing && left >= radix ** size) throw new ProgramError('output file suffixes exhausted');
    let text = '';
    for (let digit = 0; digit < size; digit++) {
      text = letters[left % radix] + text;
      left = Math.floor(left / radix);
    }
    return lead + text;
  }
}

async function byBytes(
  file: OpenFile,
  { count, parts, call }: { count: number; parts: Parts; call: ProgramCall },
): Promise<void> {
  let left = count;
  for await (const piece of pieces(file, call.signal)) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + left);
      await parts.write(part);
      at += part.length;
      left -= part.length;
      if (left > 0) continue;
      parts.close();
      left = count;
    }
  }
}

async function byLines(
  file: OpenFile,
  {
    count,
    parts,
    delimiter,
    call,
    inBytes,
  }: { count: number; parts: Parts; delimiter: number; call: ProgramCall; inBytes: boolean },
): Promise<void> {
  let left = count;
  for await (const lines of lineBatches(file, call.signal, delimiter)) {
    for (const line of lines) {
      if (!inBytes) {
        if (left === 0) {
          parts.close();
          left = count;
        }
        await parts.write(line);
        left -= 1;
        continue;
      }
      if (line.length > left && left < count) {
        parts.close();
        left = count;
      }
      for (let at = 0; at < line.length; ) {
        const part = line.subarray(at, at + left);
        await parts.write(part);
        at += part.length;
        left -= part.length;
        if (left > 0 || at >= line.length) continue;
        parts.close();
        left = count;
      }
    }
  }
}

async function intoChunks(
  file: OpenFile,
  {
    text,
    parts,
    delimiter,
    call,
    elides,
  }: { text: ShellText; parts: Parts; delimiter: number; call: ProgramCall; elides: boolean },
): Promise<void> {
  const [, kind, only, digits] = /^(?:([lr])\/)?(?:(\d+)\/)?(\d+)$/.exec(text) ?? [];
  const count = Number(digits);
  if (!(count > 0)) throw new ProgramError(`invalid number of chunks: ${quoteName(text)}`);
  const bytes = await readAll(file, call.signal);
  const chunks =
    kind === 'r'
      ? roundRobin(bytes, count, delimiter)
      : bySize(bytes, { count, delimiter, wholeLines: kind === 'l' });
  for (const [index, chunk] of chunks.entries()) {
    if (only !== undefined) {
      if (index === Number(only) - 1) await call.stdout.write(chunk, call.signal);
      continue;
    }
    if (elides && chunk.length === 0) continue;
    await parts.write(chunk);
    parts.close();
  }
}

function bySize(
  bytes: Uint8Array,
  { count, delimiter, wholeLines }: { count: number; delimiter: number; wholeLines: boolean },
): Uint8Array[] {
  const size = Math.max(Math.floor(bytes.length / count), wholeLines ? 1 : 0);
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (let index = 1; index <= count; index++) {
    let end = index === count ? bytes.length : Math.max(size * index, at);
    if (wholeLines && index < count) {
      const found = end === 0 ? 0 : bytes.indexOf(delimiter, Math.max(end - 1, at)) + 1;
      if (at < size * index) end = found === 0 ? bytes.length : found;
      else end = at;
    }
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

function roundRobin(bytes: Uint8Array, count: number, delimiter: number): Uint8Array[] {
  const chunks: number[][] = Array.from({ length: count }, () => []);
  let line = 0;
  for (let at = 0; at < bytes.length; line++) {
    const found = bytes.indexOf(delimiter, at);
    const end = found < 0 ? bytes.length : found + 1;
    const chunk = chunks[line % count];
    for (; at < end; at++) chunk?.push(bytes[at] ?? 0);
  }
  return chunks.map((chunk) => Uint8Array.from(chunk));
}
