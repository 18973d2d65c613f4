import type { WebContainer } from '@webcontainer/api';
import { orAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { MachineListener } from '../../sandbox/local-sandbox-parts.ts';
import type { RunningMachine, SandboxMachine, SyncOptions } from '../../sandbox/machine/sandbox-machine.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { bootWebContainer, type WebContainerHost } from './boot-webcontainer.ts';
import { HostWatch, isLate, orLate } from './host-watch.ts';
import { webcontainerLimits } from './limits.ts';
import { WebContainerProcessStarter } from './process-starter.ts';
import { WebContainerFiles } from './webcontainer-files.ts';

interface MachineParts {
  readonly tree: LiveTree;
  readonly listener: Pick<MachineListener, 'onFailure' | 'onChanged' | 'onPort'>;
  readonly boot?: ((host: WebContainerHost) => Promise<WebContainer>) | undefined;
}

interface Booted {
  readonly container: WebContainer;
  readonly host: HostWatch;
  readonly files: WebContainerFiles;
  processes: WebContainerProcessStarter;
}

/**
 * A WebContainer as the machine of a sandbox, whose root is the container's working directory. One whose host does not answer any
 * more has failed: the package cannot boot another in that page.
 */
export class WebContainerMachine implements SandboxMachine {
  readonly #options: WebContainerHost;
  readonly #parts: MachineParts;
  #booting: Promise<Booted> | undefined;
  #current: Booted | undefined;
  #replaced = 0;
  #isDisposed = false;

  constructor(options: WebContainerHost, parts: MachineParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    await orAborted(this.#booted(), { signal, what: 'Cannot start the sandbox' });
  }

  async running(): Promise<RunningMachine> {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
    const { host, processes, files } = await this.#booted();
    if (host.failure) throw host.failure;
    return { processes, files };
  }

  async sync({ timeoutMs, mustAnswer = false }: SyncOptions = {}): Promise<boolean> {
    if (this.#isDisposed || !this.#booting) return false;
    const syncing = this.#bringUpToDate();
    try {
      return await (timeoutMs === undefined ? syncing : orLate(syncing, timeoutMs));
    } catch (cause) {
      const isSilent = isLate(cause) || SandboxError.from(cause).code === 'machine-failed';
      if (mustAnswer || !isSilent) throw cause;
      return false;
    }
  }

  async replaceFiles(change: () => void, { obeys }: { obeys: boolean }): Promise<void> {
    this.#replaced++;
    const booted = await this.#booting?.catch(() => undefined);
    // One that is not there is booted with those files.
    if (!booted) return change();
    await booted.processes.close('checkout');
    if (booted.host.failure) return change();
    let hasChanged = false;
    const changeOnce = (): void => {
      hasChanged = true;
      change();
    };
    if (obeys && (await this.#replaceInPlace(booted, changeOnce))) return;
    if (!hasChanged) change();
    if (!booted.host.failure) await this.#bootAnew(booted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (!this.#booting) return;
    const ending = this.#booting.then((booted) => this.#end(booted)).catch(() => undefined); // It is not there.
    // A boot cannot be broken off: what comes of it ends then.
    if (!this.#current) return;
    await orLate(ending, webcontainerLimits.endMs).catch(() => undefined); // It ends on its own, or with the page.
  }

  async #bringUpToDate(): Promise<boolean> {
    const booted = await this.#booting?.catch(() => undefined);
    if (!booted || booted.host.failure) return false;
    const { files, processes } = booted;
    // A program that runs may have changed anything.
    if (processes.isBusy) files.noteChange();
    await files.sync();
    return true;
  }

  async #replaceInPlace(booted: Booted, change: () => void): Promise<boolean> {
    try {
      await booted.files.replace(change);
      booted.processes = this.#processesOf(booted);
      return true;
    } catch {
      return false;
    }
  }

  /** For one whose files could not be put at the tree's. Where it fails there is none, and the next who needs one tries again. */
  async #bootAnew({ container, files }: Booted): Promise<void> {
    files.close();
    container.teardown();
    this.#booting = undefined;
    this.#current = undefined;
    await this.#booted().catch((cause) => this.#parts.listener.onFailure(SandboxError.from(cause)));
  }

  async #end({ container, files, processes }: Booted): Promise<void> {
    await processes.close('machine-failed');
    files.close();
    container.teardown();
  }

  #booted(): Promise<Booted> {
    if (this.#booting) return this.#booting;
    const booting = this.#boot();
    this.#booting = booting;
    booting.catch(() => {
      if (this.#booting === booting) this.#booting = undefined;
    });
    return booting;
  }

  async #boot(): Promise<Booted> {
    const { tree, listener, boot = bootWebContainer } = this.#parts;
    const container = await boot(this.#options);
    try {
      container.on('port', (port, type, url) => {
        if (!this.#isDisposed) listener.onPort({ port, isOpen: type === 'open', url });
      });
      const host = new HostWatch((error) => this.#noteFailure(host, error));
      const onReadBackFailed = () => listener.onChanged();
      const files = await WebContainerFiles.open({ container, host, tree, onReadBackFailed });
      const booted = { container, host, files, processes: this.#processesOf({ container, host, files }) };
      this.#current = booted;
      return booted;
    } catch (cause) {
      container.teardown();
      throw SandboxError.from(cause);
    }
  }

  /** Of one that was replaced, or is still being booted, others tell. */
  #noteFailure(host: HostWatch, error: SandboxError): void {
    if (this.#current?.host !== host || this.#isDisposed) return;
    void this.#current.processes.close('machine-failed');
    this.#parts.listener.onFailure(error);
  }

  #processesOf({
    container,
    host,
    files,
  }: Pick<Booted, 'container' | 'host' | 'files'>): WebContainerProcessStarter {
    return new WebContainerProcessStarter(container, {
      host,
      onChange: () => files.noteChange(),
      makeFile: (bytes) => files.makeAside(bytes),
    });
  }
}
