import { SandboxError } from '../../protocol/errors.ts';
import { errno } from '../../tree/live/errno.ts';
import type { Result } from '../../tree/live/file-tree.ts';

/** Passes a tree's answer on. @throws storage-full, limit-exceeded, corrupt-object */
export function checkTree(result: Result, what: string): number {
  if (result >= 0) return result;
  const name = Object.entries(errno).find(([, value]) => value === -result)?.[0] ?? String(result);
  const code =
    result === -errno.ENOSPC ? 'storage-full' : result === -errno.EIO ? 'corrupt-object' : 'limit-exceeded';
  throw new SandboxError(code, `Cannot take ${what} into the tree: ${name}`, { details: { errno: name } });
}
