import { randomUUID } from 'node:crypto';
import type { Architecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo, StorageInfo } from '../../protocol/sandbox.ts';
import type { LoadedImage, Place, SandboxRecords } from '../../sandbox/place.ts';
import type { ResourceRules } from '../../sandbox/resources.ts';
import { startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { Jail, JailLimits, JailSpec, RootMaker } from '../contract.ts';
import type { HostImages } from './host-images.ts';
import { HostMachine } from './host-machine.ts';

/** What sandboxes on a host are made of; `bridge-server/main` picks each. */
export interface HostPlaceParts {
  readonly resources: ResourceRules;
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
  /** Whether sandboxes may have the weaker walls of `nested`. */
  readonly allowNested: boolean;
  /** Why programs for a processor do not run on this host; `undefined` when they do. */
  readonly whatProgramsLack: (architecture: Architecture) => Promise<string | undefined>;
  /** The disk that they are on (`JailLimits`), where its speed can be limited. */
  readonly disk: string | undefined;
  readonly startJail: (spec: JailSpec, signal: AbortSignal | undefined) => Promise<Jail>;
  readonly quota: () => Promise<Pick<StorageInfo, 'usageBytes' | 'quotaBytes' | 'persisted'>>;
}

/** Sandboxes in a folder of this host, run in jails. */
export function hostPlace(parts: HostPlaceParts): Place<LoadedImage> {
  const { resources, records, images, roots, openStore, cloneStore, deleteStore } = parts;
  const { group, allowNested, whatProgramsLack, disk, startJail, quota } = parts;
  return {
    runtime: 'jail',
    resources,
    records,
    openStore,
    cloneStore,
    deleteStore,
    assertRuns: async (architecture) => {
      const lack = await whatProgramsLack(architecture);
      if (lack !== undefined) throw cannotRun(architecture, lack);
    },
    loadImage: (which) => images.load(which),
    openImageToExport: async (digest) => (await images.load({ digest })).source,
    start: async (info, { image, ...rest }) => {
      const { manifest } = image;
      if (info.nested && !allowNested) throw refusal();
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
                const cgroup = `${group}${randomUUID()}`;
                const { hostname } = manifest;
                const { nested } = info;
                return startJail(
                  { root: mount, hostname, nested, limits: jailLimits(info, disk), cgroup },
                  signal,
                );
              },
              onFailure,
            });
        },
      });
    },
  };
}

function jailLimits(
  { memoryMiB, cpuShares, pids, cpus, ioMiBps }: SandboxInfo,
  disk: string | undefined,
): JailLimits {
  const { hostCpuShares, hostPids } = limits;
  return {
    memoryMiB,
    cpuShares: cpuShares ?? hostCpuShares.usual,
    pids: pids ?? hostPids.usual,
    cpus,
    io: ioMiBps === undefined || disk === undefined ? undefined : { disk, mibPerSecond: ioMiBps },
  };
}

function cannotRun(architecture: Architecture, why: string): SandboxError {
  return new SandboxError(
    'unsupported',
    `Cannot run an image for ${architecture} on this host: ${why}. Choose an image that is for another processor`,
    { details: { feature: architecture } },
  );
}

function refusal(): SandboxError {
  return new SandboxError(
    'forbidden',
    'Cannot start a sandbox in which others can be nested: whoever runs this bridge has to allow it (--allow-nested)',
    { details: { option: 'nested' } },
  );
}
