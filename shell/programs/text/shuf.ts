import { shellLimits } from '../../limits.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { nameInMessage, quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { checkLineCount } from '../streams/held-lines.ts';
import { openInput, openOutput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { Steps } from '../streams/steps.ts';
import { textLines } from '../streams/text-lines.ts';

const options = {
  echo: '-e, --echo  treat each ARG as an input line',
  range: '-i, --input-range=LO-HI  treat each number LO through HI as an input line',
  count: '-n, --head-count=COUNT  output at most COUNT lines',
  output: '-o, --output=FILE  write result to FILE instead of standard output',
  source: '--random-source=FILE  (ignored)',
  repeat: '-r, --repeat  output lines can be repeated',
  zero: '-z, --zero-terminated  line delimiter is NUL, not newline',
};

type Key = keyof typeof options;

/** What is shuffled: lines by their numbers. */
interface Deck {
  readonly size: number;
  at(index: number): ShellText;
}

export const shuf: Program = defineProgram({
  usage: '[OPTION]... [FILE] | -e [OPTION]... [ARG]... | -i LO-HI [OPTION]...',
  summary: 'Write a random permutation of the input lines to standard output.',
  options,
  async run(invocation) {
    const { call, options: given } = invocation;
    const most = given
      .values('count')
      .reduce((least, text) => Math.min(least, countOf(text)), Number.POSITIVE_INFINITY);
    const deck = await deckOf(invocation);
    const name = given.value('output');
    const file = name === undefined ? undefined : opened(name, () => openOutput(call, name));
    try {
      const out = file ? new Output(file, call.signal) : invocation.out;
      if (given.has('repeat')) await drawAgain(deck, most, invocation, out);
      else await draw(deck, Math.min(most, deck.size), invocation, out);
      await out.flush();
    } finally {
      file?.release();
    }
    return 0;
  },
});

async function drawAgain(
  deck: Deck,
  count: number,
  { call, options: given }: Invocation<Key>,
  out: Output,
): Promise<void> {
  if (count > 0 && deck.size === 0) throw new ProgramError('no lines to repeat');
  const steps = new Steps(call.signal);
  for (let drawn = 0; drawn < count; drawn++) {
    await out.write(deck.at(randomBelow(deck.size)) + (given.has('zero') ? '\0' : '\n'));
    if (steps.isDue) await steps.next();
  }
}

/** Fisher and Yates' way, of which only the places that were changed are held. */
async function draw(
  deck: Deck,
  count: number,
  { call, options: given }: Invocation<Key>,
  out: Output,
): Promise<void> {
  checkLineCount(count);
  const steps = new Steps(call.signal);
  const moved = new Map<number, number>();
  for (let place = 0; place < count; place++) {
    const other = place + randomBelow(deck.size - place);
    const chosen = moved.get(other) ?? other;
    moved.set(other, moved.get(place) ?? place);
    moved.delete(place);
    await out.write(deck.at(chosen) + (given.has('zero') ? '\0' : '\n'));
    if (steps.isDue) await steps.next();
  }
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}

async function deckOf(invocation: Invocation<Key>): Promise<Deck> {
  const { options: given, operands } = invocation;
  const ranges = given.values('range');
  if (given.has('echo') && ranges.length > 0) throw new UsageError('cannot combine -e and -i options');
  if (ranges.length > 1) throw new ProgramError('multiple -i options specified');
  const excess = operands[ranges.length > 0 ? 0 : 1];
  if (!given.has('echo') && excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
  const [range] = ranges;
  if (range !== undefined) return rangeOf(range);
  const lines = given.has('echo') ? operands : await linesOf(invocation, operands[0] ?? '-');
  return { size: lines.length, at: (index) => lines[index] ?? '' };
}

function rangeOf(text: ShellText): Deck {
  const [, low, high] = /^\s*\+?(\d+)-\s*\+?(\d+)$/.exec(text) ?? [];
  const [first, last] = [Number(low), Number(high)];
  const isRange = low !== undefined && first <= last + 1 && last <= Number.MAX_SAFE_INTEGER;
  if (!isRange) throw new ProgramError(`invalid input range: ${quoteName(text)}`);
  return { size: last - first + 1, at: (index) => String(first + index) };
}

async function linesOf({ call, options: given }: Invocation<Key>, name: ShellText): Promise<ShellText[]> {
  const lines: ShellText[] = [];
  let characters = 0;
  const file = opened(name, () => openInput(call, name));
  try {
    for await (const batch of textLines(file, call.signal, given.has('zero') ? '\0' : '\n')) {
      for (const line of batch.lines) {
        lines.push(line);
        characters += line.length + 1;
      }
      checkLineCount(lines.length);
      if (characters > shellLimits.inputBytes)
        throw new ProgramError(`the input has more than ${shellLimits.inputBytes} bytes`);
    }
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`read error: ${error.message}`);
  } finally {
    file.release();
  }
  return lines;
}

function countOf(text: ShellText): number {
  if (!/^\+?\d+$/.test(text)) throw new ProgramError(`invalid line count: ${quoteName(text)}`);
  return Number(text);
}

function opened<T>(name: ShellText, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`${nameInMessage(name)}: ${error.message}`);
  }
}
