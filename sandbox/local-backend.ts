import { abortable, orAborted, throwIfAborted } from '../protocol/abort.ts';
import { tabArchitecture } from '../protocol/architecture.ts';
import { askSandbox } from '../protocol/ask-sandbox.ts';
import { SandboxError } from '../protocol/errors.ts';
import { imageArchitecture } from '../protocol/image-manifest.ts';
import { limits } from '../protocol/limits.ts';
import { describeRuntime } from '../protocol/runtime-description.ts';
import {
  type CreateOptions,
  defaultImage,
  type HostImage,
  type IntakeOptions,
  type OpenOptions,
  type ProgressListener,
  type SandboxBackend,
  type StartOptions,
} from '../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SnapshotRef } from '../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotIntake } from '../protocol/sandbox/transfer.ts';
import { History } from '../tree/history/history.ts';
import { loadTree } from '../tree/objects/load-tree.ts';
import type { ObjectId } from '../tree/objects/object-id.ts';
import type { SandboxStore } from '../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../tree/objects/sealed-tree.ts';
import { assertDiskHolds } from './assert-disk-holds.ts';
import { findSnapshotHolder, type SnapshotHolder } from './find-snapshot-holder.ts';
import { makeForkStore } from './fork-store.ts';
import { LocalIntake, type TakeIn } from './local-intake.ts';
import { FilesAhead, type ReceivedMachine } from './memory/files-ahead.ts';
import type { HandedMachine } from './memory/handed-machine.ts';
import { UnmadeStore } from './memory/unmade-store.ts';
import { newInfo } from './new-info.ts';
import { ObjectSource } from './object-source.ts';
import type { LoadedImage, Place, WhichImage } from './place.ts';
import { receiveSnapshot } from './receive-snapshot.ts';
import { chooseResources, cutToMaxima } from './resources.ts';
import { chooseSettings, expiryAfter, publicInfo, type SandboxRecord } from './sandbox-settings.ts';
import { openStoredArchive } from './stored-archive.ts';
import { openStoredSnapshot, type StoredSnapshot } from './stored-snapshot.ts';
import { Turns } from './turns.ts';
import { setUpWorkspace } from './workspace/set-up-workspace.ts';
import { planWorkspace, type WorkspacePlan } from './workspace/workspace-plan.ts';

const loadImage = 'Cannot load the image';

const isDigest = /^[0-9a-f]{64}$/;

/** The sandboxes of one place, run by this process. */
export class LocalBackend<Image extends LoadedImage> implements SandboxBackend {
  readonly #place: Place<Image>;
  /** Trees of forks that nobody has opened, the last few: they share what is in memory with their parents. */
  readonly #unopened = new Map<string, SealedTree>();
  /** Of a machine that may be handed over. */
  #ahead = new FilesAhead();
  readonly #searches = new Turns();
  #intakes = 0;

  readonly images?: () => Promise<readonly HostImage[]>;

  constructor(place: Place<Image>) {
    this.#place = place;
    if (place.listImages) this.images = place.listImages;
  }

  create(options: CreateOptions & StartOptions, onProgress: ProgressListener): Promise<SandboxConnection> {
    const { signal } = options;
    const create = async () => {
      if (options.nested) this.#assertNests();
      return options.from ? this.#createFrom(options, onProgress) : this.#createNew(options, onProgress);
    };
    return abortable(create, { signal, what: 'Cannot create a sandbox' });
  }

  open(
    { id, ...options }: OpenOptions & StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    return abortable(() => this.#open(id, options, onProgress), { signal, what: 'Cannot open the sandbox' });
  }

  #assertNests(): void {
    const { runtime } = this.#place;
    if (describeRuntime(runtime)?.nested) return;
    throw new SandboxError(
      'unsupported',
      `Cannot create a sandbox with \`nested\`: "${runtime}" has no jails`,
      {
        details: { feature: 'nested' },
      },
    );
  }

