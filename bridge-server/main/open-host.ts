import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hashNatively } from '../../host/native-hash.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { imageArchitecture } from '../../protocol/image-manifest.ts';
import { type DiskHolder, groupLimits } from '../../protocol/sandbox/sandbox-info.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { UnsavedRootRecords } from '../contract.ts';
import type { HostBackend } from '../host-backend.ts';
import { HostNetworks, type NetworkOptions } from '../network/host-networks.ts';
import { noTracer } from '../observe/no-tracer.ts';
import { useSpawner } from '../programs/start-program.ts';
import { openRootMaker, type RootKind } from '../roots/open-root-maker.ts';
import type { FoundQuotas } from '../roots/probe-quotas.ts';
import type { ChosenIsolation, IsolationChoice } from '../runtimes/jail/choose-isolation.ts';
import { groupPrefix } from '../runtimes/jail/control-groups/group-names.ts';
import { type LimitProbe, probeLimits } from '../runtimes/jail/control-groups/probe-limits.ts';
import { OwnIdRoots } from '../runtimes/jail/own-id-roots.ts';
import { whatNetworkLacks } from '../runtimes/jail/probe-network.ts';
import { startJail } from '../runtimes/jail/start-jail.ts';
import { shellResources, shellsOfHost } from '../runtimes/shell/shells-of-host.ts';
import { DiskWatch } from '../sandboxes/disk-watch.ts';
import { folderHost } from '../sandboxes/folder-host.ts';
import { HostImages, type ImagePlacer } from '../sandboxes/host-images.ts';
import {
  type HostLacks,
  type HostMaxima,
  hostResources,
  type UsualAmounts,
} from '../sandboxes/host-resources.ts';
import { hasRoomAhead, LayersAhead } from '../sandboxes/layers-ahead.ts';
import { OrphanedMachines } from '../sandboxes/orphaned-machines.ts';
import { UnsavedRoots } from '../sandboxes/unsaved-roots.ts';
import { clearOrphanedStores } from '../stores/clear-orphaned-stores.ts';
import { cloneHostStore } from '../stores/clone-host-store.ts';
import { diskQuota } from '../stores/disk-quota.ts';
import { DiskReserve } from '../stores/disk-reserve.ts';
import { deleteHostStore, openHostStore } from '../stores/open-host-store.ts';
import { openRegistry } from '../stores/registry.ts';
import type { TokenRecords } from '../token-contract.ts';
import type { Tracer } from '../trace-contract.ts';
import { openFolderWatcher } from '../watch/folder-watcher.ts';
import { adoptJails, jailsFolder } from './adopt-jails.ts';
import type { HostPrograms } from './build-programs.ts';
import { type FolderHold, holdFolder } from './hold-folder.ts';
import { hostRuntimes } from './host-runtimes.ts';
import { noProbeMemory, openProbeMemory } from './probe-memory.ts';
import { programProbe, recallIsolation } from './recall-probes.ts';

/** `off`: none but a loopback of its own. */
export type NetworkChoice = NetworkOptions | 'off';

/** Why there is no network then. */
export const switchedOff = 'it is switched off here (--network off, or COPPICE_NETWORK=off)';

export interface HostOptions extends HostPrograms {
  /** Everything of this host's sandboxes is below it; its images are in `images`. */
  readonly folder: string;
  /** The right to `folder`, where it was taken before; let go of with the host, or when it does not open. */
  readonly hold?: FolderHold | undefined;
  /** Makes an image ready when a sandbox asks for it that is not there; by default that is an error. */
  readonly placeImage?: ImagePlacer | undefined;
  /** The kind of root; by default the best that works here. */
  readonly snapshots?: RootKind | undefined;
  /** What jails are kept in by; by default the strongest that works. Nothing that a client says changes it. */
  readonly isolation?: IsolationChoice | undefined;
  /** Whether a sandbox may have the weaker walls that programs need to nest others in it; by default not. */
  readonly allowNested?: boolean | undefined;
  /**
   * How long jails wait for another process when this one dies, and then end. By default they die with it,
   * and those of an earlier process that wait are ended.
   */
  readonly reattachMs?: number | undefined;
  /**
   * Whether what was found to work here is not tried again until the next boot: for commands that open a folder for a
   * moment. By default all is tried.
   */
  readonly remembersProbes?: boolean | undefined;
  /** Which network sandboxes may ask for; by default that of the public internet. */
  readonly network?: NetworkChoice | undefined;
  /** Told of jails that an earlier process has left and that are not gone on with. */
  readonly onJailLost?: ((sandbox: string | undefined, why: SandboxError) => void) | undefined;
  /** Told of sandboxes whose files cannot be saved for now; they stay in this host's folder. */
  readonly onUnsaved?: ((sandbox: string, why: SandboxError) => void) | undefined;
  /** The most that a new sandbox may ask for; those that there are keep what they have. */
  readonly maxima?: HostMaxima | undefined;
  /** What a sandbox has that asks for nothing. */
  readonly usual?: UsualAmounts | undefined;
  /** Directories that are watched one by one, at most; by default `limits.hostWatches`. */
  readonly watches?: number | undefined;
  /** Told of what takes time; by default nobody is. Whoever made it disposes of it. */
  readonly tracer?: Tracer | undefined;
}

