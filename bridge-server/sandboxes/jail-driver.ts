import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import type { Architecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import type { DiskHolder, Isolation, SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ResourceRules } from '../../sandbox/backend/resources.ts';
import type { ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import type { HostServices } from '../../sandbox/local-sandbox-parts.ts';
import { type MachineStart, startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Jail, JailLimits, JailRelay, JailSpec, Root, RootMaker, UnpackListener } from '../contract.ts';
import type { HostNetworks } from '../network/host-networks.ts';
import { diskError } from '../stores/disk-error.ts';
import type { Tracer } from '../trace-contract.ts';
import type { HostImages } from './host-images.ts';
import { HostMachine } from './host-machine.ts';
import type { HostMachineParts, UnsavedFilesKeeper } from './host-machine-parts.ts';
import { assertHeld } from './host-resources.ts';
import type { LayersAhead } from './layers-ahead.ts';
import type { OrphanedMachines, TakenMachine } from './orphaned-machines.ts';
import type { UnsavedRoots } from './unsaved-roots.ts';

/** What sandboxes in jails are made of; `bridge-server/main` picks each. */
export interface JailDriverParts {
  readonly resources: ResourceRules;
  readonly images: HostImages;
  readonly roots: RootMaker;
  /** What the names of its jails' control groups begin with. */
  readonly group: string;
  /** What its jails are kept in by. */
  readonly isolation: Isolation;
  /** Limits that nothing on this host holds a jail to. */
  readonly notHeld: SandboxInfo['notHeld'];
  /** Whether sandboxes may have the weaker walls of `nested`. */
  readonly allowNested: boolean;
  /** Why programs for a processor do not run on this host; `undefined` when they do. */
  readonly whatProgramsLack: (architecture: Architecture) => Promise<string | undefined>;
  /** The disk that they are on (`JailLimits`), where its speed can be limited. */
  readonly disk: string | undefined;
  /** The network of those that have one; it may be that `resources` tells of none all the same. */
  readonly networks: Pick<HostNetworks, 'attach' | 'read' | 'forget'> | undefined;
  readonly startJail: (spec: JailSpec, signal: AbortSignal | undefined) => Promise<Jail>;
  /** Where the next process finds its jails, and how long they wait for it; with 0 they die with this one. */
  readonly outliving: { readonly folder: string; readonly waitMs: number };
  /** What the process before has left. */
  readonly left: OrphanedMachines;
  /** Files of sandboxes that are in no snapshot. */
  readonly unsaved: UnsavedRoots;
  /** What holds sandboxes to their disks. */
  readonly diskHeldBy: DiskHolder;
  /** Does that where the kernel does not. */
  readonly watch: HostMachineParts['watch'];
  /** Tells when something changes in a root. */
  readonly watcher: HostMachineParts['watcher'];
  /** Does what gives room on the disk back, also where there is none left to do it with. */
  readonly freeing: NonNullable<HostServices['freeing']>;
  readonly quota: HostServices['quota'];
  /** Unpacks what forks begin with. */
  readonly ahead: Pick<LayersAhead, 'add' | 'drop'>;
  readonly tracer: Tracer;
}

/** Runs sandboxes in jails of this host. */
export function jailDriver(parts: JailDriverParts): ImageDriver {
  const { resources, images, roots, group, isolation, notHeld, allowNested, whatProgramsLack, disk } = parts;
  const {
    startJail,
    outliving,
    left,
    unsaved,
    networks,
    freeing,
    diskHeldBy,
    watch,
    watcher,
    quota,
    ahead,
    tracer,
  } = parts;
  return {
    runtime: 'jail',
    isolation,
    notHeld,
    diskHeldBy,
    resources,
    images: {
      assertRuns: async (architecture) => {
        const lack = await whatProgramsLack(architecture);
        if (lack !== undefined) throw cannotRun(architecture, lack);
      },
      load: (which) => images.load(which),
      list: () => images.list(),
      openToExport: async (digest) => (await images.load({ digest })).source,
    },
    start: async (info, { image, ...rest }) => {
      const { manifest } = image;
      const facts = { sandbox: info.id };
      if (info.nested && !allowNested) throw refusal();
      if (info.nested && isolation !== 'namespace') throw cannotNest();
      const noNetwork = resources.lacks?.network;
      if (info.network === 'full' && noNetwork !== undefined) throw cannotConnect(noNetwork);
      // Without namespaces, jails end with their launcher, and it with its bridge.
      const canOutlive = outliving.waitMs > 0 && !rest.readOnly && isolation === 'namespace';
      const specOf = (root: Root, options: { tree: ObjectId; network: JailRelay | undefined }): JailSpec => {
        assertHeld(info, resources);
        const cgroup = `${group}${randomUUID()}`;
        const place = { folder: join(outliving.folder, randomUUID()), waitMs: outliving.waitMs };
        const { tree, network } = options;
        return {
          root: root.mount,
          hostname: manifest.hostname,
          nested: info.nested,
          limits: jailLimits(info, { disk, resources }),
          cgroup,
          network,
          outlives: canOutlive ? { ...place, sandbox: info.id, root: root.name, trees: [tree] } : undefined,
        };
      };
      const startIn: HostMachineParts['startJail'] = async (root, { tree, signal }) => {
        const opened = info.network === 'full' ? networks?.attach(info.id, { allow: info.allow }) : undefined;
        try {
          const jail = await startJail(specOf(root, { tree, network: opened?.relay }), signal);
          void jail.ended.then(() => opened?.[Symbol.dispose]());
          return jail;
        } catch (error) {
          opened?.[Symbol.dispose]();
          throw error;
        }
      };
      const startOn = (machine: TakenMachine | undefined) => {
        /** Of its stored objects, once they are at hand. */
        let objects: Pick<MachineStart, 'source' | 'near'> | undefined;
        return startLocalSandbox(
          { ...info, isolation, notHeld, diskHeldBy },
          {
            ...rest,
            source: image.source,
            host: {
              freeing,
              quota,
              networkLog: networks && (() => networks.read(info.id)),
              onForgotten: (trees) => roots.retain(info.id, trees),
              onForked: (tree, fork) => {
                roots.own(info.id, tree);
                if (!roots.makeAhead || !objects || tree === manifest.tree) return;
                const { source, near } = objects;
                const read = (id: ObjectId) => source.read(id);
                const of = { read, near: near(), sandbox: info.id, base: manifest.tree };
                ahead.add(fork, tree, async (told) => roots.makeAhead?.(tree, { ...of, ...told }));
              },
              around: (name, work) => tracer.during(name, facts, work),
            },
            machineFor: async ({ tree, head, source, sealed, near }) => {
              const read = (id: ObjectId) => source.read(id);
              objects = { source, near };
              await machine?.assertHas(head);
              const files = rest.readOnly
                ? noUnsaved
                : await unsaved.open(info.id, { head, isRunning: !!machine });
              return ({ onFailure, onChanged, onProgress }) =>
                new HostMachine({
                  unsaved: files,
                  watch,
                  watcher,
                  ignored: info.ignore ?? [],
                  onChanged,
                  tree,
                  readOnly: rest.readOnly,
                  sealed,
                  left: machine,
                  isLeaving: () => left.isLeaving,
                  makeRoot: (id, signal) =>
                    tracer.during('root.make', facts, () =>
                      roots
                        .make(id, {
                          sandbox: info.id,
                          base: manifest.tree,
                          read,
                          near: near(),
                          signal,
                          onUnpack: tellUnpacking(onProgress),
                        })
                        .catch((error: unknown) => {
                          throw diskError(`make the root of the sandbox in ${roots.name}`, error);
                        }),
                    ),
                  startJail: (root, options) =>
                    tracer.during('jail.start', facts, () => startIn(root, options)),
                  onFailure,
                });
            },
          },
        );
      };
      // Said before its root is made. A jail that was left is still held to what it began with.
      const startAnew = async () => {
        assertHeld(info, resources);
        return startOn(undefined);
      };
      const machine = rest.readOnly ? undefined : left.take(info.id);
      if (machine === undefined) return startAnew();
      try {
        return await startOn(machine);
      } catch (error) {
        await machine.end();
        throwIfAborted(rest.signal, 'Cannot start the sandbox');
        console.warn(`Sandbox ${info.id} starts anew:`, error);
        return startAnew();
      }
    },
  };
}

function tellUnpacking(listener: ProgressListener): UnpackListener {
  const startedMs = performance.now();
  return ({ files, bytes }) =>
    listener({
      stage: 'unpack',
      doneBytes: bytes,
      totalBytes: 0,
      elapsedMs: performance.now() - startedMs,
      text: `${files.toLocaleString('en')} files`,
    });
}

/** Of who only looks on. */
const noUnsaved: UnsavedFilesKeeper = {
  why: undefined,
  take: () => undefined,
  note: () => undefined,
  clear: () => undefined,
};

function jailLimits(
  { memoryMiB, cpuShares, pids, cpus, ioMiBps }: SandboxInfo,
  { disk, resources }: Pick<JailDriverParts, 'disk' | 'resources'>,
): JailLimits {
  const { hostCpuShares, hostPids } = limits;
  return {
    memoryMiB,
    cpuShares: cpuShares ?? resources.cpuShares?.usual ?? hostCpuShares.usual,
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

function cannotConnect(why: string): SandboxError {
  return new SandboxError('unsupported', `Cannot start a sandbox with a network: ${why}`, {
    details: { feature: 'network' },
  });
}

function cannotNest(): SandboxError {
  return new SandboxError(
    'unsupported',
    'Cannot start a sandbox in which others can be nested: this host has no namespaces for jails',
    { details: { feature: 'nested' } },
  );
}

function refusal(): SandboxError {
  return new SandboxError(
    'forbidden',
    'Cannot start a sandbox in which others can be nested: whoever runs this bridge has to allow it (--allow-nested)',
    { details: { option: 'nested' } },
  );
}
