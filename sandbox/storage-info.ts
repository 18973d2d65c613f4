import type { SandboxError } from '../protocol/errors.ts';
import type { StorageInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { HostServices, SandboxState } from './local-sandbox-parts.ts';

/** What a sandbox takes of its place; `stopped` is why captures are, if they are. */
export async function storageInfo(
  { store, history, quota }: Pick<SandboxState, 'store' | 'history'> & Pick<HostServices, 'quota'>,
  stopped: SandboxError | undefined,
): Promise<StorageInfo> {
  return {
    ...(await quota()),
    storedBytes: store.sizeBytes,
    snapshots: history.list().length,
    backend: store.backend,
    stopped: stopped?.toData(),
  };
}
