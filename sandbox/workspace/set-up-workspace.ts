import { throwIfAborted } from '../../protocol/abort.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import { cloneRepository } from './clone-repository.ts';
import { Staging } from './staging.ts';
import type { WorkspacePlan } from './workspace-plan.ts';

export interface WorkspaceSetUp {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Clones a repository to its place in a sandbox that has just been made, all of it or nothing (I-3), and
 * resolves to a snapshot of that; to `undefined` when something is at that place already. Processes of the
 * sandbox do it, git as its user. Whatever ends it, nothing of a clone that is not whole stays.
 * @throws unsupported (no git in the image), not-found, forbidden, asset-unavailable, storage-full, aborted
 */
export async function setUpWorkspace(
  connection: SandboxConnection,
  plan: WorkspacePlan,
  { signal, onProgress }: WorkspaceSetUp,
): Promise<SnapshotInfo | undefined> {
  const startedMs = performance.now();
  const tell = (text: string) => {
    const elapsedMs = performance.now() - startedMs;
    onProgress({ stage: 'workspace', doneBytes: 0, totalBytes: 0, elapsedMs, text });
  };
  throwIfAborted(signal, `Cannot clone "${plan.url}"`);
  const staging = await Staging.open(connection, plan.path);
  if (!staging) return undefined;
  try {
    tell(`Cloning ${plan.url}`);
    await cloneRepository(connection, plan, { tree: staging.tree, signal, onLine: tell });
    await staging.keep();
  } finally {
    await staging.giveUp();
  }
  return connection.history.createSnapshot({ label: `workspace from ${plan.url}` });
}
