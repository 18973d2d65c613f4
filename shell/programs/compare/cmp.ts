import { OpenTreeFile } from '../../files/open-tree-file.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

export const cmp: Program = defineProgram({
  usage: '[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]',
  summary: 'Compare two files byte by byte.',
  usageStatus: 2,
  options: {
    printBytes: '-b, --print-bytes  print differing bytes',
    skip: '-i, --ignore-initial=SKIP  skip first SKIP bytes of both inputs; SKIP1:SKIP2 of each',
    all: '-l, --verbose  output byte numbers and differing byte values',
    most: '-n, --bytes=LIMIT  compare at most LIMIT bytes',
    silent: '-s, --quiet, --silent  suppress all normal output',
  },
  async run(invocation) {
    const { call, options, operands, out, warn } = invocation;
    const [first, second = '-', skipFirst, skipSecond, excess] = operands;
    if (first === undefined) throw new UsageError(`missing operand after ${quoteName(call.name)}`);
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    const [firstSkip = '0', otherSkip = firstSkip] = (options.value('skip') ?? '0').split(':');
    const skips = [skipFirst ?? firstSkip, skipSecond ?? otherSkip].map((text) =>
      countOf(text, 'invalid --ignore-initial value'),
    );
    const most = options.has('most')
      ? countOf(options.value('most') ?? '', 'invalid --bytes value')
      : Number.POSITIVE_INFINITY;
    let status = 0;
    const isRead = await withInput(invocation, { name: first }, async (one) => {
      const isOtherRead = await withInput(invocation, { name: second }, async (other) => {
        const [left, right] = [
          new ByteStream(pieces(one, call.signal)),
          new ByteStream(pieces(other, call.signal)),
        ];
        const sizes = [one, other].map((file) => (file instanceof OpenTreeFile ? file.sizeBytes : 0));
        const digits = String(Math.min(Math.max(...sizes), ...sizes.filter((size) => size > 0), most)).length;
        await left.skip(skips[0] ?? 0);
        await right.skip(skips[1] ?? 0);
        let line = 1;
        let last = -1;
        for (let at = 1; at <= most; at++) {
          const a = left.take() ?? (await left.refill());
          const b = right.take() ?? (await right.refill());
          if (a === undefined && b === undefined) return;
          if (a === undefined || b === undefined) {
            status = 1;
            if (!options.has('silent'))
              await warn(
                endMessage(a === undefined ? first : second, {
                  at,
                  line,
                  last,
                  inLines: !options.has('all'),
                }),
              );
            return;
          }
          if (a !== b) {
            status = 1;
            if (options.has('silent')) return;
            if (!options.has('all')) {
              const bytes = options.has('printBytes')
                ? ` is ${octal(a)} ${shown(a)} ${octal(b)} ${shown(b)}`
                : '';
              out.add(`${first} ${second} differ: byte ${at}, line ${line}${bytes}\n`);
              return;
            }
            const values = options.has('printBytes')
              ? `${octal(a)} ${shown(a).padEnd(4)} ${octal(b)} ${shown(b)}`
              : `${octal(a)} ${octal(b)}`;
            await out.write(`${String(at).padStart(digits)} ${values}\n`);
          }
          if (a === 0x0a) line += 1;
          last = a;
        }
      });
      if (!isOtherRead) status = 2;
    });
    return isRead ? status : 2;
  },
});

function endMessage(
  name: ShellText,
  { at, line, last, inLines }: { at: number; line: number; last: number; inLines: boolean },
): ShellText {
  if (at === 1) return `EOF on ${name} which is empty`;
  if (!inLines) return `EOF on ${name} after byte ${at - 1}`;
  return last === 0x0a
    ? `EOF on ${name} after byte ${at - 1}, line ${line - 1}`
    : `EOF on ${name} after byte ${at - 1}, in line ${line}`;
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3);
}

function shown(byte: number): string {
  const low = byte & 0x7f;
  const meta = byte >= 0x80 ? 'M-' : '';
  if (low < 0x20) return `${meta}^${String.fromCharCode(low + 0x40)}`;
  return low === 0x7f ? `${meta}^?` : `${meta}${String.fromCharCode(low)}`;
}

class ByteStream {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  #piece: Uint8Array = encodeText('');
  #at = 0;

  constructor(source: AsyncGenerator<Uint8Array>) {
    this.#pieces = source;
  }

  /** The next byte, if it is here already. */
  take(): number | undefined {
    const byte = this.#piece[this.#at];
    this.#at += 1;
    return byte;
  }

  async refill(): Promise<number | undefined> {
    const next = await this.#pieces.next();
    this.#piece = next.done ? new Uint8Array(0) : next.value;
    this.#at = 0;
    return this.take();
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; left--)
      if (this.take() === undefined && (await this.refill()) === undefined) return;
  }
}
