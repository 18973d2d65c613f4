import { decodeText, encodeText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';
import { openOutput, readAll } from '../streams/input.ts';

interface DumpStyle {
  readonly columns: number;
  readonly group: number;
  readonly isUpper: boolean;
  readonly isBinary: boolean;
  readonly isDecimal: boolean;
  readonly isLittleEndian: boolean;
  readonly firstOffset: number;
}

export const xxd: Program = defineProgram({
  usage: '[OPTION]... [INFILE [OUTFILE]]',
  summary: 'Make a hex dump, or turn one back into bytes.',
  options: {
    autoskip: '-a, --autoskip  (ignored)',
    bits: '-b, --bits  switch to bits dump',
    columns:
      '-c COLS, --cols=COLS  format COLS octets per line; default 16, 6 with -b, 30 with -p, 12 with -i',
    decimal: '-d  show offset in decimal',
    little: '-e  little-endian dump',
    group: '-g BYTES, --groupsize=BYTES  number of octets per group; default 2, 1 with -b',
    include: '-i, --include  output in C include file style',
    length: '-l LEN, --len=LEN  stop after LEN octets',
    offset: '-o OFF, --offset=OFF  add OFF to the displayed file position',
    plain: '-p, --ps, --plain  output in plain hex dump style',
    revert: '-r, --revert  convert hex dump into bytes',
    seek: '-s SEEK, --seek=SEEK  start at SEEK bytes offset',
    upper: '-u, --uppercase  use upper case hex letters',
  },
  rewrite: (args) => args.map((argument) => argument.replace(/^-(ps|cols|len|seek)$/, '--$1')),
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const [name = '-', output] = operands;
    if (operands.length > 2) throw new UsageError('too many operands');
    const isBinary = options.has('bits');
    const isPlain = options.has('plain');
    const isInclude = options.has('include');
    const columns = integer(options.value('columns')) ?? (isPlain ? 30 : isBinary ? 6 : isInclude ? 12 : 16);
    const seek = integer(options.value('seek')) ?? 0;
    const isLittleEndian = options.has('little');
    const style: DumpStyle = {
      columns: columns || (isPlain ? Number.POSITIVE_INFINITY : 16),
      group: integer(options.value('group')) ?? (isBinary ? 1 : isLittleEndian ? 4 : 2),
      isUpper: options.has('upper'),
      isBinary,
      isDecimal: options.has('decimal'),
      isLittleEndian,
      firstOffset: (integer(options.value('offset')) ?? 0) + Math.max(seek, 0),
    };
    let result: Uint8Array = new Uint8Array(0);
    const isDone = await withInput(invocation, { name }, async (file) => {
      const all = await readAll(file, call.signal);
      if (options.has('revert')) {
        result = revert(decodeText(all), isPlain);
        return;
      }
      const start = seek < 0 ? Math.max(all.length + seek, 0) : seek;
      const length = integer(options.value('length')) ?? all.length;
      const bytes = all.subarray(start, start + length);
      const text = isPlain
        ? plainDump(bytes, style)
        : isInclude
          ? includeDump(bytes, { name, style })
          : dump(bytes, style);
      result = encodeText(text);
    });
    if (!isDone) return 2;
    if (output === undefined || output === '-') out.addBytes(result);
    else {
      const file = openOutput(call, output);
      try {
        await file.write(result, call.signal);
      } finally {
        file.release();
      }
    }
    return 0;
  },
});

function integer(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = /^[-+]?0\d+$/.test(text) ? Number.parseInt(text, 8) : Number(text);
  return Number.isInteger(number) ? number : undefined;
}

function hex(byte: number, isUpper: boolean): string {
  const text = byte.toString(16).padStart(2, '0');
  return isUpper ? text.toUpperCase() : text;
}

function dump(bytes: Uint8Array, style: DumpStyle): string {
  const cell = (byte: number) =>
    style.isBinary ? byte.toString(2).padStart(8, '0') : hex(byte, style.isUpper);
  const group = style.group || style.columns;
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += style.columns) {
    const row = [...bytes.subarray(at, at + style.columns)];
    const offset = (style.firstOffset + at).toString(style.isDecimal ? 10 : 16).padStart(8, '0');
    const groups: string[] = [];
    for (let first = 0; first < style.columns; first += group) {
      const cells = Array.from({ length: Math.min(group, style.columns - first) }, (_, index) => {
        const byte = row[first + index];
        return byte === undefined ? ' '.repeat(style.isBinary ? 8 : 2) : cell(byte);
      });
      groups.push((style.isLittleEndian ? cells.reverse() : cells).join(''));
    }
    const shown = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${offset}: ${groups.join(' ')}  ${shown}\n`);
  }
  return lines.join('');
}

function plainDump(bytes: Uint8Array, { columns, isUpper }: DumpStyle): string {
  const cells = Array.from(bytes, (byte) => hex(byte, isUpper));
  if (columns === Number.POSITIVE_INFINITY) return `${cells.join('')}\n`;
  let lines = '';
  for (let at = 0; at < cells.length; at += columns) lines += `${cells.slice(at, at + columns).join('')}\n`;
  return lines;
}

function includeDump(bytes: Uint8Array, { name, style }: { name: string; style: DumpStyle }): string {
  const cells = Array.from(bytes, (byte) => `0x${hex(byte, style.isUpper)}`);
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += style.columns)
    lines.push(`  ${cells.slice(at, at + style.columns).join(', ')}`);
  const body = `${lines.join(',\n')}\n`;
  if (name === '-') return body;
  const variable = name.replaceAll(/[^a-zA-Z0-9]/g, '_').replace(/^(?=\d)/, '__');
  return `unsigned char ${variable}[] = {\n${body}};\nunsigned int ${variable}_len = ${bytes.length};\n`;
}

function revert(text: string, isPlain: boolean): Uint8Array {
  const bytes: number[] = [];
  for (const line of text.split('\n')) {
    if (isPlain) {
      for (const [pair] of line.replaceAll(/[^0-9a-fA-F]/g, '').matchAll(/../g))
        bytes.push(Number.parseInt(pair, 16));
      continue;
    }
    const [, offset, digits = ''] = /^\s*([0-9a-fA-F]+):\s?((?:[0-9a-fA-F]{2,}\s?)*)/.exec(line) ?? [];
    if (offset === undefined) continue;
    let at = Number.parseInt(offset, 16);
    for (const [pair] of digits.replaceAll(/\s/g, '').matchAll(/../g)) {
      while (bytes.length < at && bytes.length < 2 ** 26) bytes.push(0);
      bytes[at] = Number.parseInt(pair, 16);
      at += 1;
    }
  }
  return Uint8Array.from(bytes);
}
