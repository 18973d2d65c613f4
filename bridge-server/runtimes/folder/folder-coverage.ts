import { diskCoverage } from '../../../sandbox/capture/disk-coverage.ts';
import { type ByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import type { Coverage } from '../../../tree/history/snapshot-record.ts';
import { folderLimits } from './limits.ts';

/** What a snapshot of a folder holds, where something is mounted at paths below (H-6). */
export function folderCoverage(mounts: readonly ByteString[]): Coverage {
  if (mounts.length === 0) return diskCoverage;
  const named = mounts
    .slice(0, folderLimits.namedMounts)
    .map((path) => `/${toDisplayText(path).slice(0, 200)}`);
  const others = mounts.length - named.length;
  const where = `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const why = `something is mounted at ${where}, which is neither read nor changed`;
  return { ...diskCoverage, files: { captured: false, why }, mounts: { captured: false, why } };
}
