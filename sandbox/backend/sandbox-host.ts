import type { UnsavedFiles } from '../../protocol/sandbox/sandbox-info.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { RuntimeDriver } from './runtime-driver.ts';
import type { SandboxRecords } from './sandbox-records.ts';

/** Keeps sandboxes, and has what runs them: this browser's origin, or a folder of this host. */
export interface SandboxHost {
  /** What runs them; the first is that of a sandbox which asks for none. */
  readonly drivers: readonly [RuntimeDriver, ...RuntimeDriver[]];
  readonly records: SandboxRecords;
  /** The caller's to close. @throws busy when somebody else writes to it; not-found; already-exists; storage-full */
  openStore(id: string, options?: { create?: boolean; readOnly?: boolean }): Promise<SandboxStore>;
  /**
   * Makes the store of a new sandbox with the objects of another store and refs of its own; durable, and
   * closed, when it resolves. Only where that takes less than copying them: otherwise it answers `false`,
   * and nothing is made. @throws storage-full
   */
  cloneStore?(
    id: string,
    options: { readonly from: SandboxStore; readonly refs: ReadonlyMap<string, string> },
  ): Promise<boolean>;
  /** @throws busy */
  deleteStore(id: string): Promise<void>;
  /** Why files of a sandbox are in no snapshot, where its host keeps them all the same. */
  readonly unsaved?: ((id: string) => UnsavedFiles | undefined) | undefined;
  /** Whether somebody deletes a sandbox when its end has come. */
  readonly canExpire?: boolean | undefined;
}
