import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import type { ShellText } from '../../text.ts';
import { type TimeKey, timeOf } from '../attributes/file-times.ts';
import { compareNames, compareVersions } from '../order/compare-names.ts';

export type SortKey = 'name' | 'size' | 'time' | 'version' | 'extension' | 'none';

interface SortRules {
  readonly key: SortKey;
  readonly time: TimeKey;
  readonly isReversed: boolean;
  readonly directoriesFirst: boolean;
}

interface Sortable {
  readonly name: ShellText;
  readonly inode: InodeView;
}

/** Entries in the order of a listing; the same of equal ones is that of their names. */
export function sortEntries<Entry extends Sortable>(entries: readonly Entry[], rules: SortRules): Entry[] {
  if (rules.key === 'none') return [...entries];
  const sign = rules.isReversed ? -1 : 1;
  return [...entries].sort((a, b) => {
    if (rules.directoriesFirst) {
      const first = Number(isDirectory(b.inode.mode)) - Number(isDirectory(a.inode.mode));
      if (first !== 0) return first;
    }
    return sign * (compareByKey(a, b, rules) || compareNames(a.name, b.name));
  });
}

function compareByKey(a: Sortable, b: Sortable, { key, time }: SortRules): number {
  switch (key) {
    case 'size':
      return b.inode.sizeBytes - a.inode.sizeBytes;
    case 'time': {
      const [first, second] = [timeOf(a.inode, time), timeOf(b.inode, time)];
      return second.seconds - first.seconds || second.nanoseconds - first.nanoseconds;
    }
    case 'version':
      return compareVersions(a.name, b.name);
    case 'extension':
      return compareNames(extensionOf(a.name), extensionOf(b.name));
    default:
      return 0;
  }
}

function extensionOf(name: ShellText): ShellText {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}
