import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';

const bytesPerMiB = 1_048_576;

/**
 * Refuses a disk that has no room for more than the files that a sandbox begins with: nothing that it
 * writes could be saved. @throws invalid-argument that says the smallest that works
 */
export function assertDiskHolds(diskMiB: number, { usedBytes }: Pick<TreeSnapshot, 'usedBytes'>): void {
  const min = Math.ceil(usedBytes / bytesPerMiB) + limits.diskRoomMiB;
  if (diskMiB >= min) return;
  const begins = `the files that it begins with take ${Math.ceil(usedBytes / bytesPerMiB)} MiB`;
  const message = `Cannot make a sandbox with diskMiB ${diskMiB}: ${begins}, so ${min} is the least`;
  throw new SandboxError('invalid-argument', message, { details: { name: 'diskMiB', min } });
}