  async #createNew(
    options: CreateOptions & StartOptions,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    const loading = this.#loadImage({ name: options.image ?? defaultImage }, onProgress);
    // While the store is made, which is mostly waiting.
    const loadingTree = loading.then(({ source, manifest }) =>
      loadTree(source, manifest.tree, { known: source.directories }),
    );
    loadingTree.catch(() => undefined); // What cannot be stored is told first.
    const id = crypto.randomUUID();
    return this.#make(id, async (store) => {
      const image = await orAborted(loading, { signal, what: loadImage });
      const { sealed: known } = await loadingTree;
      const info = newInfo(id, options, { image, place: this.#place });
      assertDiskHolds(info.diskMiB, known.snapshot);
      const plan = options.workspace && planWorkspace(options.workspace, info);
      return this.#start(info, { store, image, known, onProgress, isNew: true, signal, plan });
    });
  }

  async #open(
    id: string,
    { readOnly = false, signal, plan }: OpenOptions & StartOptions & { plan?: WorkspacePlan | undefined },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const info = await this.#place.records.get(id);
    const loading = this.#loadImage({ digest: info.imageDigest }, onProgress);
    loading.catch(() => undefined); // A sandbox that another tab holds is told first, and at once.
    const store = await this.#place.openStore(id, { readOnly });
    try {
      const image = await orAborted(loading, { signal, what: loadImage });
      const known = this.#unopened.get(id);
      this.#unopened.delete(id);
      return await this.#start(info, { store, image, known, onProgress, readOnly, signal, plan });
    } catch (cause) {
      await store.close();
      throw namingSandbox(id, cause);
    }
  }

  /** Has what another thread sends ahead of a machine to take over. @throws corrupt-object where it does not follow the last one */
  async takeAhead(machine: HandedMachine): Promise<void> {
    const ready = await this.#place.putAhead?.(machine.info, machine.memory);
    if (ready) await this.#ahead.put(machine, { image: ready.image.source, known: ready.tree });
  }

  /**
   * Goes on as a fork from a machine that another thread has handed over. It runs when this resolves, and is stored,
   * and listed, soon after: whoever asks for its history waits for that.
   * @throws unsupported where no machine stands ready for it; version-mismatch, corrupt-object, machine-failed, timeout
   */
  async takeOver(
    handed: HandedMachine,
    options: { readonly name?: string | undefined },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const machine = this.#ahead.complete(handed);
    const ready = await this.#place.takeReady?.(machine.info);
    if (!ready) {
      const message = 'Cannot take the machine over: none stands ready for it';
      throw new SandboxError('unsupported', message, { details: { feature: 'handing over' } });
    }
    const { image, tree } = ready;
    const info = this.#childOf(machine.info, { image, options });
    const store = await UnmadeStore.open(machine.objects, (fill) =>
      this.#make(info.id, async (made) => {
        await fill(made);
        await this.#place.records.add(info);
        return made;
      }),
    );
    return this.#start(info, { store, image, known: tree, handed: machine, onProgress, signal: undefined });
  }

  async exportTar({
    id,
    at,
  }: {
    readonly id: string;
    readonly at?: string | undefined;
  }): Promise<ArchiveReader> {
    const { imageDigest } = await this.#place.records.get(id);
    const store = await this.#place.openStore(id, { readOnly: true });
    try {
      const image = this.#place.openImageToExport(imageDigest);
      return await openStoredArchive(store, { at, image });
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async openIntake(options: IntakeOptions): Promise<SnapshotIntake> {
    // It may be the word of a backend that nobody trusts.
    if (!isDigest.test(options.imageDigest)) {
      throw new SandboxError(
        'invalid-argument',
        'Cannot take in a snapshot: its image is named by no digest',
      );
    }
    // Said before the image is looked for, which a place that cannot run it need not have.
    await this.#place.assertRuns(options.architecture ?? tabArchitecture);
    if (this.#intakes >= limits.openIntakes) {
      throw new SandboxError('busy', `Cannot take in a snapshot: ${this.#intakes} are coming in already`, {
        details: { limit: limits.openIntakes },
      });
    }
    this.#intakes++;
    const takeIn: TakeIn<SandboxInfo> = async (pieces, onReady) => {
      try {
        const image = await this.#place.loadImage({ digest: options.imageDigest }, () => {});
        const sizes = cutToMaxima(options, this.#place.resources);
        const wanted = { name: options.name, ...sizes };
        const info = newInfo(crypto.randomUUID(), wanted, { image, place: this.#place });
        return await this.#make(info.id, async (store) => {
          onReady();
          await receiveSnapshot(pieces, store, { elsewhere: image.source });
          await pieces.ended;
          await store.close();
          await this.#place.records.add(info);
          return info;
        });
      } finally {
        this.#intakes--;
      }
    };
    return LocalIntake.open(takeIn);
  }

  async #openStored({ sandbox, snapshot: reference }: SnapshotRef): Promise<StoredSnapshot> {
    const { imageDigest } = await this.#place.records.get(sandbox);
    const image = await this.#place.openImageToExport(imageDigest);
    const store = await this.#place.openStore(sandbox, { readOnly: true });
    return openStoredSnapshot(store, { reference, image });
  }

  async connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    throw new SandboxError('unsupported', 'A worker serves its own page only', {
      details: { id, feature: 'connect' },
    });
  }

  async list(): Promise<SandboxInfo[]> {
    this.#clearUnfinished().catch((error) => console.info('Unfinished sandboxes are left:', error));
    return (await this.#place.records.list()).map((record) => this.#told(record));
  }

  /** One search at a time: each opens many stores. */
  findSnapshot(
    reference: string,
    { among }: { readonly among: (sandbox: string) => boolean },
  ): Promise<SnapshotHolder> {
    return this.#searches.run(async () => {
      const infos = await this.#place.records.list();
      const ids = infos.map(({ id }) => id).filter(among);
      return findSnapshotHolder(reference, {
        sandboxes: ids.reverse(),
        openStore: (id) => this.#place.openStore(id, { readOnly: true }),
      });
    });
  }

  async delete({ id }: { readonly id: string }): Promise<void> {
    this.#unopened.delete(id);
    await this.#place.deleteStore(id);
    await this.#place.records.remove(id);
  }

  async rename({ id, name }: { readonly id: string; readonly name: string }): Promise<SandboxInfo> {
    const { records } = this.#place;
    if (records.rename === undefined) {
      const details = { feature: 'renaming' };
      throw new SandboxError('unsupported', `Cannot rename sandbox "${id}": names stay as they are here`, {
        details,
      });
    }
    return this.#told(await records.rename(id, sandboxName(name)));
  }

  async setTimeout({
    id,
    timeoutMs,
  }: {
    readonly id: string;
    readonly timeoutMs?: number | undefined;
  }): Promise<SandboxInfo> {
    const { records, canExpire = false } = this.#place;
    // Nobody need bring about that it has no end.
    if (timeoutMs === undefined && records.setExpiry === undefined) return this.#told(await records.get(id));
    const expiresAtMs = timeoutMs === undefined ? undefined : expiryAfter(timeoutMs, { canExpire });
    const info = await records.setExpiry?.(id, expiresAtMs);
    return this.#told(info ?? (await records.get(id)));
  }

  /** What is told of a sandbox that need not be open. */
  #told(record: SandboxRecord): SandboxInfo {
    const { isolation, notHeld, diskHeldBy, unsaved } = this.#place;
    if (isolation === undefined && unsaved === undefined) return publicInfo(record);
    return publicInfo({ ...record, isolation, notHeld, diskHeldBy, unsaved: unsaved?.(record.id) });
  }

  /** The sandboxes whose end has come. */
  async expired(nowMs: number): Promise<readonly string[]> {
    return (await this.#place.records.expired?.(nowMs)) ?? [];
  }

  async #createFrom(
    options: CreateOptions & StartOptions,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    if (!options.from) throw new SandboxError('invalid-argument', 'No snapshot to start from');
    const { sandbox, snapshot } = options.from;
    const parent = await this.#place.records.get(sandbox);
    if (options.image !== undefined && options.image !== parent.image) {
      const why = `its snapshot is of "${parent.image}"`;
      const message = `Cannot create the sandbox with image "${options.image}": ${why}`;
      throw new SandboxError('invalid-argument', message, { details: { image: parent.image } });
    }
    const store = await this.#place.openStore(sandbox, { readOnly: true });
    let info: SandboxRecord;
    try {
      const loading = this.#loadImage({ digest: parent.imageDigest }, onProgress);
      const image = await orAborted(loading, { signal, what: loadImage });
      info = await this.#fork({ info: parent, store, image }, snapshot, options);
    } finally {
      await store.close();
    }
    try {
      const plan = options.workspace && planWorkspace(options.workspace, info);
      const sandbox = await this.#open(info.id, { ...(signal ? { signal } : {}), plan }, onProgress);
      if (options.cwd === undefined) return sandbox;
      await makeWorkingDirectory(sandbox, options.cwd).catch(async (error) => {
        await sandbox.close();
        throw error;
      });
      return sandbox;
    } catch (error) {
      await this.delete({ id: info.id }).catch(() => undefined); // What is to be told is why it did not start.
      throw error;
    }
  }

  /** Makes the store of a new sandbox and does `work`, which adds its entry; a failure leaves nothing behind. */
  #make<T>(id: string, work: (store: SandboxStore) => Promise<T>): Promise<T> {
    return this.#begin(id, async () => {
      const store = await this.#place.openStore(id, { create: true });
      try {
        return await work(store);
      } catch (error) {
        await store.close();
        throw error;
      }
    });
  }

  /** Does `work`, which makes a store and adds its entry; a failure leaves nothing behind. */
  async #begin<T>(id: string, work: () => Promise<T>): Promise<T> {
    await this.#place.records.begin(id);
    try {
      return await work();
    } catch (error) {
      await this.#place.deleteStore(id);
      await this.#place.records.forgetUnfinished(id);
      throw error;
    }
  }

  /** Sandboxes whose page went while it made them. One that is still being made is locked, and stays. */
  async #clearUnfinished(): Promise<void> {
    const { records } = this.#place;
    for (const id of await records.unfinished(Date.now() - limits.unfinishedSandboxMs)) {
      await this.#place.deleteStore(id);
      await records.forgetUnfinished(id);
    }
  }

  async #start(
    info: SandboxRecord,
    context: {
      store: SandboxStore;
      image: Image;
      known?: SealedTree | undefined;
      onProgress: ProgressListener;
      isNew?: boolean;
      handed?: ReceivedMachine | undefined;
      readOnly?: boolean;
      signal: AbortSignal | undefined;
      plan?: WorkspacePlan | undefined;
    },
  ): Promise<SandboxConnection> {
    const { store, image, known, handed, onProgress, signal, plan } = context;
    const { isNew = false, readOnly = false } = context;
    this.#ahead = new FilesAhead(); // Whatever starts here, nothing else will.
    const startedMs = performance.now();
    const sandbox = await this.#place.start(info, {
      store,
      image,
      known,
      handed,
      readOnly,
      signal,
      backend: {
        fork: async (id, options) => this.#told(await this.#fork({ info, store, image }, id, options)),
        openOther: (ref) => this.#openStored(ref),
        stored: () => this.#place.records.get(info.id),
      },
    });
    try {
      throwIfAborted(signal, 'Cannot start the sandbox');
      if (plan) await setUpWorkspace(sandbox, plan, { signal, onProgress });
      if (isNew && info.cwd !== undefined) await makeWorkingDirectory(sandbox, info.cwd);
      throwIfAborted(signal, 'Cannot start the sandbox');
      if (isNew) await this.#place.records.add(info);
    } catch (error) {
      await sandbox.close();
      throw error;
    }
    onProgress({ stage: 'ready', doneBytes: 0, totalBytes: 0, elapsedMs: performance.now() - startedMs });
    return sandbox;
  }

  /** A new sandbox with one snapshot of another and the objects it needs; the image's stay where they are. */
  async #fork(
    parent: { info: SandboxRecord; store: SandboxStore; image: Image },
    reference: string,
    options: Omit<CreateOptions, 'image' | 'from'> & { tree?: SealedTree | undefined },
  ): Promise<SandboxRecord> {
    const { info, store, image } = parent;
    const isElsewhere = (object: ObjectId) => image.source.has(object);
    const child = this.#childOf(info, { image, options });
    const history = History.open(store, { isElsewhere });
    const { id, tree: treeId } = history.get(history.resolve(reference));
    // One that is not asked for is its parent's, which has room for it.
    if (options.diskMiB !== undefined) {
      const { snapshot } = options.tree ?? new ObjectSource(store, image.source).loadTree(treeId).sealed;
      assertDiskHolds(child.diskMiB, snapshot);
    }
    return this.#begin(child.id, async () => {
      await makeForkStore(this.#place, child.id, { store, snapshot: id, image: image.source });
      await this.#place.records.add(child);
      this.#keepTree(child.id, options.tree);
      return child;
    });
  }

  #childOf(
    parent: SandboxRecord,
    { image, options }: { image: Image; options: Omit<CreateOptions, 'image' | 'from'> },
  ): SandboxRecord {
    return {
      ...parent,
      id: crypto.randomUUID(),
      name: options.name ?? `${parent.name} fork`,
      ...chooseResources(options, {
        rules: this.#place.resources,
        imageMemoryMiB: image.manifest.memoryMiB,
        inherited: parent,
      }),
      createdAtMs: Date.now(),
      ...(options.nested === undefined ? {} : { nested: options.nested }),
      ...chooseSettings(options, { parent, canExpire: this.#place.canExpire === true }),
    };
  }

  #keepTree(id: string, tree: SealedTree | undefined): void {
    if (!tree) return;
    this.#unopened.set(id, tree);
    const [oldest] = this.#unopened.keys();
    if (oldest !== undefined && this.#unopened.size > limits.unopenedTrees) this.#unopened.delete(oldest);
  }

  /** An image that a sandbox was made from and that cannot be had is told as such. */
  async #loadImage(which: WhichImage, onProgress: ProgressListener): Promise<Image> {
    try {
      const image = await this.#place.loadImage(which, onProgress);
      await this.#place.assertRuns(imageArchitecture(image.manifest));
      return image;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (!('digest' in which) || error.code !== 'asset-unavailable') throw error;
      const why = 'this site no longer has the image it was made from, or there is no network';
      throw new SandboxError('asset-unavailable', `Cannot start the sandbox: ${why}`, {
        cause: error,
        details: { ...which },
      });
    }
  }
}

/** It is the user's, where its place knows users; what is there already stays as it is. @throws invalid-argument where it is a file */
async function makeWorkingDirectory(sandbox: SandboxConnection, path: string): Promise<void> {
  const there = await sandbox.files.stat({ path }).catch(() => undefined);
  if (there?.type === 'directory') return;
  await sandbox.files.makeDirectory({ path });
  const script = 'chown user: "$1" || :';
  const timeoutMs = limits.workspaceStepTimeoutMs;
  await askSandbox(sandbox, { script, args: [path], user: 'root', timeoutMs });
}

/** A name for people. @throws invalid-argument */
function sandboxName(name: string): string {
  const line = name.trim();
  if (/^\P{Cc}+$/u.test(line) && line.length <= limits.sandboxNameCharacters) return line;
  const rule = `a name is one line of 1 to ${limits.sandboxNameCharacters} characters`;
  throw new SandboxError('invalid-argument', `Cannot rename the sandbox: ${rule}`);
}

/** The same error, which says whose files may still be exported. */
function namingSandbox(id: string, cause: unknown): SandboxError {
  const { code, message, details } = SandboxError.from(cause);
  return new SandboxError(code, message, { details: { ...details, sandbox: id }, cause });
}
