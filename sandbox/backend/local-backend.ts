import { abortable } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type {
  CreateOptions,
  HostImage,
  OpenOptions,
  SandboxBackend,
  SnapshotImportOptions,
  StartOptions,
} from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import type { HandedMachine } from '../memory/handed-machine.ts';
import { expiryAfter, type SandboxRecord } from '../sandbox-settings.ts';
import { SerialQueue } from '../serial-queue.ts';
import { openStoredArchive } from '../transfer/stored-archive.ts';
import { BackendImports } from './backend-imports.ts';
import { findSnapshotHolder, type SnapshotHolder } from './find-snapshot-holder.ts';
import { MachineReceiver } from './machine-receiver.ts';
import { clearUnfinished } from './new-stores.ts';
import { Runtimes } from './runtimes.ts';
import { SandboxCreator } from './sandbox-creator.ts';
import type { SandboxHost } from './sandbox-host.ts';
import { SandboxStarter } from './sandbox-starter.ts';

/** The sandboxes of one host, run by this process. */
export class LocalBackend implements SandboxBackend {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  readonly #starter: SandboxStarter;
  readonly #creator: SandboxCreator;
  readonly #receiver: MachineReceiver;
  readonly #imports: BackendImports;
  readonly #searches = new SerialQueue();

  readonly images?: () => Promise<readonly HostImage[]>;

  constructor(host: SandboxHost) {
    this.#host = host;
    const runtimes = new Runtimes(host.drivers);
    this.#runtimes = runtimes;
    this.#starter = new SandboxStarter(host, { runtimes, onStart: () => this.#receiver.drop() });
    const parts = { runtimes, starter: this.#starter };
    this.#creator = new SandboxCreator(host, parts);
    this.#receiver = new MachineReceiver(host, parts);
    this.#imports = new BackendImports(host, {
      runtimes,
      onMade: (id, tree, base) => this.#starter.noteUnopened(id, tree, base),
    });
    if (runtimes.listImages) this.images = runtimes.listImages;
  }

  create(options: CreateOptions & StartOptions, onProgress: ProgressListener): Promise<SandboxConnection> {
    return this.#creator.create(options, onProgress);
  }

  open(
    { id, ...options }: OpenOptions & StartOptions & { readonly id: string },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const { signal } = options;
    return abortable(() => this.#starter.open(id, options, onProgress), {
      signal,
      what: 'Cannot open the sandbox',
    });
  }

  /** Has what another thread sends ahead of a machine to take over. @throws corrupt-object where it does not follow the last one */
  takeAhead(machine: HandedMachine): Promise<void> {
    return this.#receiver.takeAhead(machine);
  }

  /**
   * Goes on as a fork from a machine that another thread has handed over. It runs when this resolves, and is stored,
   * and listed, soon after: whoever asks for its history waits for that.
   * @throws unsupported where no machine stands ready for it; version-mismatch, corrupt-object, machine-failed, timeout
   */
  takeOver(
    handed: HandedMachine,
    options: { readonly name?: string | undefined },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    return this.#receiver.takeOver(handed, options, onProgress);
  }

  async exportTar({
    id,
    at,
  }: {
    readonly id: string;
    readonly at?: string | undefined;
  }): Promise<ArchiveReader> {
    const record = await this.#host.records.get(id);
    const store = await this.#host.openStore(id, { readOnly: true });
    try {
      return await openStoredArchive(store, { at, image: this.#runtimes.openImageToExport(record) });
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  openImport(options: SnapshotImportOptions): Promise<SnapshotImport> {
    return this.#imports.open(options);
  }

  async connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    throw new SandboxError('unsupported', 'A worker serves its own page only', {
      details: { id, feature: 'connect' },
    });
  }

  async list(): Promise<SandboxInfo[]> {
    clearUnfinished(this.#host).catch((error) => console.info('Unfinished sandboxes are left:', error));
    return (await this.#host.records.list()).map((record) => this.#starter.told(record));
  }

  /** One search at a time: each opens many stores. */
  findSnapshot(
    reference: string,
    { among }: { readonly among: (sandbox: string) => boolean },
  ): Promise<SnapshotHolder> {
    return this.#searches.run(async () => {
      const infos = await this.#host.records.list();
      const ids = infos.map(({ id }) => id).filter(among);
      return findSnapshotHolder(reference, {
        sandboxes: ids.reverse(),
        openStore: (id) => this.#host.openStore(id, { readOnly: true }),
      });
    });
  }

  async delete({ id }: { readonly id: string }): Promise<void> {
    await this.#starter.delete(id);
  }

  async rename({ id, name }: { readonly id: string; readonly name: string }): Promise<SandboxInfo> {
    const { records } = this.#host;
    if (records.rename === undefined) {
      const details = { feature: 'renaming' };
      throw new SandboxError('unsupported', `Cannot rename sandbox "${id}": names stay as they are here`, {
        details,
      });
    }
    return this.#starter.told(await records.rename(id, sandboxName(name)));
  }

  async setTimeout({
    id,
    timeoutMs,
  }: {
    readonly id: string;
    readonly timeoutMs?: number | undefined;
  }): Promise<SandboxInfo> {
    const { records, canExpire = false } = this.#host;
    const told = (record: SandboxRecord) => this.#starter.told(record);
    // Nobody need bring about that it has no end.
    if (timeoutMs === undefined && records.setExpiry === undefined) return told(await records.get(id));
    const expiresAtMs = timeoutMs === undefined ? undefined : expiryAfter(timeoutMs, { canExpire });
    const info = await records.setExpiry?.(id, expiresAtMs);
    return told(info ?? (await records.get(id)));
  }

  /** The sandboxes whose end has come. */
  async expired(nowMs: number): Promise<readonly string[]> {
    return (await this.#host.records.expired?.(nowMs)) ?? [];
  }
}

/** A name for people. @throws invalid-argument */
function sandboxName(name: string): string {
  const line = name.trim();
  if (/^\P{Cc}+$/u.test(line) && line.length <= limits.sandboxNameCharacters) return line;
  const rule = `a name is one line of 1 to ${limits.sandboxNameCharacters} characters`;
  throw new SandboxError('invalid-argument', `Cannot rename the sandbox: ${rule}`);
}
