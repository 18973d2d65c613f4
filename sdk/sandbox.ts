import { type RestoreTarOptions, restoreTar } from '../protocol/archive/restore-tar.ts';
import type { UnpackedArchive, UnpackOptions } from '../protocol/archive/unpack-archive.ts';
import { snapshotNow } from '../protocol/copy/copy-snapshot.ts';
import { SandboxError } from '../protocol/errors.ts';
import { listProcesses, type ProcessList } from '../protocol/list-processes.ts';
import { isSnapshotId } from '../protocol/resolve-snapshot.ts';
import type {
  CreateOptions,
  OpenOptions,
  SandboxBackend,
  StartOptions,
} from '../protocol/sandbox/backend.ts';
import type { CloseOptions, SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SandboxEvent } from '../protocol/sandbox/events.ts';
import type {
  ApplyOptions,
  ApplyResult,
  Change,
  CheckoutOptions,
  CheckoutResult,
  MergeOptions,
  MergeResult,
  SnapshotInfo,
  SnapshotOptions,
} from '../protocol/sandbox/history.ts';
import type { Progress } from '../protocol/sandbox/progress.ts';
import type { PastOptions } from '../protocol/sandbox/recording.ts';
import type { SnapshotRef, TreeRef } from '../protocol/sandbox/refs.ts';
import type { SandboxInfo, StorageInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { ShellInfo } from '../protocol/sandbox/shells.ts';
import type { ArchiveOptions } from '../protocol/sandbox/transfer.ts';
import type { SandboxReport } from '../protocol/sandbox-report.ts';
import { Archive } from './archive.ts';
import { SandboxCheckpoints } from './checkpoints.ts';
import { CommandHooks, type SandboxHooks } from './command-hooks.ts';
import { type CommandResult, Commands, type RunOptions } from './commands.ts';
import { bringToMerge, type CopyOptions, copyIntoSandbox, copyToBackend } from './copy-sandbox.ts';
import { Files } from './files.ts';
import { Git } from './git.ts';
import { History } from './history.ts';
import { Network } from './network.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { Pty } from './pty.ts';
import { RemoteReplica } from './routing/remote-replica.ts';
import { type RoutedResult, type RoutedRunOptions, runRouted } from './routing/run-routed.ts';
import { type RecordOptions, SandboxRecording } from './sandbox-recording.ts';
import { Session } from './session.ts';
import { type OpenShellOptions, Shell } from './shells.ts';
import { readSnapshotFile, writeSnapshotFile } from './snapshot-file.ts';
import type { TournamentOptions } from './tournament/tournament-options.ts';
import type { Tournament } from './tournament/tournament-report.ts';

export interface ConnectOptions {
  /** Where the sandbox lives. The page sets the tab's as the default. */
  readonly backend?: SandboxBackend;
  readonly onProgress?: (progress: Progress) => void;
  /** Called around its commands, and those of what is made from it. */
  readonly hooks?: SandboxHooks;
}

let defaultBackend: SandboxBackend | undefined;

/** Names the backend that `create`, `open` and `list` use when they are given none. */
export function setDefaultBackend(backend: SandboxBackend | undefined): void {
  defaultBackend = backend;
}

/**
 * A computer with a past. Whoever creates or opens one closes it (`await using` does); closing
 * stops its machine and keeps its history.
 */
export class Sandbox implements OpenSandbox, AsyncDisposable {
  readonly id: string;
  readonly info: SandboxInfo;
  readonly commands: Commands;
  readonly files: Files;
  readonly pty: Pty;
  readonly history: History;
  readonly network: Network;
  readonly git: Git;
  /** What its machine can go back to while it runs. */
  readonly checkpoints: SandboxCheckpoints;
  /** The connection this object speaks through, for callers that need its whole contract. */
  readonly connection: SandboxConnection;
  readonly #backend: SandboxBackend;
  /** Those that it was opened with. */
  readonly hooks: SandboxHooks | undefined;
  readonly #watcher: CommandHooks;
  #host: RemoteReplica | undefined;

  private constructor(parts: {
    info: SandboxInfo;
    connection: SandboxConnection;
    backend: SandboxBackend;
    hooks: SandboxHooks | undefined;
  }) {
    this.info = parts.info;
    this.id = parts.info.id;
    this.connection = parts.connection;
    this.#backend = parts.backend;
    this.hooks = parts.hooks;
    const hooks = new CommandHooks(parts);
    this.#watcher = hooks;
    this.commands = new Commands(parts.connection, hooks);
    this.files = new Files(parts.connection);
    this.pty = new Pty(parts.connection, (command, options) => hooks.admit(command, options));
    this.history = new History(parts.connection);
    this.network = new Network(parts.connection);
    this.git = new Git(parts.connection);
    this.checkpoints = new SandboxCheckpoints(parts.connection);
  }

  /**
   * A new sandbox from an image (or from a snapshot of another), ready to run commands.
   * @throws asset-unavailable, unsupported, storage-full, invalid-argument, aborted
   */
  static async create(options: CreateOptions & StartOptions & ConnectOptions = {}): Promise<Sandbox> {
    const { backend = requireBackend(), onProgress = () => {}, hooks, ...create } = options;
    return Sandbox.#wrap(backend, await backend.create(create, onProgress), hooks);
  }

  /** A sandbox that exists, at its HEAD. @throws not-found, busy when another tab holds it, aborted */
  static async open(id: string, options: OpenOptions & StartOptions & ConnectOptions = {}): Promise<Sandbox> {
    const { backend = requireBackend(), onProgress = () => {}, hooks, ...open } = options;
    return Sandbox.#wrap(backend, await backend.open({ id, ...open }, onProgress), hooks);
  }

  /** A sandbox that another page of this origin has open: closing it here leaves it open there. @throws not-found */
  static async connect(
    id: string,
    options: { backend?: SandboxBackend; hooks?: SandboxHooks } = {},
  ): Promise<Sandbox> {
    const { backend = requireBackend(), hooks } = options;
    return Sandbox.#wrap(backend, await backend.connect({ id }), hooks);
  }

  /**
   * The saved files of a sandbox as a tar archive, at a snapshot or HEAD, without starting it: for
   * one that cannot be opened any more. It has all that can be read; `Archive.missing` names the rest.
   * @throws not-found; missing-object, corrupt-object or asset-unavailable when nothing can be read
   */
  static async exportTar(
    id: string,
    options: { at?: string; backend?: SandboxBackend } = {},
  ): Promise<Archive> {
    const { backend = requireBackend(), ...rest } = options;
    return new Archive(await backend.exportTar({ id, ...rest }));
  }

  /**
   * Makes a sandbox of what `exportSnapshot` wrote, wherever that was: verified on its way in; nobody has it open
   * yet. It is called as the file says, or `name`. What ran in it goes on when it is opened, where its memory is in the file.
   * @throws invalid-argument, corrupt-object, missing-object, storage-full, asset-unavailable (its image is not here)
   */
  static importSnapshot(
    pieces: AsyncIterable<Uint8Array>,
    options: { backend?: SandboxBackend; name?: string } = {},
  ): Promise<SandboxInfo> {
    return readSnapshotFile(pieces, options.backend ?? requireBackend(), options.name);
  }

  /** With `metadata`, those that have all of these labels. */
  static async list(
    options: { backend?: SandboxBackend; metadata?: Readonly<Record<string, string>> } = {},
  ): Promise<SandboxInfo[]> {
    const all = await (options.backend ?? requireBackend()).list();
    const labels = Object.entries(options.metadata ?? {});
    return all.filter(({ metadata = {} }) =>
      labels.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value),
    );
  }

  /**
   * Deletes a sandbox and its history, and ends what runs in it. There is no undo.
   * @throws busy for one in a folder of this host that is open
   */
  static delete(id: string, options: { backend?: SandboxBackend } = {}): Promise<void> {
    return (options.backend ?? requireBackend()).delete({ id });
  }

  static async #wrap(
    backend: SandboxBackend,
    connection: SandboxConnection,
    hooks: SandboxHooks | undefined,
  ): Promise<Sandbox> {
    try {
      return new Sandbox({ backend, connection, hooks, info: await connection.info.get() });
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Runs a command to its end: `commands.run` for the hurried. With `on`, here or on the host that `useHost` named,
   * which takes the files along: the result says where it ran and why.
   */
  run(command: string | readonly string[], options: RoutedRunOptions): Promise<RoutedResult>;
  run(command: string | readonly string[], options?: RunOptions): Promise<CommandResult>;
  run(
    command: string | readonly string[],
    options: RunOptions & Partial<RoutedRunOptions> = {},
  ): Promise<CommandResult> {
    const { on } = options;
    if (on === undefined) return this.commands.run(command, { ...options, background: false });
    return runRouted(this, { command, options: { ...options, on }, host: this.#host });
  }

  /**
   * Names the host that `run` with `on` may use, or none any more; it stays its owner's. A copy of this sandbox is
   * there from the first such run until another host is named, or this is closed.
   */
  async useHost(backend: SandboxBackend | undefined, options: { name?: string } = {}): Promise<void> {
    const { name = 'the host' } = options;
    const before = this.#host;
    this.#host =
      backend && new RemoteReplica(this, { backend, name, copy: (options) => this.copyTo(backend, options) });
    await before?.[Symbol.asyncDispose]();
  }

  /**
   * Has it live for `timeoutMs` from now on: then it is deleted with its history. `undefined` takes its end away.
   * @throws unsupported in a tab, invalid-argument
   */
  async setTimeout(timeoutMs: number | undefined): Promise<SandboxInfo> {
    if (this.#backend.setTimeout) return this.#backend.setTimeout({ id: this.id, timeoutMs });
    throw new SandboxError('unsupported', 'Cannot give the sandbox an end: sandboxes have none here', {
      details: { feature: 'timeoutMs' },
    });
  }

  /**
   * Opens a shell, which goes on from one command to the next, or finds the one with `id`. It is the sandbox's: every client can
   * run in it, snapshots and forks have it.
   * @throws not-found for an id or a directory that does not exist; limit-exceeded, unsupported
   */
  shell(options: OpenShellOptions = {}): Promise<Shell> {
    return Shell.open(options, { connection: this.connection, watcher: this.#watcher });
  }

  /** The shells that it has. */
  shells(): Promise<readonly ShellInfo[]> {
    return this.connection.shells.list();
  }

  /** What runs in it, which leaves no trace in its history. @throws timeout, connection-lost */
  processes(): Promise<ProcessList> {
    return listProcesses(this.connection);
  }

  /**
   * A snapshot as one file, for `Sandbox.importSnapshot`: `for await` its pieces, once. HEAD by default.
   * @throws not-found, missing-object, corrupt-object
   */
  async *exportSnapshot(reference = 'HEAD'): AsyncGenerator<Uint8Array, void> {
    const snapshot = await this.history.resolve(reference);
    yield* writeSnapshotFile(this.connection, { info: this.info, snapshot });
  }

  /** Names this instant. Resolves when the snapshot is durable. With `ifChanged`, HEAD where it has the same files. */
  createSnapshot(options?: SnapshotOptions): Promise<SnapshotInfo> {
    return this.connection.history.createSnapshot(options);
  }

  /**
   * Goes back (or forth) in place to an id, a prefix of one, a tag or `HEAD`. `previousHead` is the way back:
   * a snapshot of what was left. With `discard`, what changed since HEAD is given up instead of
   * saved, for a store that is full, and `previousHead` is the HEAD that was left. Past the limit of its disk, what was left
   * is kept as far as there is room, and `unkept` says so.
   * @throws not-found, missing-object, corrupt-object, storage-full
   */
  async checkout(reference: string, options?: CheckoutOptions): Promise<CheckoutResult> {
    return this.connection.history.checkout({ id: await this.history.resolve(reference), ...options });
  }

  /**
   * Brings the changes of a snapshot (an id, a prefix of one or a tag), or of another sandbox such as a fork as it is now,
   * together with the files as they are here, and goes to the result, which has both as its parents. Every process ends, and
   * `previousHead` is the way back. A conflict refuses all of it, unless `prefer` says whose change is taken.
   * @throws conflict, whose details name `conflicts`; not-found, invalid-argument (another image), limit-exceeded, storage-full
   */
  async merge(
    from: string | OpenSandbox,
    { onProgress, ...options }: MergeOptions & Pick<CopyOptions, 'onProgress'> = {},
  ): Promise<MergeResult> {
    const id =
      typeof from === 'string'
        ? await this.history.resolve(from)
        : await bringToMerge(from, this, onProgress);
    return this.connection.history.merge({ id, ...options });
  }

  /**
   * Makes differences between snapshots in the files as they are now, and keeps what else has changed: `from` and `to` the other way round take a step
   * back. Every process ends, and `previousHead` is the way back.
   * @throws conflict, whose details name `conflicts`; not-found, limit-exceeded, storage-full
   */
  applyChanges(options: ApplyOptions): Promise<ApplyResult> {
    return this.connection.history.applyChanges(options);
  }

  /**
   * Opens `count` other sandboxes that continue from a snapshot (now by default). With `memory`, what runs now
   * goes on in each; from a snapshot that has memory it does anyway. One that could not be made is an error in
   * its place; the others stand. `onProgress` is told how far each is.
   */
  async fork(
    options: { count?: number; from?: string; name?: string; memory?: boolean } & Pick<
      ConnectOptions,
      'onProgress'
    > = {},
  ): Promise<(Sandbox | SandboxError)[]> {
    const { count = 1, from = 'HEAD', name, memory = false, onProgress } = options;
    const opening = { backend: this.#backend, ...(onProgress ? { onProgress } : {}) };
    const named = name === undefined ? {} : { name };
    // Several are to go on from one instant.
    if (memory && from === 'HEAD' && count === 1) {
      const info = await this.connection.forkRunning?.(named);
      if (info) return [await this.#openNew(info.id, opening).catch(SandboxError.from)];
    }
    const id =
      from === 'HEAD'
        ? await snapshotNow(this.connection, 'fork', { memory })
        : await this.history.resolve(from);
    const fork = async () =>
      this.#openNew((await this.connection.history.fork({ id, ...named })).id, opening);
    const forks: (Sandbox | SandboxError)[] = [];
    for (let index = 0; index < count; index++) forks.push(await fork().catch(SandboxError.from));
    return forks;
  }

  /**
   * Begins a layer over this sandbox: a fork of it as it is now, whose changes are kept here as one step, or dropped.
   * @throws what `fork` fails with
   */
  async session(options: { name?: string } = {}): Promise<Session<Sandbox>> {
    const { name = `${this.info.name} session` } = options;
    const base = await snapshotNow(this.connection, 'session');
    const [sandbox] = await this.fork({ from: base, name });
    if (!(sandbox instanceof Sandbox)) throw sandbox;
    return new Session({ parent: this, sandbox, base, backend: this.#backend });
  }

  /**
   * Races candidates: runs each command, and then a test, in a fork of its own, and keeps the files of the one that the judge
   * prefers. Losers are ended and deleted at once; nothing of them is left when it resolves or rejects. Nobody winning is a value.
   * @throws invalid-argument, limit-exceeded, aborted, not-found (no such base); storage-full where the winner cannot be kept
   */
  async tournament(options: TournamentOptions): Promise<Tournament> {
    const { runTournament } = await import('./tournament/run-tournament.ts');
    const { info, connection, hooks } = this;
    return runTournament({ info, connection, hooks, backend: this.#backend }, options);
  }

  /**
   * Opens a sandbox in another backend that continues from a snapshot of this one: the same snapshot id,
   * the same image. What moves is what the image does not have. This sandbox stays as it is; when
   * the copy is refused or aborted, nothing of it is left.
   * @throws asset-unavailable when that backend lacks the image; unsupported when it cannot run it;
   * not-found, storage-full, busy, aborted
   */
  async copyTo(backend: SandboxBackend, options: CopyOptions = {}): Promise<Sandbox> {
    const { id } = await copyToBackend(this, { backend, ...options });
    const { signal } = options;
    return this.#openNew(id, { backend, ...(signal ? { signal } : {}) });
  }

  /**
   * Adds a snapshot of this sandbox to the history of `other`, which may be in another backend and has
   * to be of the same image: beside its HEAD, to be checked out or not. What moves is what neither
   * the image nor the snapshots that both have refer to.
   * @throws invalid-argument (another image), not-found, storage-full, busy, read-only, aborted
   */
  async copyInto(
    other: Sandbox,
    options: Omit<CopyOptions, 'name' | 'memoryMiB' | 'diskMiB' | 'runtime' | 'settings'> = {},
  ): Promise<SnapshotInfo> {
    return copyIntoSandbox(this, { other, ...options });
  }

  /**
   * What differs from a snapshot (an id, a prefix of one, a tag, `HEAD`) or `'now'` to another, which may be one of
   * another sandbox of the same backend: `diff('now', { sandbox: fork.id, snapshot: 'HEAD' })`.
   * @throws not-found, conflict
   */
  async diff(from: string, to: string | SnapshotRef): Promise<Change[]> {
    const other = typeof to === 'string' ? await this.#tree(to) : to;
    return this.connection.history.diff({ from: await this.#tree(from), to: other });
  }

  /** One that was made of this just now: where it cannot be opened it is deleted, as nobody would know of it. */
  async #openNew(
    id: string,
    {
      backend,
      ...options
    }: StartOptions & Omit<ConnectOptions, 'hooks'> & { readonly backend: SandboxBackend },
  ): Promise<Sandbox> {
    try {
      return await Sandbox.open(id, { backend, ...options, ...this.#withHooks });
    } catch (error) {
      await backend.delete({ id }).catch(() => undefined);
      throw error;
    }
  }

  get #withHooks(): ConnectOptions {
    return this.hooks ? { hooks: this.hooks } : {};
  }

  async #tree(reference: string): Promise<TreeRef> {
    if (reference === 'now' || isSnapshotId(reference)) return reference;
    return this.history.resolve(reference);
  }

  /**
   * All files as a tar archive, now or at a snapshot, made while it is read: `for await` its pieces. With `path`,
   * what is below that directory: files, directories and links, as `importTar` takes them.
   * A file that cannot be read ends it with `missing-object`.
   */
  async exportTar({ at = 'now', ...options }: { at?: TreeRef } & ArchiveOptions = {}): Promise<Archive> {
    return new Archive(await this.connection.transfer.exportTar({ at, ...options }));
  }

  /**
   * Unpacks a tar archive, or a gzip of one, into a directory that there is: all of it, or nothing. What is there
   * under the same names is replaced; what is new belongs to whom the directory belongs to.
   * @throws invalid-argument that names what is not taken: paths that lead out, devices, what lies beneath a link;
   * limit-exceeded, not-found, storage-full, unsupported, aborted
   */
  async importTar(source: AsyncIterable<Uint8Array>, options: UnpackOptions): Promise<UnpackedArchive> {
    const { unpackArchive } = await import('../protocol/archive/unpack-archive.ts');
    return unpackArchive(this.connection, source, options);
  }

  /**
   * Replaces all files by those of a tar archive, or a gzip of one, such as `exportTar` makes of all files, as a new snapshot. What was
   * there is `previousHead`. Every process ends; where it is refused or aborted, nothing has changed.
   * @throws invalid-argument that names the member that is not taken; limit-exceeded, busy, storage-full, aborted
   */
  restoreTar(source: AsyncIterable<Uint8Array>, options?: RestoreTarOptions): Promise<CheckoutResult> {
    return restoreTar(this.connection, source, options);
  }

  /**
   * Records what all clients do in the sandbox from now on, as one file (docs/reference/recording-file.md): `for await` its pieces while the
   * session goes on. @throws limit-exceeded, forbidden
   */
  record(options: RecordOptions = {}): Promise<SandboxRecording> {
    return SandboxRecording.start(this.connection, options);
  }

  /**
   * A session that was not recorded, as a recording of what is kept anyway: snapshots, the commands that they name, and what the first
   * terminal showed at checkpoints. `for await` its pieces, once. @throws not-found, invalid-argument
   */
  async *saveSession(options: PastOptions = {}): AsyncGenerator<Uint8Array, void> {
    yield* new Archive(await this.connection.recording.save(options));
  }

  storage(): Promise<StorageInfo> {
    return this.connection.info.storage();
  }

  /** What it is and did, in one look; what is not known of it is absent. */
  report(): Promise<SandboxReport> {
    return this.connection.info.report();
  }

  /** Events after `after` that are still kept, then as they come. */
  subscribe(listener: (event: SandboxEvent) => void, options: { after?: number } = {}): Promise<() => void> {
    return this.connection.events.subscribe({ after: options.after ?? 0 }, listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Ends what it runs, and this use of it; its history stays. Where its last changes cannot be saved and would be lost, it
   * stays open and this throws why, unless they are to be discarded.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    await this.connection.close(options);
    const host = this.#host;
    this.#host = undefined;
    await host?.[Symbol.asyncDispose]();
  }
}

function requireBackend(): SandboxBackend {
  if (defaultBackend) return defaultBackend;
  throw new SandboxError('invalid-argument', 'No backend: pass { backend } or call setDefaultBackend first');
}
