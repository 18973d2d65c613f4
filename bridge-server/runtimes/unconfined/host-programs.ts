import { stat } from 'node:fs/promises';
import { commandArguments } from '../../../protocol/command-arguments.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { MachineProcessListener } from '../../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import type { OutputOptions, ProcessStarter } from '../../../sandbox/machine/machine-ports.ts';
import { type HostProgram, startHostProgram } from './host-program.ts';
import { pathBelow } from './path-below.ts';

interface HostProgramsOptions {
  /** Where they begin: an absolute path without links. */
  readonly folder: string;
  /** What they get, beside variables of their own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs programs of the host, without walls: as this process's user, with all of that user's files, processes and variables. They
 * begin in a folder or below it. Disposing of it ends them and all that they have started.
 */
export class HostPrograms implements ProcessStarter, AsyncDisposable {
  readonly #options: HostProgramsOptions;
  /** Those that start or run. */
  readonly #running = new Set<Promise<HostProgram>>();
  #isDisposed = false;

  constructor(options: HostProgramsOptions) {
    this.#options = options;
  }

  async start(
    request: ExecRequest,
    listener: MachineProcessListener,
    { hasStatus = false }: OutputOptions = {},
  ): Promise<ProcessHandle> {
    if (request.pty || hasStatus) throw noTerminal();
    const { folder, environment } = this.#options;
    const { argv } = commandArguments(request);
    const cwd = pathBelow(folder, request.cwd ?? '.');
    if (!(await stat(cwd).catch(() => undefined))?.isDirectory()) {
      throw new SandboxError('not-found', `Cannot start the process: there is no directory "${cwd}"`);
    }
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The working folder was closed');
    const starting = startHostProgram({
      argv,
      cwd,
      environment: { ...environment, SHLVL: shellLevel(environment), PWD: cwd, ...request.envs },
      hasInput: request.stdin === true,
      listener,
    });
    this.#running.add(starting);
    const forget = () => this.#running.delete(starting);
    void starting.then(({ ended }) => ended).then(forget, forget);
    return starting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all(
      [...this.#running].map(async (starting) => {
        const program = await starting.catch(() => undefined);
        await program?.kill();
        await program?.ended;
      }),
    );
  }
}

/**
 * Of a shell that is not the first: what Node makes for a pipe is a socket, and a first bash takes that for a connection of rsh, for which it
 * runs the user's `.bashrc`.
 */
function shellLevel({ SHLVL }: HostProgramsOptions['environment']): string {
  return SHLVL !== undefined && Number(SHLVL) >= 1 ? SHLVL : '1';
}

function noTerminal(): SandboxError {
  const message = 'Programs of the host itself have no terminal here: run the command itself for one';
  return new SandboxError('unsupported', message, { details: { feature: 'pty' } });
}
