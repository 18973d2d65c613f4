import { SandboxError } from '../../protocol/errors.ts';
import type { RunningMachine, SandboxMachine } from '../../sandbox/machine/sandbox-machine.ts';
import { TreeFiles } from '../../shell/files/tree-files.ts';
import { createPrograms } from '../../shell/programs/create-programs.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { ShellFileChanger } from './file-changer.ts';
import { ShellProcessStarter } from './process-starter.ts';

/** Bash in this process, whose files are the live tree itself: there is nothing to start and nothing to write back. */
export class ShellMachine implements SandboxMachine {
  readonly #files: TreeFiles;
  readonly #changer: ShellFileChanger;
  #processes: ShellProcessStarter;
  #replaced = 0;
  #isDisposed = false;

  constructor(tree: LiveTree) {
    this.#files = new TreeFiles(tree);
    this.#changer = new ShellFileChanger(this.#files);
    this.#processes = this.#newProcesses();
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start(): Promise<void> {}

  async running(): Promise<RunningMachine> {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
    return { processes: this.#processes, files: this.#changer };
  }

  async sync(): Promise<boolean> {
    return !this.#isDisposed;
  }

  async replaceFiles(change: () => void): Promise<void> {
    this.#replaced++;
    await this.#processes.close('checkout');
    change();
    this.#processes = this.#newProcesses();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#processes.close('machine-failed');
  }

  #newProcesses(): ShellProcessStarter {
    return new ShellProcessStarter(this.#files, createPrograms());
  }
}
