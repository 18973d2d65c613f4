import { SandboxError } from '../../../protocol/errors.ts';
import type {
  CreateOptions,
  SandboxBackend,
  SnapshotImportOptions,
  StartOptions,
} from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { HandleScope, scopeFacets } from '../../../protocol/sandbox/handle-scope.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import type { RuntimeName, SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from '../../../protocol/sandbox/transfer.ts';
import { type EmbedRuntime, isEmbedRuntime } from '../embed-runtime.ts';
import { embedLimits } from '../limits.ts';

/** By runtime, what starts that which runs its sandboxes in this frame; what is asked for first is loaded first. */
export type EmbedRuntimes = Readonly<Record<EmbedRuntime, () => SandboxBackend>>;

/**
 * The sandboxes of one frame: shells, and machines where they are asked for. They live as long as the frame, or until they are deleted,
 * whoever uses them: the frame's own terminals and the page around it, which has no others.
 */
export class EmbedBackend implements SandboxBackend {
  readonly #starts: EmbedRuntimes;
  readonly #onProgress: ProgressListener;
  readonly #runtimes = new Map<EmbedRuntime, SandboxBackend>();
  readonly #open = new Map<string, Promise<SandboxConnection>>();
  #starting = 0;

  constructor(starts: EmbedRuntimes, onProgress: ProgressListener) {
    this.#starts = starts;
    this.#onProgress = onProgress;
  }

  /** @throws limit-exceeded; unsupported, what creating one in a tab throws */
  async create(
    options: CreateOptions & StartOptions,
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { runtime = 'shell' } = options;
    const backend = this.#backendOf(runtime);
    return this.#start(async () => {
      const connection = await backend.create({ ...options, runtime }, this.#told(onProgress));
      const { id } = await connection.info.get();
      this.#open.set(id, Promise.resolve(connection));
      return this.#share(connection);
    });
  }

  async open(
    ask: StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { id } = ask;
    const open = this.#open.get(id);
    if (open) return this.#share(await open);
    const opening = this.#holderOf(id).then((backend) =>
      backend.open({ ...ask, readOnly: false }, this.#told(onProgress)),
    );
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return this.#share(await opening);
  }

  connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    return this.open({ id }, () => {});
  }

  async exportTar(ask: { readonly id: string; readonly at?: string | undefined }): Promise<ArchiveReader> {
    return (await this.#holderOf(ask.id)).exportTar(ask);
  }

  /** Of an image, it is a machine's; else a shell's. */
  async openImport(options: SnapshotImportOptions): Promise<SnapshotImport> {
    const { runtime = options.imageDigest === undefined ? 'shell' : 'v86' } = options;
    const backend = this.#backendOf(runtime);
    return this.#start(() => backend.openImport({ ...options, runtime }));
  }

  async list(): Promise<SandboxInfo[]> {
    const lists = await Promise.all([...this.#runtimes.values()].map((backend) => backend.list()));
    return lists.flat();
  }

  async delete({ id }: { readonly id: string }): Promise<void> {
    const backend = await this.#holderOf(id);
    const open = this.#open.get(id);
    this.#open.delete(id);
    await (await open?.catch(() => undefined))?.close({ discard: true });
    await backend.delete({ id });
  }

  /** One more sandbox, where there is room for it. @throws limit-exceeded */
  async #start<Value>(start: () => Promise<Value>): Promise<Value> {
    this.#starting++;
    try {
      const { length } = await this.list();
      if (length + this.#starting > embedLimits.sandboxes)
        throw new SandboxError('limit-exceeded', `An embed has ${embedLimits.sandboxes} sandboxes at most`);
      return await start();
    } finally {
      this.#starting--;
    }
  }

  #told(onProgress: ProgressListener): ProgressListener {
    return (progress) => {
      this.#onProgress(progress);
      onProgress(progress);
    };
  }

  /** @throws unsupported */
  #backendOf(runtime: RuntimeName): SandboxBackend {
    if (!isEmbedRuntime(runtime))
      throw new SandboxError('unsupported', `An embed has runtimes "shell" and "v86", not "${runtime}"`, {
        details: { feature: 'runtime', runtimes: Object.keys(this.#starts) },
      });
    const known = this.#runtimes.get(runtime);
    if (known) return known;
    const opened = this.#starts[runtime]();
    this.#runtimes.set(runtime, opened);
    return opened;
  }

  /** @throws not-found */
  async #holderOf(id: string): Promise<SandboxBackend> {
    for (const backend of this.#runtimes.values())
      if ((await backend.list()).some((info) => info.id === id)) return backend;
    throw new SandboxError('not-found', `This embed has no sandbox "${id}"`, { details: { id } });
  }

  /** What is opened through it ends with it; the sandbox goes on. A fork is one more sandbox. */
  #share(connection: SandboxConnection): SandboxConnection {
    const scope = new HandleScope();
    const facets = scopeFacets(() => connection, scope);
    const fork: SandboxConnection['history']['fork'] = (ask) => this.#start(() => facets.history.fork(ask));
    return { ...facets, history: { ...facets.history, fork }, close: () => scope.close() };
  }
}