/** The sandboxes of this host. Owns everything that they run in; closing them first is their users' part. */
export interface Host extends AsyncDisposable {
  readonly backend: HostBackend;
  readonly tokens: TokenRecords;
  /** How roots are made. */
  readonly snapshots: string;
  /** What jails are kept in by, and why. */
  readonly isolation: ChosenIsolation;
  /** Why no sandbox can have a network; `undefined` when those have one that ask for it. */
  readonly networkLack: string | undefined;
  /** Why nothing holds sandboxes to their memory, their processes and their share of the processors. */
  readonly limitsLack: string | undefined;
  /** Sandboxes that have run on since an earlier process, and go on when they are opened. */
  readonly running: readonly string[];
  /** Tells other processes that are refused the folder where this one serves it. */
  listensAt(url: string): void;
  /** The same of a Unix socket in the folder. */
  answersAt(socket: string): void;
  /** What runs is left to the next process from now on, when its sandbox or all of this closes. */
  handOver(): void;
  /** Unpacks an image, which the first sandbox of it would wait for otherwise. @throws asset-unavailable, unsupported, storage-full */
  prepare(image: string): Promise<void>;
}

/**
 * The folder belongs to one process at a time.
 * @throws busy with who holds the folder (`holdFolder`); corrupt-object, version-mismatch, storage-full, unsupported,
 * invalid-argument
 */
