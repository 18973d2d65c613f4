import type { ShellText } from '../../text.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import { humanSize } from '../notation/human-size.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';

/** Rows of text in columns: the first is left-aligned, and the last is not padded. */
function table(rows: readonly (readonly string[])[], leftColumns: readonly number[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          if (column === row.length - 1) return cell;
          const width = widths[column] ?? 0;
          return leftColumns.includes(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(' '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

export const df: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary:
    'Show information about the file system on which each FILE resides, or all file systems by default.',
  options: {
    all: '-a, --all  include pseudo, duplicate, inaccessible file systems',
    blockSize: '-B, --block-size=SIZE  scale sizes by SIZE before printing them',
    human: '-h, --human-readable  print sizes in powers of 1024 (e.g., 1023M)',
    si: '-H, --si  print sizes in powers of 1000 (e.g., 1.1G)',
    inodes: '-i, --inodes  list inode information instead of block usage',
    kilobytes: '-k  like --block-size=1K',
    megabytes: '-m  like --block-size=1M',
    local: '-l, --local  limit listing to local file systems',
    portability: '-P, --portability  use the POSIX output format',
    total: '--total  elide all entries insignificant to available space, and produce a grand total',
    type: '-t, --type=TYPE  limit listing to file systems of type TYPE',
    printType: '-T, --print-type  print file system type',
    output: '--output[=FIELD_LIST]  use the output format defined by FIELD_LIST (ignored)',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    let status = 0;
    for (const name of operands) {
      const isThere = await attempt(invocation, nameInMessage(name), () =>
        call.files.stat(pathOf(call, name)),
      );
      if (!isThere) status = 1;
    }
    if (status !== 0 && operands.length === 1) return status;
    const { usedBytes, totalBytes, usedInodes, totalInodes } = call.files.tree.usage();
    const free = totalBytes - usedBytes;
    const base = options.last('human', 'si');
    const unit = options.has('megabytes') ? 2 ** 20 : 1024;
    const size = (bytes: number) =>
      base ? humanSize(bytes, base === 'si' ? 1000 : 1024) : String(Math.ceil(bytes / unit));
    const percent = (used: number, total: number) =>
      `${total === 0 ? '-' : Math.ceil((used / total) * 100)}%`;
    const type = options.has('printType');
    const isPosix = options.has('portability');
    const sizeTitle = base ? 'Size' : unit === 1024 ? (isPosix ? '1024-blocks' : '1K-blocks') : '1M-blocks';
    const rows = options.has('inodes')
      ? [
          ['Filesystem', ...(type ? ['Type'] : []), 'Inodes', 'IUsed', 'IFree', 'IUse%', 'Mounted on'],
          [
            'coppice',
            ...(type ? ['tmpfs'] : []),
            String(totalInodes),
            String(usedInodes),
            String(totalInodes - usedInodes),
            percent(usedInodes, totalInodes),
            '/',
          ],
        ]
      : [
          [
            'Filesystem',
            ...(type ? ['Type'] : []),
            sizeTitle,
            'Used',
            base ? 'Avail' : 'Available',
            isPosix ? 'Capacity' : 'Use%',
            'Mounted on',
          ],
          [
            'coppice',
            ...(type ? ['tmpfs'] : []),
            size(totalBytes),
            size(usedBytes),
            size(free),
            percent(usedBytes, totalBytes),
            '/',
          ],
        ];
    out.add(table(rows, type ? [0, 1] : [0]));
    return status;
  },
});

export const free: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Display amount of free and used memory: of the sandbox, whose files are in memory.',
  options: {
    bytes: '-b, --bytes  show output in bytes',
    kibi: '-k, --kibi  show output in kibibytes',
    mebi: '-m, --mebi  show output in mebibytes',
    gibi: '-g, --gibi  show output in gibibytes',
    human: '-h, --human  show human-readable output',
    total: '-t, --total  show total for RAM + swap',
    wide: '-w, --wide  wide output',
  },
  async run({ call, options, out }) {
    const { usedBytes, totalBytes } = call.files.tree.usage();
    const units = { bytes: 1, kibi: 1024, mebi: 2 ** 20, gibi: 2 ** 30 };
    const unit = units[options.last('bytes', 'kibi', 'mebi', 'gibi') ?? 'kibi'];
    const size = (bytes: number): ShellText =>
      options.has('human')
        ? `${humanSize(bytes)}${bytes < 1024 ? 'B' : 'i'}`
        : String(Math.floor(bytes / unit));
    const left = totalBytes - usedBytes;
    const row = (title: string, cells: readonly string[]) =>
      `${title.padEnd(8)}${cells.map((cell) => cell.padStart(12)).join('')}\n`;
    out.add(row('', ['total', 'used', 'free', 'shared', 'buff/cache', 'available']));
    out.add(row('Mem:', [size(totalBytes), size(usedBytes), size(left), size(0), size(0), size(left)]));
    out.add(row('Swap:', [size(0), size(0), size(0)]));
    return 0;
  },
});
