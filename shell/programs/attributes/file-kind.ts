import { fileMode } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';

/** What GNU's messages call a file: `regular empty file`, `symbolic link` … */
export function kindOf({ mode, sizeBytes }: InodeView): string {
  switch (mode & fileMode.typeMask) {
    case fileMode.file:
      return sizeBytes === 0 ? 'regular empty file' : 'regular file';
    case fileMode.directory:
      return 'directory';
    case fileMode.symlink:
      return 'symbolic link';
    case fileMode.fifo:
      return 'fifo';
    case fileMode.socket:
      return 'socket';
    case fileMode.blockDevice:
      return 'block special file';
    default:
      return 'character special file';
  }
}

const typeLetters = new Map<number, string>([
  [fileMode.file, '-'],
  [fileMode.directory, 'd'],
  [fileMode.symlink, 'l'],
  [fileMode.fifo, 'p'],
  [fileMode.socket, 's'],
  [fileMode.blockDevice, 'b'],
  [fileMode.characterDevice, 'c'],
]);

/** `-rwxr-xr-x` */
export function modeText(mode: number): string {
  const triple = (shift: number, special: number, letter: string) => {
    const bits = mode >> shift;
    const executes = (bits & 1) !== 0;
    const marked = executes ? letter : letter.toUpperCase();
    return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${mode & special ? marked : executes ? 'x' : '-'}`;
  };
  const type = typeLetters.get(mode & fileMode.typeMask) ?? '?';
  return `${type}${triple(6, 0o4000, 's')}${triple(3, 0o2000, 's')}${triple(0, 0o1000, 't')}`;
}
