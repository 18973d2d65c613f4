import { SandboxError } from '../../../protocol/errors.ts';
import { errno } from '../../../tree/live/errno.ts';
import type { Result } from '../../../tree/live/file-tree.ts';

/** Passes a tree's answer on. @throws storage-full, limit-exceeded, corrupt-object */
export function checkTree(result: Result, what: string): number {
  if (result >= 0) return result;
  const name = Object.entries(errno).find(([, value]) => value === -result)?.[0] ?? String(result);
  const code =
    result === -errno.ENOSPC ? 'storage-full' : result === -errno.EIO ? 'corrupt-object' : 'limit-exceeded';
  const why =
    code === 'storage-full' ? 'the sandbox has more files than its disk may hold; delete some inside' : name;
  throw new SandboxError(code, `Cannot save ${what}: ${why}`, { details: { errno: name } });
}
