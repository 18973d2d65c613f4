import { OpenTreeFile } from '../../files/open-tree-file.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { parseCount } from '../command-line/parse-count.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { humanSize } from '../notation/human-size.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program, ProgramCall } from '../program.ts';
import { Steps } from '../streams/steps.ts';

const operandNames = [
  'if',
  'of',
  'bs',
  'ibs',
  'obs',
  'cbs',
  'count',
  'skip',
  'iseek',
  'seek',
  'oseek',
  'conv',
  'iflag',
  'oflag',
  'status',
];

export const dd: Program = defineProgram({
  usage: '[OPERAND]...',
  summary: `Copy a file, converting and formatting according to the operands: ${operandNames.map((name) => `${name}=`).join(' ')}`,
  async run({ call, operands }) {
    const given = readOperands(operands);
    const words = (name: string) => (given.get(name) ?? '').split(',').filter((word) => word !== '');
    const number = (name: string, usual: number) => numberOf(given.get(name), usual);
    const blockBytes = number('bs', 0);
    const inputBytes = blockBytes || number('ibs', 512);
    if (inputBytes > shellLimits.inputBytes)
      throw new ProgramError(`memory exhausted by input buffer of size ${inputBytes} bytes`);
    const conversions = words('conv');
    checkWords(conversions, knownConversions, 'invalid conversion');
    checkWords(words('iflag'), knownFlags, 'invalid input flag');
    checkWords(words('oflag'), knownFlags, 'invalid output flag');
    const countsBytes = words('iflag').includes('count_bytes') || /B$/.test(given.get('count') ?? '');
    const limit = given.has('count')
      ? number('count', 0) * (countsBytes ? 1 : inputBytes)
      : Number.POSITIVE_INFINITY;
    const skipped =
      number('skip', number('iseek', 0)) * (words('iflag').includes('skip_bytes') ? 1 : inputBytes);
    const outputBytes = blockBytes || number('obs', 512);
    const sought =
      number('seek', number('oseek', 0)) * (words('oflag').includes('seek_bytes') ? 1 : outputBytes);
    const input = openToRead(call, given.get('if'));
    try {
      const output = openToWrite(call, given.get('of'), {
        sought,
        conversions,
        append: words('oflag').includes('append'),
      });
      try {
        const started = performance.now();
        await skip(input, skipped, call);
        const copied = await copy(input, output, {
          call,
          inputBytes,
          limit,
          conversions,
          fullBlocks: words('iflag').includes('fullblock'),
        });
        await report(call, copied, {
          status: given.get('status'),
          seconds: (performance.now() - started) / 1000,
          outputBytes,
        });
        return 0;
      } finally {
        output.release();
      }
    } finally {
      input.release();
    }
  },
});

const knownConversions =
  'ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat notrunc noerror fdatasync fsync';
const knownFlags =
  'append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow count_bytes skip_bytes seek_bytes';

/** @throws UsageError of a word that is none */
function checkWords(given: readonly ShellText[], known: string, what: string): void {
  const wrong = given.find((word) => !known.split(' ').includes(word));
  if (wrong !== undefined) throw new UsageError(`${what}: ${quoteName(wrong)}`);
}

function readOperands(operands: readonly ShellText[]): Map<string, ShellText> {
  const given = new Map<string, ShellText>();
  for (const operand of operands) {
    const equals = operand.indexOf('=');
    const name = operand.slice(0, Math.max(equals, 0));
    if (!operandNames.includes(name)) throw new UsageError(`unrecognized operand ${quoteName(operand)}`);
    given.set(name, operand.slice(equals + 1));
  }
  return given;
}

function numberOf(text: ShellText | undefined, usual: number): number {
  if (text === undefined) return usual;
  const factors = text.split('x').map((factor) => parseCount(factor.replace(/(?<=\d)B$/, '')));
  if (factors.some((factor) => factor === undefined))
    throw new ProgramError(`invalid number: ${quoteName(text)}`);
  return factors.reduce<number>((product, factor) => product * (factor ?? 0), 1);
}

function openToRead(call: ProgramCall, name: ShellText | undefined): OpenFile {
  if (name === undefined) {
    call.stdin.retain();
    return call.stdin;
  }
  return opened(name, () => call.files.open(pathOf(call, name), { read: true }, call));
}

