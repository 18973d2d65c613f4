import { OpenTreeFile } from '../../files/open-tree-file.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';
import { pieces } from '../streams/input.ts';
import { lineBatches } from '../streams/lines.ts';
import type { Output } from '../streams/output.ts';
import { type FollowedFile, followFiles } from './follow-files.ts';

/** Files are looked at more often than once in a second: it costs little here. */
const followSeconds = 0.2;

export const tail: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Print the last 10 lines of each FILE to standard output.',
  options: {
    bytes: '-c, --bytes=[+]NUM  output the last NUM bytes; or use -c +NUM to start at byte NUM',
    follow: '-f, --follow[=HOW]  output appended data as the file grows; by descriptor or name',
    followName: '-F  same as --follow=name --retry',
    lines: '-n, --lines=[+]NUM  output the last NUM lines; or use -n +NUM to start at line NUM',
    pid: '--pid=PID  with -f, terminate after process ID, PID dies',
    quiet: '-q, --quiet, --silent  never output headers giving file names',
    retry: '--retry  keep trying to open a file if it is inaccessible',
    interval: '-s, --sleep-interval=N  with -f, sleep for N seconds between iterations',
    verbose: '-v, --verbose  always output headers giving file names',
    zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
  },
  rewrite: (args) => {
    const [first, ...rest] = args;
    const [, sign, count = '', unit = '', follow = ''] = /^([-+])(\d+)([bcl]?)(f?)$/.exec(first ?? '') ?? [];
    if (sign === undefined) return args;
    const number = `${sign === '+' ? '+' : ''}${count}${unit === 'b' ? 'b' : ''}`;
    const option = unit === 'c' || unit === 'b' ? `-c${number}` : `-n${number}`;
    return [option, ...(follow === '' ? [] : ['-f']), ...rest];
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const unit = options.last('bytes', 'lines') ?? 'lines';
    const text = options.value(unit) ?? '10';
    const fromStart = text.startsWith('+');
    const count = countOf(text.replace(/^[-+]/, ''), `invalid number of ${unit}`);
    const delimiter = options.has('zero') ? 0 : 0x0a;
    const names = operands.length > 0 ? operands : ['-'];
    const hasHeaders =
      options.last('quiet', 'verbose') === 'verbose' || (names.length > 1 && !options.has('quiet'));
    const follows = options.has('follow', 'followName');
    const followed: FollowedFile[] = [];
    const taking = { count, delimiter, out, call };
    const take = fromStart
      ? unit === 'bytes'
        ? fromByte
        : fromLine
      : unit === 'bytes'
        ? lastBytes
        : lastLines;
    let status = 0;
    let isFirst = true;
    const byName = options.has('followName') || options.value('follow') === 'name';
    const retries = options.has('followName', 'retry');
    for (const name of names) {
      const shown = name === '-' ? 'standard input' : name;
      const quoted = quoteName(shown);
      const messages = { opening: `cannot open ${quoted} for reading`, reading: `error reading ${quoted}` };
      const isDone = await withInput(invocation, { name, ...messages }, async (file) => {
        if (hasHeaders) out.add(`${isFirst ? '' : '\n'}==> ${shown} <==\n`);
        isFirst = false;
        if (file.type === 'directory') await file.read(1, call.signal);
        await take(file, taking);
        if (!follows) return;
        file.retain();
        followed.push({ name, shown, file, byName });
      });
      if (isDone) continue;
      status = 1;
      if (follows && retries) followed.push({ name, shown, file: undefined, byName });
    }
    await out.flush();
    if (followed.length > 0) {
      const seconds = Number(options.value('interval') ?? followSeconds);
      const pid = options.value('pid');
      await followFiles(followed, {
        invocation,
        hasHeaders,
        intervalMs: Number.isFinite(seconds) ? Math.max(seconds * 1000, 10) : followSeconds * 1000,
        pid: pid === undefined ? undefined : Number(pid),
      });
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

async function copyRest(file: OpenFile, { out, call }: Taking): Promise<void> {
  for await (const piece of pieces(file, call.signal)) await out.writeBytes(piece);
}

async function fromByte(file: OpenFile, taking: Taking): Promise<void> {
  if (file instanceof OpenTreeFile) {
    file.position += Math.max(taking.count - 1, 0);
    return copyRest(file, taking);
  }
  let left = Math.max(taking.count - 1, 0);
  for await (const piece of pieces(file, taking.call.signal)) {
    if (left < piece.length) await taking.out.writeBytes(piece.subarray(left));
    left = Math.max(left - piece.length, 0);
  }
}

async function fromLine(file: OpenFile, taking: Taking): Promise<void> {
  let left = Math.max(taking.count - 1, 0);
  for await (const piece of pieces(file, taking.call.signal)) {
    let start = 0;
    while (left > 0) {
      const found = piece.indexOf(taking.delimiter, start);
      if (found < 0) break;
      left -= 1;
      start = found + 1;
    }
    if (left === 0) await taking.out.writeBytes(piece.subarray(start));
  }
}

async function lastBytes(file: OpenFile, taking: Taking): Promise<void> {
  const { count, out, call } = taking;
  if (file instanceof OpenTreeFile) {
    file.position = Math.max(file.position, file.sizeBytes - count);
    return copyRest(file, taking);
  }
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of pieces(file, call.signal)) {
    held.push(piece);
    heldBytes += piece.length;
    for (let first = held[0]; first && heldBytes - first.length >= count; first = held[0]) {
      heldBytes -= first.length;
      held.shift();
    }
  }
  let skipped = Math.max(heldBytes - count, 0);
  for (const piece of held) {
    await out.writeBytes(piece.subarray(skipped));
    skipped = Math.max(skipped - piece.length, 0);
  }
}

async function lastLines(file: OpenFile, taking: Taking): Promise<void> {
  const { count, delimiter, out, call } = taking;
  if (file instanceof OpenTreeFile) {
    file.position = await startOfLastLines(file, taking);
    return copyRest(file, taking);
  }
  let held: Uint8Array[] = [];
  for await (const lines of lineBatches(file, call.signal, delimiter)) {
    held = held.length === 0 ? lines : held.concat(lines);
    if (held.length > count) held = held.slice(held.length - count);
  }
  if (count > 0) for (const line of held) await out.writeBytes(line);
}

const blockBytes = 65_536;

/** Reads backwards from the end, so that a large file costs no more than its last lines. */
async function startOfLastLines(file: OpenTreeFile, { count, delimiter }: Taking): Promise<number> {
  const first = file.position;
  let end = file.sizeBytes;
  if (count === 0) return end;
  let left = count;
  let isAtEnd = true;
  while (end > first) {
    const start = Math.max(first, end - blockBytes);
    file.position = start;
    const block = await file.read(end - start);
    let at = block.length - 1;
    // The delimiter of the last line ends it, and starts none.
    if (isAtEnd && block[at] === delimiter) at -= 1;
    isAtEnd = false;
    for (; at >= 0; at--) {
      if (block[at] !== delimiter) continue;
      left -= 1;
      if (left === 0) return start + at + 1;
    }
    end = start;
  }
  return first;
}
