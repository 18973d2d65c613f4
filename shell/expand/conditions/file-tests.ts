import type { InodeView } from '../../../tree/live/file-tree.ts';
import { madeInode } from '../../files/made-inode.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';

const fileType = {
  mask: 0o170000,
  fifo: 0o010000,
  character: 0o020000,
  directory: 0o040000,
  block: 0o060000,
} as const;
const otherTypes = { regular: 0o100000, link: 0o120000, socket: 0o140000 } as const;

/** Letters of `-e` and its kin, which look at a file. */
export const fileTestLetters = 'abcdefghkprsuwxGLNOS';

/** `-f path` and its kin. */
export function testFile(letter: string, path: ShellText, scope: ExpansionScope): boolean {
  const inode = lookUp(path, scope, { follow: letter !== 'h' && letter !== 'L' });
  if (!inode) return false;
  const type = inode.mode & fileType.mask;
  switch (letter) {
    case 'b':
      return type === fileType.block;
    case 'c':
      return type === fileType.character;
    case 'd':
      return type === fileType.directory;
    case 'f':
      return type === otherTypes.regular;
    case 'h':
    case 'L':
      return type === otherTypes.link;
    case 'p':
      return type === fileType.fifo;
    case 'S':
      return type === otherTypes.socket;
    case 's':
      return inode.sizeBytes > 0;
    case 'g':
      return (inode.mode & 0o2000) !== 0;
    case 'u':
      return (inode.mode & 0o4000) !== 0;
    case 'k':
      return (inode.mode & 0o1000) !== 0;
    case 'x':
      return type === fileType.directory || (inode.mode & 0o111) !== 0;
    case 'N':
      return isLater(modified(inode), [inode.atimeSeconds, inode.atimeNanoseconds]);
    default:
      // `-a`, `-e`, and what root may do with every file: `-r`, `-w`, `-O`, `-G`.
      return true;
  }
}

/** `one -nt other`, `-ot` and `-ef`. */
export function compareFiles(
  operator: '-nt' | '-ot' | '-ef',
  { left, right }: { left: ShellText; right: ShellText },
  scope: ExpansionScope,
): boolean {
  const one = timesAndInode(left, scope);
  const other = timesAndInode(right, scope);
  switch (operator) {
    case '-ef':
      return one !== undefined && one.ino === other?.ino;
    case '-nt':
      return one !== undefined && (other === undefined || isLater(one.modified, other.modified));
    case '-ot':
      return other !== undefined && (one === undefined || isLater(other.modified, one.modified));
  }
}

type Time = readonly [seconds: number, nanoseconds: number];

/** An inode's view is that inode's only until another is looked at. */
function timesAndInode(path: ShellText, scope: ExpansionScope): { ino: number; modified: Time } | undefined {
  const inode = lookUp(path, scope, { follow: true });
  return inode && { ino: inode.ino, modified: modified(inode) };
}

function modified(inode: InodeView): Time {
  return [inode.mtimeSeconds, inode.mtimeNanoseconds];
}

function isLater(one: Time, other: Time): boolean {
  return one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);
}

function lookUp(
  path: ShellText,
  scope: ExpansionScope,
  { follow }: { follow: boolean },
): InodeView | undefined {
  if (path === '') return undefined;
  const descriptor = descriptorOf(path);
  if (descriptor !== undefined) return scope.descriptor(descriptor) && characterDevice;
  const absolute = path.startsWith('/') ? path : `${scope.cwd}/${path}`;
  try {
    return follow ? scope.files.stat(absolute) : scope.files.lstat(absolute);
  } catch (error) {
    if (error instanceof ShellError) return undefined;
    throw error;
  }
}

const standardNames = ['/dev/stdin', '/dev/stdout', '/dev/stderr'];

/** `/dev/fd/N` is there where the descriptor is open. */
function descriptorOf(path: ShellText): number | undefined {
  const standard = standardNames.indexOf(path);
  if (standard >= 0) return standard;
  const [, digits] = /^\/dev\/fd\/(\d+)$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const characterDevice: InodeView = { ...madeInode, mode: fileType.character | 0o666 };