function openToWrite(
  call: ProgramCall,
  name: ShellText | undefined,
  { sought, conversions, append }: { sought: number; conversions: readonly string[]; append: boolean },
): OpenFile {
  if (name === undefined) {
    call.stdout.retain();
    if (call.stdout instanceof OpenTreeFile) call.stdout.position += sought;
    return call.stdout;
  }
  return opened(name, () => {
    const path = pathOf(call, name);
    const create = !conversions.includes('nocreat');
    const file = call.files.open(
      path,
      { write: true, create, append, exclusive: conversions.includes('excl') },
      call,
    );
    if (file instanceof OpenTreeFile) {
      if (!conversions.includes('notrunc') && !append) call.files.truncate(path, sought);
      file.position = sought;
    }
    return file;
  });
}

function opened(name: ShellText, open: () => OpenFile): OpenFile {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`failed to open ${quoteName(name)}: ${error.message}`);
  }
}

async function skip(file: OpenFile, bytes: number, call: ProgramCall): Promise<void> {
  if (file instanceof OpenTreeFile) {
    file.position += bytes;
    return;
  }
  for (let left = bytes; left > 0; ) {
    const piece = await file.read(Math.min(left, 65_536), call.signal);
    if (piece.length === 0) return;
    left -= piece.length;
  }
}

interface Copied {
  full: number;
  partial: number;
  bytes: number;
}

async function copy(
  input: OpenFile,
  output: OpenFile,
  options: {
    call: ProgramCall;
    inputBytes: number;
    limit: number;
    conversions: readonly string[];
    fullBlocks: boolean;
  },
): Promise<Copied> {
  const { call, inputBytes, conversions } = options;
  const steps = new Steps(call.signal);
  const copied: Copied = { full: 0, partial: 0, bytes: 0 };
  for (let left = options.limit; left > 0; ) {
    const wanted = Math.min(inputBytes, left);
    let block = await input.read(wanted, call.signal);
    // Files and devices give whole blocks; pipes give what they have, which GNU's dd counts as a partial one.
    while (block.length > 0 && block.length < wanted && (options.fullBlocks || input.type === 'null')) {
      const more = await input.read(wanted - block.length, call.signal);
      if (more.length === 0) break;
      const both = new Uint8Array(block.length + more.length);
      both.set(block);
      both.set(more, block.length);
      block = both;
    }
    if (block.length === 0) break;
    left -=
      options.limit === Number.POSITIVE_INFINITY || options.fullBlocks || block.length === wanted
        ? block.length
        : inputBytes;
    if (block.length === inputBytes) copied.full += 1;
    else copied.partial += 1;
    const converted = convert(block, conversions, inputBytes);
    copied.bytes += converted.length;
    await output.write(converted, call.signal);
    await steps.next();
  }
  return copied;
}

function convert(block: Uint8Array, conversions: readonly string[], blockBytes: number): Uint8Array {
  let converted = block;
  if (conversions.includes('sync') && block.length < blockBytes) {
    converted = new Uint8Array(blockBytes);
    converted.set(block);
  }
  if (conversions.includes('ucase'))
    converted = converted.map((byte) => (byte >= 0x61 && byte <= 0x7a ? byte - 32 : byte));
  if (conversions.includes('lcase'))
    converted = converted.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte));
  if (conversions.includes('swab')) {
    converted = converted.map(
      (byte, at, all) => all[at % 2 === 0 ? (at + 1 < all.length ? at + 1 : at) : at - 1] ?? byte,
    );
  }
  return converted;
}

async function report(
  call: ProgramCall,
  { full, partial, bytes }: Copied,
  { status, seconds, outputBytes }: { status: ShellText | undefined; seconds: number; outputBytes: number },
): Promise<void> {
  if (status === 'none') return;
  const written = Math.floor(bytes / outputBytes);
  const records = `${full}+${partial} records in\n${written}+${bytes % outputBytes === 0 ? 0 : 1} records out\n`;
  const si = bytes >= 1000 ? `${humanSize(bytes, 1000).replace(/([kMGTPE])?$/, ' $1B')}` : '';
  const binary = bytes >= 1024 ? `, ${humanSize(bytes).replace(/([KMGTPE])?$/, ' $1iB')}` : '';
  const sizes = si === '' ? '' : ` (${si}${binary})`;
  const rate = humanSize(Math.round(bytes / Math.max(seconds, 0.000001)), 1000).replace(
    /([kMGTPE])?$/,
    ' $1B/s',
  );
  const summary = `${bytes} byte${bytes === 1 ? '' : 's'}${sizes} copied, ${Number(seconds.toPrecision(6))} s, ${rate}\n`;
  await call.stderr.write(encodeText(status === 'noxfer' ? records : records + summary), call.signal);
}
