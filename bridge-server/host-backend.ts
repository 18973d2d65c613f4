import type { SandboxBackend } from '../protocol/sandbox/backend.ts';
import type { SnapshotInfo } from '../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';

/** A snapshot, and a sandbox that has it. */
export interface SnapshotHolder {
  readonly sandbox: string;
  readonly snapshot: SnapshotInfo['id'];
}

/** The sandboxes of a host, with what its bridge asks about all of them. */
export interface HostBackend extends SandboxBackend {
  /**
   * A sandbox that has the snapshot with this id, or the only one that begins so: the newest of those that `among`
   * names. It looks into the store of each, one after the other. @throws not-found, conflict
   */
  findSnapshot(
    reference: string,
    options: { readonly among: (sandbox: string) => boolean },
  ): Promise<SnapshotHolder>;
  /** The sandboxes whose end has come: for its bridge to delete. */
  expired(nowMs: number): Promise<readonly string[]>;
  setTimeout(ask: { readonly id: string; readonly timeoutMs?: number | undefined }): Promise<SandboxInfo>;
}
