import { randomUUID } from 'node:crypto';
import type { StorageInfo } from '../../protocol/sandbox.ts';
import type { LoadedImage, Place, SandboxRecords } from '../../sandbox/place.ts';
import { startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { Jail, JailSpec, RootMaker } from '../contract.ts';
import type { HostImages } from './host-images.ts';
import { HostMachine } from './host-machine.ts';

/** What sandboxes on a host are made of; `bridge-server/main` picks each. */
export interface HostPlaceParts {
  readonly records: SandboxRecords;
  readonly images: HostImages;
  readonly roots: RootMaker;
  readonly openStore: (
    id: string,
    options?: { create?: boolean; readOnly?: boolean },
  ) => Promise<SandboxStore>;
  readonly cloneStore: NonNullable<Place['cloneStore']>;
  readonly deleteStore: (id: string) => Promise<void>;
  /** What the names of its jails' control groups begin with. */
  readonly group: string;
  readonly startJail: (spec: JailSpec, signal: AbortSignal | undefined) => Promise<Jail>;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
}

/** As many processes as a user may have in the tab's guest; a fork bomb ends there. */
const jailProcesses = 1_024;
/** The usual weight: every jail gets the same share when all of them want more than there is. */
const jailCpuShares = 256;

/** Sandboxes in a folder of this host, run in jails. */
export function hostPlace(parts: HostPlaceParts): Place<LoadedImage> {
  const { records, images, roots, openStore, cloneStore, deleteStore, group, startJail, quota } = parts;
  return {
    runtime: 'jail',
    records,
    openStore,
    cloneStore,
    deleteStore,
    loadImage: (which) => images.load(which),
    openImageToExport: async (digest) => (await images.load({ digest })).source,
    start: (info, { image, ...rest }) => {
      const { manifest } = image;
      return startLocalSandbox(info, {
        ...rest,
        source: image.source,
        quota,
        machineFor: async ({ tree, source, sealed, near }) => {
          const read = (id: ObjectId) => source.read(id);
          return (onFailure) =>
            new HostMachine({
              tree,
              readOnly: rest.readOnly,
              sealed,
              makeRoot: (id, signal) => roots.make(id, { base: manifest.tree, read, near: near(), signal }),
              startJail: ({ mount }, signal) => {
                const limits = {
                  memoryMiB: info.memoryMiB,
                  pids: jailProcesses,
                  cpuShares: jailCpuShares,
                };
                const cgroup = `${group}${randomUUID()}`;
                return startJail({ root: mount, hostname: manifest.hostname, limits, cgroup }, signal);
              },
              onFailure,
            });
        },
      });
    },
  };
}
