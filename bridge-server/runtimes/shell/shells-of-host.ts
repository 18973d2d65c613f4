import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { CreateOptions } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { firstTree } from '../../../runtimes/shell/first-tree.ts';
import type { LocalBackend } from '../../../sandbox/backend/local-backend.ts';
import type { ResourceRules } from '../../../sandbox/backend/resources.ts';
import type { FilesDriver } from '../../../sandbox/backend/runtime-driver.ts';
import type { SandboxRecords } from '../../../sandbox/backend/sandbox-records.ts';
import type { HostBackend } from '../../host-backend.ts';
import { type ShellProcess, startShellProcess } from './shell-process.ts';
import type { ShellSettings } from './shell-settings.ts';
import { watchedConnection } from './watched-connection.ts';

/** What shells of a host may use: memory and disk as its jails, and nothing that a kernel would hold. */
export function shellResources({ memoryMiB, diskMiB }: ResourceRules): ResourceRules {
  return {
    memoryMiB,
    diskMiB,
    lacks: { network: 'a shell has none, and `sandbox.git` reaches servers without' },
  };
}

/** What the bridge knows of its shells while none is open: another process runs each. */
export function shellsAtRest(resources: ResourceRules): FilesDriver {
  return {
    runtime: 'shell',
    resources,
    reachesGit: true,
    firstFiles: firstTree,
    start: async ({ id }) => {
      throw new SandboxError('internal', `Sandbox "${id}" runs in a process of its own`);
    },
  };
}

export interface ShellsOptions {
  readonly records: SandboxRecords;
  readonly settings: ShellSettings;
}

/** The sandboxes of a host, of which those of runtime `shell` run in a process each. Owns the one that waits for the next. */
export interface ShellsOfHost extends AsyncDisposable {
  readonly backend: HostBackend;
}

export function shellsOfHost(host: LocalBackend, { records, settings }: ShellsOptions): ShellsOfHost {
  const spare = new SpareProcess({ records, settings });
  const open = async (
    memoryMiB: number,
    {
      signal,
      start,
    }: { signal: AbortSignal | undefined; start: (process: ShellProcess) => Promise<SandboxConnection> },
  ): Promise<SandboxConnection> => {
    throwIfAborted(signal, 'Cannot start the shell');
    const process = await spare.take(memoryMiB);
    // It may be held by what it was told to give up.
    let deadline: NodeJS.Timeout | undefined;
    const unlisten = listenAbort(signal, () => {
      deadline = setTimeout(() => void process[Symbol.asyncDispose](), limits.abortTimeoutMs);
    });
    try {
      const connection = watchedConnection(await start(process), process);
      spare.prepare();
      return connection;
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    } finally {
      clearTimeout(deadline);
      unlisten();
    }
  };
  const usualMiB = settings.resources.memoryMiB.usual ?? settings.resources.memoryMiB.max;
  /** What a new sandbox may use of memory, if it is a shell. */
  const memoryOf = async ({ from, runtime, memoryMiB }: CreateOptions): Promise<number | undefined> => {
    const parent = from && (await records.get(from.sandbox));
    const isShell = (parent?.runtime ?? runtime) === 'shell';
    return isShell
      ? Math.min(memoryMiB ?? parent?.memoryMiB ?? usualMiB, settings.resources.memoryMiB.max)
      : undefined;
  };
  const { images } = host;
  const backend: HostBackend = {
    create: async (options, onProgress) => {
      const memoryMiB = await memoryOf(options);
      if (memoryMiB === undefined) return host.create(options, onProgress);
      const { signal } = options;
      return open(memoryMiB, { signal, start: (process) => process.backend.create(options, onProgress) });
    },
    open: async (options, onProgress) => {
      const { runtime, memoryMiB } = await records.get(options.id);
      if (runtime !== 'shell') return host.open(options, onProgress);
      const { signal } = options;
      return open(memoryMiB, { signal, start: (process) => process.backend.open(options, onProgress) });
    },
    connect: (ask) => host.connect(ask),
    exportTar: (ask) => host.exportTar(ask),
    openImport: (options) => host.openImport(options),
    list: () => host.list(),
    delete: (ask) => host.delete(ask),
    rename: (ask) => host.rename(ask),
    setTimeout: (ask) => host.setTimeout(ask),
    findSnapshot: (reference, options) => host.findSnapshot(reference, options),
    expired: (nowMs) => host.expired(nowMs),
    ...(images && { images }),
  };
  return { backend, [Symbol.asyncDispose]: () => spare[Symbol.asyncDispose]() };
}

/** A process that stands ready for the next shell, once there has been one: a start takes most of a second. */
class SpareProcess implements AsyncDisposable {
  readonly #options: ShellsOptions;
  readonly #usualMiB: number;
  #ready: Promise<ShellProcess> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: ShellsOptions) {
    this.#options = options;
    const { usual, max } = options.settings.resources.memoryMiB;
    this.#usualMiB = usual ?? max;
  }

  /** One with that much memory, the caller's from now on. @throws machine-failed, timeout */
  async take(memoryMiB: number): Promise<ShellProcess> {
    const ready = memoryMiB === this.#usualMiB ? this.#ready : undefined;
    if (ready) {
      this.#ready = undefined;
      const process = await ready.catch(() => undefined);
      if (process && !process.hasEnded) return process;
    }
    return startShellProcess({ ...this.#options, memoryMiB });
  }

  /** Has one stand ready for a while. */
  prepare(): void {
    if (this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#drop(), limits.idleSandboxMs).unref();
    if (this.#ready) return;
    this.#ready = startShellProcess({ ...this.#options, memoryMiB: this.#usualMiB });
    this.#ready.catch(() => undefined); // The next sandbox starts another, and gets its error.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#drop();
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#timer);
    const ready = this.#ready;
    this.#ready = undefined;
    const process = await ready?.catch(() => undefined);
    await process?.[Symbol.asyncDispose]();
  }
}
