import type { WebContainer } from '@webcontainer/api';
import { orAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { RunningMachine, SandboxMachine } from '../../sandbox/machine/sandbox-machine.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { bootWebContainer, type WebContainerHost } from './boot-webcontainer.ts';
import { WebContainerProcessStarter } from './process-starter.ts';
import { WebContainerFiles } from './webcontainer-files.ts';

export interface WebContainerMachineOptions extends WebContainerHost {
  /** A program listens, and can be seen at `url`. */
  readonly onServerReady?: ((port: number, url: string) => void) | undefined;
}

interface Booted {
  readonly container: WebContainer;
  readonly files: WebContainerFiles;
  processes: WebContainerProcessStarter;
}

/** A WebContainer as the machine of a sandbox, whose root is the container's working directory. */
export class WebContainerMachine implements SandboxMachine {
  readonly #tree: LiveTree;
  readonly #options: WebContainerMachineOptions;
  #booting: Promise<Booted> | undefined;
  #replaced = 0;
  #isDisposed = false;

  constructor(tree: LiveTree, options: WebContainerMachineOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#booting ??= this.#boot();
    this.#booting.catch(() => undefined); // Told here, unless it was aborted.
    await orAborted(this.#booting, { signal, what: 'Cannot start the sandbox' });
  }

  async running(): Promise<RunningMachine> {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
    await this.start();
    const { processes, files } = await this.#booted();
    return { processes, files };
  }

  async sync(): Promise<boolean> {
    if (this.#isDisposed || !this.#booting) return false;
    const { files, processes } = await this.#booted();
    // A program that runs may have changed anything.
    if (processes.isBusy) files.noteChange();
    await files.sync();
    return true;
  }

  async replaceFiles(change: () => void): Promise<void> {
    this.#replaced++;
    if (!this.#booting) return change();
    const booted = await this.#booting;
    await booted.processes.close('checkout');
    let hasChanged = false;
    const changeOnce = (): void => {
      hasChanged = true;
      change();
    };
    try {
      await booted.files.replace(changeOnce);
      booted.processes = this.#processesOf(booted);
    } catch (cause) {
      if (!hasChanged) throw cause;
      this.#bootAnew(booted);
      await this.#booting?.catch(() => undefined); // There is none then, as whoever runs something is told.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const booted = await this.#booting?.catch(() => undefined);
    if (!booted) return;
    await booted.processes.close('machine-failed');
    booted.files.close();
    booted.container.teardown();
  }

  /** For one whose files could not be put at the tree's. */
  #bootAnew({ container, files }: Booted): void {
    files.close();
    container.teardown();
    this.#booting = this.#boot();
  }

  #booted(): Promise<Booted> {
    return (
      this.#booting ?? Promise.reject(new SandboxError('connection-lost', 'The WebContainer has not started'))
    );
  }

  async #boot(): Promise<Booted> {
    const container = await bootWebContainer(this.#options);
    try {
      const { onServerReady } = this.#options;
      if (onServerReady) container.on('server-ready', onServerReady);
      const files = await WebContainerFiles.open(container, this.#tree);
      return { container, files, processes: this.#processesOf({ container, files }) };
    } catch (cause) {
      container.teardown();
      throw SandboxError.from(cause);
    }
  }

  #processesOf({ container, files }: Pick<Booted, 'container' | 'files'>): WebContainerProcessStarter {
    return new WebContainerProcessStarter(container, { onChange: () => files.noteChange() });
  }
}
