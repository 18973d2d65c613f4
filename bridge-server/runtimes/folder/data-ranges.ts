import { spawnSync } from 'node:child_process';
import type { BigIntStats } from 'node:fs';
import { treeLimits } from '../../../tree/limits.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { folderLimits } from './limits.ts';

export interface DataRange {
  readonly from: number;
  readonly to: number;
}

/** lseek(2) for data and holes, which Node has no call for: prints where each part with data begins and ends. */
const seek =
  'for ($n = 0, $to = 0; $n < $ARGV[0]; $n++) { $at = sysseek(STDIN, $to, 3); last unless defined $at; $to = sysseek(STDIN, $at, 4); print $at + 0, " ", $to + 0, "\\n" }';

/**
 * The parts of an open file that may have something in them: all of it, unless its disk blocks say that there are large holes. To read those takes seconds for a
 * GiB and memory of the host.
 */
export function dataRanges(file: number, { size, blocks }: BigIntStats): readonly DataRange[] {
  const sizeBytes = Number(size);
  const whole = [{ from: 0, to: sizeBytes }];
  if (sizeBytes - Number(blocks) * 512 < folderLimits.holeBytes) return whole;
  // Reading at a place leaves the file's position alone, so it may be moved.
  const { status, stdout } = spawnSync('perl', ['-e', seek, String(folderLimits.dataRanges + 1)], {
    stdio: [file, 'pipe', 'ignore'],
    encoding: 'latin1',
  });
  if (status !== 0) return whole;
  const ranges = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [from = 0, to = 0] = line.split(' ').map(Number);
      return { from, to: Math.min(to, sizeBytes) };
    });
  return ranges.length > folderLimits.dataRanges || ranges.some(({ from, to }) => !(from < to))
    ? whole
    : ranges;
}

/** Whether a file of a tree has nothing there, so that it need not be read. False where its content cannot be loaded. */
export function isHole(tree: LiveTree, ino: Ino, { from, to }: DataRange): boolean {
  // Its parts are known once something was read.
  const extents = tree.read(ino, 0, oneByte) < 0 ? undefined : tree.inode(ino)?.extents;
  if (!extents) return false;
  const { extentBytes } = treeLimits;
  for (let index = Math.floor(from / extentBytes); index * extentBytes < to; index++) {
    if (extents.get(index) !== undefined) return false;
  }
  return true;
}

const oneByte = new Uint8Array(1);
