import type { OpenFile } from '../../io/open-file.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';
import { pieces } from '../streams/input.ts';
import { lineBatches } from '../streams/lines.ts';
import type { Output } from '../streams/output.ts';

export const head: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Print the first 10 lines of each FILE to standard output.',
  options: {
    bytes: '-c, --bytes=[-]NUM  print the first NUM bytes; with a leading -, all but the last NUM',
    lines: '-n, --lines=[-]NUM  print the first NUM lines; with a leading -, all but the last NUM',
    quiet: '-q, --quiet, --silent  never print headers giving file names',
    verbose: '-v, --verbose  always print headers giving file names',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  rewrite: (args) => {
    const [first, ...rest] = args;
    const [, count, letters = ''] = /^-(\d+[bkm]?)([clqvz]*)$/.exec(first ?? '') ?? [];
    if (count === undefined) return args;
    const unit = letters.includes('c') ? 'c' : 'n';
    return [
      `-${unit}${count}`,
      ...[...letters.replaceAll(/[cl]/g, '')].map((letter) => `-${letter}`),
      ...rest,
    ];
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const unit = options.last('bytes', 'lines') ?? 'lines';
    const text = options.value(unit) ?? '10';
    const leavesOut = text.startsWith('-');
    const count = countOf(leavesOut ? text.slice(1) : text, `invalid number of ${unit}`);
    const delimiter = options.has('zero') ? 0 : 0x0a;
    const names = operands.length > 0 ? operands : ['-'];
    const hasHeaders =
      options.last('quiet', 'verbose') === 'verbose' || (names.length > 1 && !options.has('quiet'));
    const take =
      unit === 'bytes' ? (leavesOut ? allButBytes : firstBytes) : leavesOut ? allButLines : firstLines;
    let status = 0;
    let isFirst = true;
    for (const name of names) {
      const shown = name === '-' ? 'standard input' : name;
      const quoted = quoteName(shown);
      const messages = { opening: `cannot open ${quoted} for reading`, reading: `error reading ${quoted}` };
      const isDone = await withInput(invocation, { name, ...messages }, async (file) => {
        if (hasHeaders) out.add(`${isFirst ? '' : '\n'}==> ${shown} <==\n`);
        isFirst = false;
        await take(file, { count, delimiter, out, call });
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

interface Taking {
  readonly count: number;
  readonly delimiter: number;
  readonly out: Output;
  readonly call: ProgramCall;
}

async function firstBytes(file: OpenFile, { count, out, call }: Taking): Promise<void> {
  for (let left = count; left > 0; ) {
    const piece = await file.read(Math.min(left, 65_536), call.signal);
    if (piece.length === 0) return;
    await out.writeBytes(piece);
    left -= piece.length;
  }
}

async function firstLines(file: OpenFile, { count, delimiter, out, call }: Taking): Promise<void> {
  if (count === 0) return;
  let left = count;
  for await (const piece of pieces(file, call.signal)) {
    let end = 0;
    while (left > 0) {
      const found = piece.indexOf(delimiter, end);
      if (found < 0) break;
      left -= 1;
      end = found + 1;
    }
    if (left > 0) {
      await out.writeBytes(piece);
      continue;
    }
    out.addBytes(piece.subarray(0, end));
    // What shares the file goes on after the last line that was printed.
    if (file.type === 'file' && end < piece.length) file.unread(piece.subarray(end));
    return;
  }
}

async function allButBytes(file: OpenFile, { count, out, call }: Taking): Promise<void> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces(file, call.signal)) {
    held.push(piece);
    heldBytes += piece.length;
    for (let first = held[0]; first && heldBytes - first.length >= count; first = held[0]) {
      await out.writeBytes(first);
      heldBytes -= first.length;
      held.shift();
    }
  }
  for (const piece of held) {
    const rest = heldBytes - count;
    if (rest <= 0) return;
    out.addBytes(piece.subarray(0, rest));
    heldBytes -= piece.length;
  }
}

async function allButLines(file: OpenFile, { count, delimiter, out, call }: Taking): Promise<void> {
  let held: Uint8Array[] = [];
  for await (const lines of lineBatches(file, call.signal, delimiter)) {
    held = held.length === 0 ? lines : held.concat(lines);
    const rest = held.length - count;
    if (rest <= 0) continue;
    for (const line of held.slice(0, rest)) await out.writeBytes(line);
    held = held.slice(rest);
  }
}
