import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import type { WorkspacePlan } from './workspace-plan.ts';

export interface WorkspaceSetUp {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Clones a repository to its place in a sandbox that has just been made, all of it or nothing (I-3), and
 * resolves to a snapshot of that; to `undefined` when something is at that place already.
 * @throws unsupported (no git in the image), not-found, forbidden, asset-unavailable, storage-full, aborted
 */
export async function setUpWorkspace(
  connection: SandboxConnection,
  { url, path, ref, commit, credentials, submodules }: WorkspacePlan,
  { signal, onProgress }: WorkspaceSetUp,
): Promise<SnapshotInfo | undefined> {
  const ask = {
    ...{ url, directory: path, signal },
    ...(ref === undefined ? {} : { ref }),
    ...(commit === undefined ? {} : { commit }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(submodules === undefined ? {} : { submodules }),
  };
  try {
    await connection.git.clone(ask, (progress) => onProgress({ ...progress, stage: 'workspace' }));
  } catch (error) {
    if (SandboxError.from(error).code === 'already-exists') return undefined;
    throw error;
  }
  return connection.history.createSnapshot({ label: `workspace from ${url}` });
}
