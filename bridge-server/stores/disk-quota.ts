import { statfs } from 'node:fs/promises';
import type { StorageInfo } from '../../protocol/sandbox/sandbox-info.ts';

/** The disk that a folder of a host is on. */
export async function diskQuota(
  folder: string,
): Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { usageBytes: (blocks - bavail) * bsize, quotaBytes: blocks * bsize, persisted: true };
}
