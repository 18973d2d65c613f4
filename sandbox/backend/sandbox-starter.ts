import { orAborted, throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CreateOptions, OpenOptions, StartOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { History } from '../../tree/history/history.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { LocalSandbox } from '../local-sandbox.ts';
import type { ReceivedMachine } from '../memory/precopied-files.ts';
import { ObjectSource } from '../object-source.ts';
import { publicInfo, type SandboxRecord } from '../sandbox-settings.ts';
import { openStoredSnapshot, type StoredSnapshot } from '../transfer/stored-snapshot.ts';
import { makeWorkingDirectory } from '../workspace/make-working-directory.ts';
import { setUpWorkspace } from '../workspace/set-up-workspace.ts';
import type { WorkspacePlan } from '../workspace/workspace-plan.ts';
import { assertDiskHolds } from './assert-disk-holds.ts';
import { makeForkStore } from './fork-store.ts';
import { type LoadedBase, loadBase } from './load-base.ts';
import { childInfo } from './new-info.ts';
import { makeSandbox } from './new-stores.ts';
import type { Runtimes } from './runtimes.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { UnopenedTrees } from './unopened-trees.ts';

const cannotStart = 'Cannot start the sandbox';
export const cannotLoad = 'Cannot load the image';

export type ForkOptions = Omit<CreateOptions, 'image' | 'from'> & { readonly tree?: SealedTree | undefined };

/** What a sandbox is started from. */
export interface SandboxStart {
  readonly store: SandboxStore;
  readonly base: LoadedBase;
  readonly known?: SealedTree | undefined;
  readonly onProgress: ProgressListener;
  /** It has no entry yet, and gets one once it runs. */
  readonly isNew?: boolean;
  readonly handed?: ReceivedMachine | undefined;
  readonly readOnly?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly plan?: WorkspacePlan | undefined;
}

/** Starts the sandboxes of a host, makes forks of them, and deletes them. */
export class SandboxStarter {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  readonly #unopened = new UnopenedTrees();
  /** Those that run in this process, by their ids. */
  readonly #running = new Map<string, Set<LocalSandbox>>();
  readonly #onStart: () => void;

  /** `onStart` is called when a sandbox is about to start. */
  constructor(host: SandboxHost, options: { readonly runtimes: Runtimes; readonly onStart: () => void }) {
    this.#host = host;
    this.#runtimes = options.runtimes;
    this.#onStart = options.onStart;
  }

  /** @throws not-found, busy, aborted, unsupported, and what `start` throws */
  async open(
    id: string,
    options: OpenOptions & StartOptions & { readonly plan?: WorkspacePlan | undefined },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { readOnly = false, signal, plan } = options;
    const info = await this.#host.records.get(id);
    const driver = this.#runtimes.get(info.runtime, cannotStart);
    const unopened = this.#unopened.take(id);
    const loading = unopened?.base
      ? Promise.resolve(unopened.base)
      : loadBase(driver, { digest: info.imageDigest }, onProgress);
    loading.catch(() => undefined); // A sandbox that another tab holds is told first, and at once.
    const store = await this.#host.openStore(id, { readOnly });
    try {
      const base = await orAborted(loading, { signal, what: cannotLoad });
      const known = unopened?.tree;
      return await this.start(info, { store, base, known, onProgress, readOnly, signal, plan });
    } catch (cause) {
      await store.close();
      throw namingSandbox(id, cause);
    }
  }

  /** The store is the sandbox's once this resolves. @throws what a driver's `start` throws, aborted */
  async start(info: SandboxRecord, start: SandboxStart): Promise<SandboxConnection> {
    const { store, base, known, handed, onProgress, signal, plan } = start;
    const { isNew = false, readOnly = false } = start;
    this.#onStart();
    const startedMs = performance.now();
    const sandbox = await base.start(info, {
      store,
      known,
      handed,
      readOnly,
      signal,
      onProgress,
      backend: {
        fork: async (id, options) => this.told(await this.fork({ info, store, base }, id, options)),
        openOther: (ref) => this.#openStored(ref),
        stored: () => this.#host.records.get(info.id),
      },
    });
    try {
      throwIfAborted(signal, cannotStart);
      if (plan) await setUpWorkspace(sandbox, plan, { signal, onProgress });
      if (isNew && info.cwd !== undefined) await makeWorkingDirectory(sandbox, info.cwd);
      throwIfAborted(signal, cannotStart);
      if (isNew) await this.#host.records.add(info);
      await this.#noteRunning(info.id, sandbox);
    } catch (error) {
      await sandbox.close({ discard: true }).catch(() => undefined); // What is to be told is why it did not start.
      throw error;
    }
    onProgress({ stage: 'ready', doneBytes: 0, totalBytes: 0, elapsedMs: performance.now() - startedMs });
    return sandbox;
  }

  /** A new sandbox with one snapshot of another and the objects it needs; the image's stay where they are. */
  async fork(
    {
      info,
      store,
      base,
    }: { readonly info: SandboxRecord; readonly store: SandboxStore; readonly base: LoadedBase },
    reference: string,
    options: ForkOptions,
  ): Promise<SandboxRecord> {
    const host = this.#host;
    const { objects } = base;
    const child = childInfo(info, options, { base, canExpire: host.canExpire === true });
    const history = History.open(store, { isElsewhere: (object: ObjectId) => objects.has(object) });
    const { id, tree: treeId } = history.get(history.resolve(reference));
    // One that is not asked for is its parent's, which has room for it.
    if (options.diskMiB !== undefined) {
      const { snapshot } = options.tree ?? new ObjectSource(store, objects).loadTree(treeId).sealed;
      assertDiskHolds(child.diskMiB, snapshot);
    }
    return makeSandbox(host, child.id, async () => {
      await makeForkStore(host, child.id, { store, snapshot: id, image: objects });
      await host.records.add(child);
      this.#unopened.put(child.id, options.tree);
      return child;
    });
  }

  /** What is at hand of a sandbox that was made and that nobody has opened. */
  noteUnopened(id: string, tree: SealedTree | undefined, base: LoadedBase): void {
    this.#unopened.put(id, tree, base);
  }

  /** What is told of a sandbox that need not be open. */
  told(record: SandboxRecord): SandboxInfo {
    const { isolation, notHeld, diskHeldBy } = this.#runtimes.find(record.runtime) ?? {};
    const { unsaved } = this.#host;
    if (isolation === undefined && unsaved === undefined) return publicInfo(record);
    return publicInfo({ ...record, isolation, notHeld, diskHeldBy, unsaved: unsaved?.(record.id) });
  }

  /** Deletes a sandbox. What runs in one whose host lets it be deleted while it is open ends. @throws busy where that one does not */
  async delete(id: string): Promise<void> {
    this.#unopened.take(id);
    await this.#host.deleteStore(id);
    await this.#host.records.remove(id);
    const running = this.#running.get(id) ?? [];
    // Nothing of it can be lost any more.
    await Promise.allSettled([...running].map((sandbox) => sandbox.close({ discard: true })));
  }

  async #noteRunning(id: string, sandbox: LocalSandbox): Promise<void> {
    const running = this.#running.get(id) ?? new Set();
    this.#running.set(id, running.add(sandbox));
    await sandbox.events.subscribe({ after: 0 }, ({ type }) => {
      if (type !== 'closed') return;
      running.delete(sandbox);
      if (running.size === 0 && this.#running.get(id) === running) this.#running.delete(id);
    });
  }

  async #openStored({ sandbox, snapshot: reference }: SnapshotRef): Promise<StoredSnapshot> {
    const image = await this.#runtimes.openImageToExport(await this.#host.records.get(sandbox));
    const store = await this.#host.openStore(sandbox, { readOnly: true });
    return openStoredSnapshot(store, { reference, image });
  }
}

/** The same error, which says whose files may still be exported. */
function namingSandbox(id: string, cause: unknown): SandboxError {
  const { code, message, details } = SandboxError.from(cause);
  return new SandboxError(code, message, { details: { ...details, sandbox: id }, cause });
}
