import { limits } from '../../protocol/limits.ts';
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

/** Of a snapshot without a parent. */
export const noChanges: ChangeSummary = { created: 0, modified: 0, deleted: 0, paths: [] };

/** The same, of a snapshot that lacks some of the files. */
export function withoutFiles(coverage: Coverage, why: string | undefined): Coverage {
  if (why === undefined) return coverage;
  return { ...coverage, files: { captured: false, why: why.slice(0, limits.coverageCharacters) } };
}