export async function openHost({
  folder,
  hold,
  launcher,
  scanner,
  spawner,
  unpacker,
  watcher,
  placeImage,
  snapshots,
  maxima,
  usual,
  watches,
  isolation: asked = 'auto',
  allowNested = false,
  reattachMs = 0,
  remembersProbes = false,
  network = {},
  onJailLost = () => {},
  onUnsaved = () => {},
  tracer = noTracer,
}: HostOptions): Promise<Host> {
  hashNatively();
  await using stack = new AsyncDisposableStack();
  const held = stack.use(hold ?? holdFolder(folder));
  const stores = join(folder, 'sandboxes');
  await mkdir(stores, { recursive: true, mode: 0o700 });
  stack.use(await useSpawner(spawner));
  const compiled = join(folder, 'compiled');
  const reserve = stack.use(DiskReserve.open(folder, { caches: [compiled] }));
  const group = await groupPrefix(folder);
  const registry = stack.use(openRegistry(folder));
  const records: SandboxRecords = {
    ...registry.sandboxes,
    remove: (id) => reserve.freeing(() => registry.sandboxes.remove(id)),
    forgetUnfinished: (id) => reserve.freeing(() => registry.sandboxes.forgetUnfinished(id)),
  };
  const unsavedRecords: UnsavedRootRecords = {
    ...registry.unsaved,
    put: (root) => reserve.using(() => registry.unsaved.put(root)),
    remove: (id) => reserve.using(() => registry.unsaved.remove(id)),
  };
  const networks =
    network === 'off' ? undefined : stack.use(await HostNetworks.open(join(folder, 'network'), network));
  const taken = await adoptJails(folder, {
    group,
    records: registry.sandboxes,
    allowNested,
    networks,
    goesOn: reattachMs > 0,
    onLost: onJailLost,
  });
  const { jails } = stack.use(taken);
  await clearOrphanedStores(stores, registry.sandboxes);
  // Not before the folder is ours, and rid of what an earlier bridge was trying out when it was killed.
  const memory = remembersProbes ? await openProbeMemory(folder, { launcher, scanner }) : noProbeMemory;
  const [bounds, isolation] = await together(
    probeLimits(folder, { remembers: true }),
    recallIsolation(asked, { launcher, folder, memory }),
  );
  const limitsLack = bounds.groups.type === 'missing' ? bounds.groups.reason : undefined;
  const furnisher = isolation.isolation === 'landlock' ? new OwnIdRoots(launcher) : undefined;
  for (const { sandbox } of registry.unsaved.list()) {
    // The sandbox was deleted, or never finished.
    if (!(await isRecorded(registry.sandboxes, sandbox))) registry.unsaved.remove(sandbox);
  }
  const spared = [
    ...jails.map(({ record }) => record.root),
    ...registry.unsaved.list().map(({ root }) => root),
  ];
  let diskHeldBy: DiskHolder = 'watch';
  const rootOptions = {
    folder: join(folder, 'roots'),
    scanner,
    unpacker,
    launcher,
    furnisher,
    prefer: snapshots,
    spared,
    recall: memory.recall,
    onQuotas: (found: FoundQuotas) => {
      diskHeldBy = found.type === 'found' ? found.kind : 'watch';
    },
  };
  const [roots, networkLack] = await together(
    openRootMaker(rootOptions).then((made) => stack.use(made)),
    networks
      ? memory.recall(`network of ${isolation.isolation}`, () =>
          whatNetworkLacks({ launcher, folder, isolation: isolation.isolation }),
        )
      : switchedOff,
  );
  await memory.keep();
  const lacks = { ...whyMissing(bounds), ...(networkLack === undefined ? {} : { network: networkLack }) };
  const resources = hostResources(maxima, lacks, usual);
  const unsaved = new UnsavedRoots({ records: unsavedRecords, roots, onUnsaved });
  const left = stack.use(
    await OrphanedMachines.adopt(jails, {
      roots,
      isUnsaved: (id) => unsaved.whyOf(id) !== undefined,
      onLost: (id, why) => onJailLost(id, SandboxError.from(why)),
    }),
  );
  const images = new HostImages(join(folder, 'images'), { provide: placeImage });
  stack.defer(() => images.keepKnown());
  const forShells = shellResources(resources);
  const sandboxHost = folderHost({
    resources,
    others: hostRuntimes.map((runtime) => runtime.driver({ resources })),
    records,
    images,
    roots,
    openStore: (id, options) => openHostStore(stores, id, options),
    cloneStore: (id, options) => cloneHostStore(stores, id, options),
    deleteStore: (id) => reserve.freeing(() => deleteHostStore(stores, id)),
    freeing: (work) => reserve.freeing(work),
    diskHeldBy,
    watch: stack.use(new DiskWatch(join(folder, 'roots'))),
    watcher: stack.use(openFolderWatcher({ program: watcher, folder: join(folder, 'roots'), watches })),
    group,
    isolation: isolation.isolation,
    allowNested,
    whatProgramsLack: programProbe(folder, memory),
    notHeld: limitsLack === undefined ? undefined : groupLimits,
    disk: bounds.ioMiBps.type === 'works' ? bounds.ioMiBps.disk : undefined,
    outliving: { folder: jailsFolder(folder), waitMs: reattachMs },
    left,
    unsaved,
    networks,
    startJail: async (spec, signal) => {
      try {
        return await startJail(spec, { launcher, ...(signal ? { signal } : {}) });
      } catch (error) {
        if (!signal?.aborted) await memory.forget();
        throw error;
      }
    },
    quota: () => diskQuota(folder),
    // After the roots, so that it has ended before they are closed.
    ahead: stack.use(new LayersAhead(() => hasRoomAhead(folder))),
    tracer,
  });
  const git = network === 'off' ? undefined : (network.allow ?? []);
  const settings = { stores, compiled, resources: forShells, git };
  const { backend } = stack.use(shellsOfHost(new LocalBackend(sandboxHost), { records, settings }));
  void reserve.restore();
  const owned = stack.move();
  return {
    backend,
    tokens: registry.tokens,
    snapshots: roots.name,
    isolation,
    networkLack,
    limitsLack,
    running: left.ids,
    listensAt: (url) => held.listensAt(url),
    answersAt: (socket) => held.answersAt(socket),
    handOver: () => {
      left.isLeaving = true;
    },
    prepare: (name) =>
      tracer.during('image.unpack', {}, async () => {
        const { manifest, source } = await images.load({ name });
        await sandboxHost.assertRuns(imageArchitecture(manifest));
        const read = (id: ObjectId) => source.read(id);
        await using _root = await roots.make(manifest.tree, { base: manifest.tree, read });
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Both at a time. Where one fails, the other is waited for, so that nothing goes on in a folder that is let go of. */
async function together<One, Other>(
  one: Promise<One>,
  other: Promise<Other> | Other,
): Promise<readonly [One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** The limits that this host does not have. */
function whyMissing({ cpus, ioMiBps }: LimitProbe): HostLacks {
  return {
    ...(cpus.type === 'missing' ? { cpus: cpus.reason } : {}),
    ...(ioMiBps.type === 'missing' ? { ioMiBps: ioMiBps.reason } : {}),
  };
}

async function isRecorded(records: SandboxRecords, id: string): Promise<boolean> {
  return records.get(id).then(
    () => true,
    () => false,
  );
}
