import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { joinPath } from './file-paths.ts';

/** Entries that one restore writes; for a larger tree, use a checkout. */
const mostEntries = 2_000;

/**
 * Puts a deleted file or directory back as a snapshot has it, without disturbing what runs. What
 * the files API cannot make (links, devices) is left out and counted in the answer.
 *
 * @throws limit-exceeded past 2,000 entries, with what was put back so far left in place
 */
export async function restorePath(
  connection: SandboxConnection,
  path: string,
  from: SnapshotId,
): Promise<{ restored: number; leftOut: number }> {
  const waiting: FileInfo[] = [await connection.files.stat({ path, at: from })];
  let restored = 0;
  let leftOut = 0;
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (restored >= mostEntries) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot put back more than ${mostEntries} entries of "${path}".`,
      );
    }
    if (entry.type === 'directory') {
      await connection.files.makeDirectory({ path: entry.path });
      for (const child of await connection.files.list({ path: entry.path, at: from })) {
        waiting.push({ ...child, path: joinPath(entry.path, child.name) });
      }
    } else if (entry.type === 'file') {
      const bytes = await connection.files.read({ path: entry.path, at: from });
      await connection.files.write({ path: entry.path, bytes, mode: entry.mode & 0o7777 });
    } else {
      leftOut += 1;
      continue;
    }
    restored += 1;
  }
  return { restored, leftOut };
}
