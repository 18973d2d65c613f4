import { limits } from '../../protocol/limits.ts';
import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import type { ChangeSummary, Coverage } from '../../tree/history/snapshot-record.ts';

const notKept = { captured: false, why: 'a disk snapshot keeps files only' } as const;

/** What a snapshot without a memory image holds (H-6). */
export const diskCoverage: Coverage = {
  files: { captured: true },
  memory: notKept,
  processes: notKept,
  sockets: notKept,
  mounts: {
    captured: false,
    why: 'what is mounted below the root, such as /dev/shm, is not part of the tree',
  },
};

/** What a disk snapshot holds that has some files as they were in the one before (H-6). */
export function coverageWithout(left: readonly ByteString[]): Coverage {
  if (left.length === 0) return diskCoverage;
  const named = left.slice(0, namedFiles).map((path) => `/${toDisplayText(path).slice(0, namedCharacters)}`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  const why = `files that were being written are as they were before: ${named.join(', ')}${more}. A snapshot that is asked for has them`;
  return withoutFiles(diskCoverage, why);
}

const namedFiles = 4;
const namedCharacters = 200;

/** Of a snapshot without a parent. */
export const noChanges: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

/** The same, of a snapshot that lacks some of the files. */
export function withoutFiles(coverage: Coverage, why: string | undefined): Coverage {
  if (why === undefined) return coverage;
  return { ...coverage, files: { captured: false, why: why.slice(0, limits.coverageCharacters) } };
}
