import { abortable, orAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import {
  type CreateOptions,
  defaultImage,
  type StartOptions,
  type WorkspaceOptions,
} from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { makeWorkingDirectory } from '../workspace/make-working-directory.ts';
import { planWorkspace, type WorkspacePlan } from '../workspace/workspace-plan.ts';
import { assertDiskHolds } from './assert-disk-holds.ts';
import { firstFiles, storeFirstFiles } from './first-files.ts';
import { filesBase, type LoadedBase, loadBase, loadImageBase } from './load-base.ts';
import { newInfo } from './new-info.ts';
import { makeStore } from './new-stores.ts';
import type { FilesDriver, ImageDriver } from './runtime-driver.ts';
import { assertNests, type Runtimes } from './runtimes.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { cannotLoad, type SandboxStarter } from './sandbox-starter.ts';

const cannotCreate = 'Cannot create a sandbox';

type Create = CreateOptions & StartOptions;

/** Makes the new sandboxes of a host: of an image, without one, or of a snapshot of another sandbox. */
export class SandboxCreator {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  readonly #starter: SandboxStarter;

  constructor(
    host: SandboxHost,
    { runtimes, starter }: { readonly runtimes: Runtimes; readonly starter: SandboxStarter },
  ) {
    this.#host = host;
    this.#runtimes = runtimes;
    this.#starter = starter;
  }

  /** A failure leaves nothing behind. @throws as `SandboxBackend.create` says */
  create(options: Create, onProgress: ProgressListener): Promise<SandboxConnection> {
    const { signal, from } = options;
    const create = () =>
      from ? this.#createFrom(from, options, onProgress) : this.#createNew(options, onProgress);
    return abortable(create, { signal, what: cannotCreate });
  }

  async #createNew(options: Create, onProgress: ProgressListener): Promise<SandboxConnection> {
    const driver = this.#runtimes.get(options.runtime, cannotCreate);
    if (options.nested) assertNests(driver);
    if (driver.images) return this.#createOfImage(driver, options, onProgress);
    if (options.image === undefined) return this.#createOfFiles(driver, options, onProgress);
    throw new SandboxError(
      'unsupported',
      `${cannotCreate} with image "${options.image}": "${driver.runtime}" begins without one`,
      { details: { feature: 'image' } },
    );
  }

  #createOfImage(
    driver: ImageDriver,
    options: Create,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    const loading = loadImageBase(driver, { name: options.image ?? defaultImage }, onProgress);
    // While the store is made, which is mostly waiting.
    const loadingTree = loading.then(({ image: { manifest, source } }) =>
      loadTree(source, manifest.tree, { known: source.directories }),
    );
    loadingTree.catch(() => undefined); // What cannot be stored is told first.
    const id = crypto.randomUUID();
    return makeStore(this.#host, id, async (store) => {
      const base = await orAborted(loading, { signal, what: cannotLoad });
      const { sealed: known } = await loadingTree;
      const { info, plan } = this.#planNew(id, base, options);
      assertDiskHolds(info.diskMiB, known.snapshot);
      return this.#starter.start(info, { store, base, known, onProgress, isNew: true, signal, plan });
    });
  }

  #createOfFiles(
    driver: FilesDriver,
    options: Create,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    const id = crypto.randomUUID();
    return makeStore(this.#host, id, async (store) => {
      const base = filesBase(driver);
      const { info, plan } = this.#planNew(id, base, options);
      const files = firstFiles(driver);
      assertDiskHolds(info.diskMiB, files);
      const known = await storeFirstFiles(store, files);
      return this.#starter.start(info, { store, base, known, onProgress, isNew: true, signal, plan });
    });
  }

  #planNew(
    id: string,
    base: LoadedBase,
    options: Create,
  ): { readonly info: SandboxRecord; readonly plan: WorkspacePlan | undefined } {
    const info = newInfo(id, options, { base, canExpire: this.#host.canExpire === true });
    return { info, plan: options.workspace && planIn(options.workspace, { info, base }) };
  }

  async #createFrom(
    { sandbox, snapshot }: SnapshotRef,
    options: Create,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal, cwd } = options;
    const parent = await this.#host.records.get(sandbox);
    assertAsParent(options, parent);
    const driver = this.#runtimes.get(parent.runtime, cannotCreate);
    if (options.nested) assertNests(driver);
    const store = await this.#host.openStore(sandbox, { readOnly: true });
    let info: SandboxRecord;
    try {
      const loading = loadBase(driver, { digest: parent.imageDigest }, onProgress);
      const base = await orAborted(loading, { signal, what: cannotLoad });
      info = await this.#starter.fork({ info: parent, store, base }, snapshot, options);
    } finally {
      await store.close();
    }
    try {
      const plan = options.workspace && planIn(options.workspace, { info, base: { driver } });
      const made = await this.#starter.open(info.id, { ...(signal ? { signal } : {}), plan }, onProgress);
      if (cwd === undefined) return made;
      await makeWorkingDirectory(made, cwd).catch(async (error) => {
        await made.close().catch(() => undefined);
        throw error;
      });
      return made;
    } catch (error) {
      await this.#starter.delete(info.id).catch(() => undefined); // What is to be told is why it did not start.
      throw error;
    }
  }
}

function planIn(
  workspace: WorkspaceOptions,
  { info, base }: { readonly info: SandboxRecord; readonly base: Pick<LoadedBase, 'driver'> },
): WorkspacePlan {
  const { reachesGit = false } = base.driver;
  return planWorkspace(workspace, { network: info.network, reachesGit });
}

/** What a sandbox begins with and what runs it are those of the snapshot. @throws invalid-argument where others are asked for */
function assertAsParent(asked: Pick<CreateOptions, 'image' | 'runtime'>, parent: SandboxRecord): void {
  for (const name of ['image', 'runtime'] as const) {
    if (asked[name] === undefined || asked[name] === parent[name]) continue;
    const why = parent[name] === '' ? 'its snapshot has none' : `its snapshot is of "${parent[name]}"`;
    const message = `Cannot create the sandbox with ${name} "${asked[name]}": ${why}`;
    throw new SandboxError('invalid-argument', message, { details: { [name]: parent[name] } });
  }
}
