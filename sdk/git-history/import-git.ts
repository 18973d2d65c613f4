import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { GitCommit } from '../../protocol/sandbox/git.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { historyLimits } from '../../tree/history/limits.ts';
import type { Sandbox } from '../sandbox.ts';

export interface GitImportOptions {
  /** The absolute path of a working tree. */
  readonly directory: string;
  /** How many commits, the newest: 100 by default, 1,000 at most. */
  readonly most?: number;
  /** Aborting ends it after the commit that it is at. */
  readonly signal?: AbortSignal;
}

/**
 * Takes a snapshot of each commit that HEAD of a repository in the sandbox comes from, oldest first, by first parents:
 * each is checked out, which is a command of the history, and its message, cut at 4,096 bytes, is the label of the
 * snapshot after it. They continue the sandbox's HEAD; in the end the working tree is where it was, whatever fails. Resolves
 * to the snapshots by their commits.
 * @throws conflict where files differ from HEAD, not-found, storage-full, read-only, aborted
 */
export async function importGit(
  sandbox: Sandbox,
  { directory, most, signal }: GitImportOptions,
): Promise<ReadonlyMap<string, SnapshotInfo['id']>> {
  const { branch, head, files } = await sandbox.git.status({ directory });
  if (files.some(({ unstaged }) => unstaged !== 'untracked')) {
    throw new SandboxError(
      'conflict',
      `Cannot take snapshots of the commits in "${directory}": files differ from HEAD`,
      {
        details: { remedy: 'Commit the changes first.' },
      },
    );
  }
  const snapshots = new Map<string, SnapshotInfo['id']>();
  if (head === undefined) return snapshots;
  const commits = firstParents(
    await sandbox.git.log({ directory, ...(most === undefined ? {} : { most }) }),
    head,
  );
  try {
    for (const { id, message } of commits) {
      throwIfAborted(signal, `Cannot take snapshots of the commits in "${directory}"`);
      await sandbox.git.checkout({ directory, ref: id });
      const { id: snapshot } = await sandbox.createSnapshot({ label: labelOf(message) });
      snapshots.set(id, snapshot);
    }
  } finally {
    await sandbox.git.checkout({ directory, ref: branch ?? head });
  }
  return snapshots;
}

/** As much of a message as a label may have, without a part of a character. */
function labelOf(message: string): string {
  const bytes = new TextEncoder().encode(message).subarray(0, historyLimits.textBytes);
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Oldest first. */
function firstParents(log: readonly GitCommit[], head: string): GitCommit[] {
  const byId = new Map(log.map((commit) => [commit.id, commit]));
  const commits: GitCommit[] = [];
  for (let at = byId.get(head); at && commits.length < log.length; at = byId.get(at.parents[0] ?? ''))
    commits.push(at);
  return commits.reverse();
}
