import { createHash, randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';

/** How the names of control groups of `folder`'s jails begin, and nobody else's. */
export async function groupPrefix(folder: string): Promise<string> {
  const digest = createHash('sha256').update(await realpath(folder));
  return `coppice-${digest.digest('hex').slice(0, 12)}-`;
}

/**
 * A name for a group that something is tried out with: of `folder`'s, so that the next bridge on it removes
 * what one that was killed meanwhile has left, and no bridge on another folder does.
 */
export async function probeGroupName(folder: string): Promise<string> {
  return `${await groupPrefix(folder)}probe-${randomUUID()}`;
}
