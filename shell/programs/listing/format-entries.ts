import { majorOf, minorOf } from '../../../tree/live/device-number.ts';
import { fileMode, isDevice, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView, Timestamp } from '../../../tree/live/file-tree.ts';
import type { TreeFiles } from '../../files/tree-files.ts';
import type { ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import type { TimeZone } from '../../time/time-zone.ts';
import type { Accounts } from '../attributes/accounts.ts';
import { modeText } from '../attributes/file-kind.ts';
import { type TimeKey, timeOf } from '../attributes/file-times.ts';
import { displayWidth } from '../notation/display-width.ts';
import { humanSize } from '../notation/human-size.ts';

export interface ListStyle {
  readonly format: 'long' | 'single-column' | 'vertical' | 'across' | 'commas';
  readonly files: TreeFiles;
  readonly accounts: Accounts;
  readonly now: Timestamp;
  readonly zone: TimeZone;
  readonly time: TimeKey;
  readonly timeStyle: string;
  readonly showsInode: boolean;
  readonly showsBlocks: boolean;
  readonly showsOwner: boolean;
  readonly showsGroup: boolean;
  readonly isNumeric: boolean;
  /** Shows what links lead to. */
  readonly followsAll: boolean;
  readonly sizes: 1000 | 1024 | undefined;
  readonly indicator: 'slash' | 'file-type' | 'classify' | undefined;
  readonly width: number;
  quote(name: ShellText): ShellText;
  /** Allocated bytes in the unit that is shown. */
  blocks(bytes: number): string;
}

interface Entry {
  readonly name: ShellText;
  readonly path: ShellText;
  readonly inode: InodeView;
}

/** The lines of a listing. */
export function formatEntries(entries: readonly Entry[], style: ListStyle): ShellText {
  if (entries.length === 0) return '';
  if (style.format === 'long') return longLines(entries, style);
  const inodes = style.showsInode ? column(entries, ({ inode }) => String(inode.ino)) : undefined;
  const blocks = style.showsBlocks
    ? column(entries, ({ inode }) => style.blocks(inode.allocatedBytes))
    : undefined;
  const names = entries.map((entry, index) => {
    const prefix = [inodes?.[index], blocks?.[index]].filter((part) => part !== undefined);
    return [...prefix, `${style.quote(entry.name)}${indicatorOf(entry.inode.mode, style)}`].join(' ');
  });
  if (style.format === 'single-column') return `${names.join('\n')}\n`;
  if (style.format === 'commas') return commaLines(names, style.width);
  return columnLines(names, style);
}

const halfYearSeconds = 31_556_952 / 2;

function longLines(entries: readonly Entry[], style: ListStyle): ShellText {
  const { accounts, isNumeric } = style;
  const owner = ({ inode }: Entry) => (isNumeric ? String(inode.uid) : accounts.userName(inode.uid));
  const group = ({ inode }: Entry) => (isNumeric ? String(inode.gid) : accounts.groupName(inode.gid));
  const size = ({ inode }: Entry) => {
    if (isDevice(inode.mode)) return `${majorOf(inode.rdev)}, ${minorOf(inode.rdev)}`;
    return style.sizes === undefined ? String(inode.sizeBytes) : humanSize(inode.sizeBytes, style.sizes);
  };
  const columns = [
    ...(style.showsInode ? [column(entries, ({ inode }) => String(inode.ino))] : []),
    ...(style.showsBlocks ? [column(entries, ({ inode }) => style.blocks(inode.allocatedBytes))] : []),
    entries.map(({ inode }) => modeText(inode.mode)),
    column(entries, ({ inode }) => String(inode.nlink)),
    ...(style.showsOwner ? [column(entries, owner, isNumeric ? 'right' : 'left')] : []),
    ...(style.showsGroup ? [column(entries, group, isNumeric ? 'right' : 'left')] : []),
    column(entries, size),
    column(entries, ({ inode }) => timeText(timeOf(inode, style.time), style)),
    entries.map((entry) => nameText(entry, style)),
  ];
  return entries.map((_, index) => `${columns.map((cells) => cells[index]).join(' ')}\n`).join('');
}

function timeText(time: Timestamp, { timeStyle, now, zone }: ListStyle): string {
  const age = now.seconds - time.seconds;
  const isRecent = age >= 0 && age < halfYearSeconds;
  const shown = calendarTime(time, zone);
  if (timeStyle.startsWith('+')) {
    const [old = '', recent = old] = timeStyle.slice(1).split('\n');
    return formatDate(isRecent ? recent : old, shown);
  }
  switch (timeStyle.replace(/^posix-/, '')) {
    case 'full-iso':
      return formatDate('%Y-%m-%d %H:%M:%S.%N %z', shown);
    case 'long-iso':
      return formatDate('%Y-%m-%d %H:%M', shown);
    case 'iso':
      return formatDate(isRecent ? '%m-%d %H:%M' : '%Y-%m-%d ', shown);
    default:
      return formatDate(isRecent ? '%b %e %H:%M' : '%b %e  %Y', shown);
  }
}

function nameText({ name, path, inode }: Entry, style: ListStyle): ShellText {
  const shown = style.quote(name);
  if (!isSymlink(inode.mode)) return `${shown}${indicatorOf(inode.mode, style)}`;
  const target = style.files.readlink(path);
  const mode = style.files.exists(path) ? style.files.stat(path).mode : undefined;
  const indicator = mode === undefined ? '' : indicatorOf(mode, style);
  return `${shown} -> ${style.quote(target)}${indicator}`;
}

function indicatorOf(mode: number, { indicator }: ListStyle): string {
  if (indicator === undefined) return '';
  if (isDirectory(mode)) return '/';
  if (indicator === 'slash') return '';
  if (isSymlink(mode)) return '@';
  if (isFile(mode)) return indicator === 'classify' && (mode & 0o111) !== 0 ? '*' : '';
  const type = mode & fileMode.typeMask;
  if (type === fileMode.fifo) return '|';
  return type === fileMode.socket ? '=' : '';
}

/** Cells of one width. */
function column(
  entries: readonly Entry[],
  cell: (entry: Entry) => string,
  align: 'left' | 'right' = 'right',
): string[] {
  const cells = entries.map(cell);
  const width = cells.reduce((widest, text) => Math.max(widest, displayWidth(text)), 0);
  return cells.map((text) => {
    const padding = ' '.repeat(width - displayWidth(text));
    return align === 'left' ? text + padding : padding + text;
  });
}

function commaLines(names: readonly ShellText[], width: number): ShellText {
  let lines = '';
  let at = 0;
  names.forEach((name, index) => {
    const size = displayWidth(name);
    if (index > 0) {
      const isWrapped = width > 0 && at + size + 2 >= width;
      lines += isWrapped ? ',\n' : ', ';
      at = isWrapped ? 0 : at + 2;
    }
    lines += name;
    at += size;
  });
  return `${lines}\n`;
}

/** As few lines as fit the width. */
function columnLines(names: readonly ShellText[], { format, width }: ListStyle): ShellText {
  const sizes = names.map(displayWidth);
  const indexOf = (row: number, column: number, rows: number, columns: number) =>
    format === 'across' ? row * columns + column : column * rows + row;
  const most = width === 0 ? names.length : Math.max(1, Math.min(names.length, Math.floor(width / 3)));
  for (let columns = most; columns >= 1; columns--) {
    const rows = Math.ceil(names.length / columns);
    const widths: number[] = [];
    for (let column = 0; column < columns; column++) {
      let widest = 0;
      for (let row = 0; row < rows; row++)
        widest = Math.max(widest, sizes[indexOf(row, column, rows, columns)] ?? 0);
      widths.push(widest);
    }
    const total = widths.reduce((sum, size) => sum + size, 0) + 2 * (columns - 1);
    if (columns > 1 && width > 0 && total >= width) continue;
    return rowsOf(rows, columns);

    function rowsOf(rowCount: number, columnCount: number): ShellText {
      let lines = '';
      for (let row = 0; row < rowCount; row++) {
        let at = 0;
        let end = 0;
        for (let column = 0; column < columnCount; column++) {
          const index = indexOf(row, column, rowCount, columnCount);
          const name = names[index];
          if (name === undefined) break;
          lines += indent(end, at) + name;
          end = at + (sizes[index] ?? 0);
          at += (widths[column] ?? 0) + 2;
        }
        lines += '\n';
      }
      return lines;
    }
  }
  return `${names.join('\n')}\n`;
}

const tabColumns = 8;

/** GNU moves from one column to another by tabs where it can. */
function indent(from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; ) {
    if (Math.floor(to / tabColumns) > Math.floor((at + 1) / tabColumns)) {
      text += '\t';
      at += tabColumns - (at % tabColumns);
    } else {
      text += ' ';
      at += 1;
    }
  }
  return text;
}
