import type { DriverImages, RuntimeDriver } from '../../sandbox/backend/runtime-driver.ts';
import type { SandboxHost } from '../../sandbox/backend/sandbox-host.ts';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import { type JailDriverParts, jailDriver } from './jail-driver.ts';

/** What sandboxes on a host are made of and kept in; `bridge-server/main` picks each. */
export interface FolderHostParts
  extends JailDriverParts,
    Pick<SandboxHost, 'openStore' | 'deleteStore'>,
    Required<Pick<SandboxHost, 'cloneStore'>> {
  readonly records: SandboxRecords;
  /** Of other runtimes than jails. */
  readonly others?: readonly RuntimeDriver[] | undefined;
}

/** Sandboxes in a folder of this host, run in jails, or as `others` has it. */
export function folderHost(parts: FolderHostParts): SandboxHost & Pick<DriverImages, 'assertRuns'> {
  const { records, roots, openStore, cloneStore, deleteStore, left, unsaved, networks, ahead } = parts;
  const jails = jailDriver(parts);
  return {
    drivers: [jails, ...(parts.others ?? [])],
    canExpire: true,
    records,
    openStore,
    cloneStore,
    unsaved: (id) => unsaved.whyOf(id),
    deleteStore: async (id) => {
      ahead.drop(id);
      await left.end(id);
      await unsaved.discard(id);
      // First, as after a crash nobody would know that a sandbox which is gone has had them.
      await roots.retain(id, new Set());
      await deleteStore(id);
      networks?.forget(id);
    },
    assertRuns: (architecture) => jails.images.assertRuns(architecture),
  };
}
