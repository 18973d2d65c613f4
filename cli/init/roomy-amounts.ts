import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { limits } from '../../protocol/limits.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import type { Place } from '../place/place.ts';

/** What a package manager needs: npm and apt end for want of memory in 512 MiB, and of disk in 1 GiB. */
const enoughMemoryMiB = 2_048;

interface HostAmounts {
  readonly memoryBytes?: number;
  readonly statDisk?: (path: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;
}

/**
 * What a sandbox of this host gets that its user sets no limits to: a quarter of the disk that is free, and 2 GiB of
 * memory where the host has twice that. Elsewhere the usual.
 */
export async function roomyAmounts(
  { disk }: Pick<Place, 'disk'>,
  { memoryBytes = memoryOfHost(), statDisk = statfs }: HostAmounts = {},
): Promise<Pick<CreateOptions, 'memoryMiB' | 'diskMiB'>> {
  if (disk === undefined) return {};
  const { bavail, bsize } = await statDisk(disk);
  const { hostMemoryMiB, hostDiskMiB } = limits;
  const within = (wanted: number, { usual, max }: { readonly usual: number; readonly max: number }) =>
    Math.min(Math.max(Math.floor(wanted), usual), max);
  return {
    memoryMiB: within(Math.min(memoryBytes / 2 ** 21, enoughMemoryMiB), hostMemoryMiB),
    diskMiB: within((bavail * bsize) / 2 ** 22, hostDiskMiB),
  };
}

/** Of its control group, where that has a limit. */
function memoryOfHost(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
