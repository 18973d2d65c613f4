import { SandboxError } from '../../protocol/errors.ts';
import type { RunningMachine, SandboxMachine } from '../../sandbox/machine/sandbox-machine.ts';
import { TreeFiles } from '../../shell/files/tree-files.ts';
import { createPrograms } from '../../shell/programs/create-programs.ts';
import type { StartProgramWorker } from '../../shell/programs/wasm/program-worker.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { choosePrograms } from './commands/choose-programs.ts';
import type { ShellCustomization } from './commands/shell-customization.ts';
import { ShellFileChanger } from './file-changer.ts';
import { gitProgram } from './git/command/git-program.ts';
import { LoadedGit } from './git/loaded-git.ts';
import { TreeGitFiles } from './git/tree-git-files.ts';
import { ShellProcessStarter } from './process-starter.ts';

export interface ShellMachineOptions extends ShellCustomization {
  /** Servers that the command `git` may talk to, by name and port, such as `git.example.org`; none by default. */
  readonly gitServers?: readonly string[] | undefined;
  /** Servers that `sandbox.git` may talk to, whatever a repository says; all that this process reaches by default. */
  readonly clientGitServers?: readonly string[] | undefined;
  /** Starts threads for programs of WebAssembly (`jq`, `sqlite3`, `js`), which are missing without it. */
  readonly startWorker?: StartProgramWorker | undefined;
}

/** Bash in this process, whose files are the live tree itself: there is nothing to start and nothing to write back. */
export class ShellMachine implements SandboxMachine {
  readonly #files: TreeFiles;
  readonly #changer: ShellFileChanger;
  readonly #gitFiles: TreeGitFiles;
  readonly #gitServers: readonly string[];
  readonly #clientGitServers: readonly string[] | undefined;
  readonly #customization: ShellCustomization;
  readonly #startWorker: StartProgramWorker | undefined;
  #processes: ShellProcessStarter;
  #git: LoadedGit;
  #replaced = 0;
  #isDisposed = false;

  constructor(
    tree: LiveTree,
    { gitServers = [], clientGitServers, startWorker, ...customization }: ShellMachineOptions = {},
  ) {
    this.#files = new TreeFiles(tree);
    this.#changer = new ShellFileChanger(this.#files);
    this.#gitFiles = new TreeGitFiles(this.#files, this.#changer);
    this.#gitServers = gitServers;
    this.#clientGitServers = clientGitServers;
    this.#customization = customization;
    this.#startWorker = startWorker;
    this.#processes = this.#newProcesses();
    this.#git = this.#newGit();
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start(): Promise<void> {}

  async running(): Promise<RunningMachine> {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
    return { processes: this.#processes, files: this.#changer, git: () => this.#git.get() };
  }

  async sync(): Promise<boolean> {
    return !this.#isDisposed;
  }

  async replaceFiles(change: () => void): Promise<void> {
    this.#replaced++;
    await Promise.all([this.#processes.close('checkout'), this.#git.close()]);
    change();
    this.#processes = this.#newProcesses();
    this.#git = this.#newGit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([this.#processes.close('machine-failed'), this.#git.close()]);
  }

  #newGit(): LoadedGit {
    return new LoadedGit(this.#gitFiles, { servers: this.#clientGitServers });
  }

  #newProcesses(): ShellProcessStarter {
    const git = gitProgram({
      git: () => this.#git.get(),
      files: this.#gitFiles,
      servers: this.#gitServers,
    });
    const { transform, ...choice } = this.#customization;
    const all = new Map([...createPrograms({ startWorker: this.#startWorker }), ['git', git]]);
    const { programs, ...chosen } = choosePrograms(all, choice);
    return new ShellProcessStarter(this.#files, programs, { ...chosen, transform });
  }
}
