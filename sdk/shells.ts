import { SandboxError } from '../protocol/errors.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { ShellInfo, ShellOptions } from '../protocol/sandbox/shells.ts';
import { shellProcesses } from '../protocol/shell-processes.ts';
import {
  type CommandHandle,
  type CommandResult,
  Commands,
  type CommandWatcher,
  type RunOptions,
} from './commands.ts';

/**
 * How a shell is opened: a new one, or the one with `id`, or a new one that goes on from a `state` that another shell has saved.
 * With an id, the other options stay what they are there. A state has its own directory and variables; `user` has to be that of the state.
 */
export type OpenShellOptions = ShellOptions & { readonly id?: string; readonly state?: Uint8Array };

/** Options of a run. A shell has its own directory, variables and user. */
export type ShellRunOptions = Omit<RunOptions, 'cwd' | 'envs' | 'user'>;

/**
 * A bash that goes on from one command to the next: directory, variables, functions, aliases, options and history stay.
 * Snapshots have it, so it goes back with a checkout, and forks have it under the same id.
 */
export class Shell implements AsyncDisposable {
  readonly id: string;
  readonly #connection: SandboxConnection;
  readonly #commands: Commands;

  private constructor(
    id: string,
    parts: { readonly connection: SandboxConnection; readonly watcher?: CommandWatcher | undefined },
  ) {
    this.id = id;
    this.#connection = parts.connection;
    this.#commands = new Commands({ processes: shellProcesses(id, parts.connection.shells) }, parts.watcher);
  }

  /** @throws as `ShellsFacet.open` */
  static async open(
    { id, state, cwd, envs, user }: OpenShellOptions,
    parts: { readonly connection: SandboxConnection; readonly watcher?: CommandWatcher | undefined },
  ): Promise<Shell> {
    const { shells } = parts.connection;
    if (id === undefined && state) {
      if (cwd !== undefined || envs !== undefined) throw stateError();
      const restored = await shells.restore({ bytes: state, ...(user === undefined ? {} : { user }) });
      return new Shell(restored.id, parts);
    }
    const info = await shells.open({
      ...(id === undefined ? {} : { id }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(envs === undefined ? {} : { envs }),
      ...(user === undefined ? {} : { user }),
    });
    return new Shell(info.id, parts);
  }

  /** Whether it was opened through a connection. */
  isOf(connection: SandboxConnection): boolean {
    return this.#connection === connection;
  }

  /**
   * Runs a command in the shell to its end, after those before it, or with `background` resolves at once. The command gets
   * its standard input when all of it was given. One that ends the shell, or is killed, leaves the shell as it was before.
   * @throws not-found, busy, limit-exceeded, aborted, connection-lost
   */
  run(command: string, options: ShellRunOptions & { background: true }): Promise<CommandHandle>;
  run(command: string, options?: ShellRunOptions & { background?: false }): Promise<CommandResult>;
  run(
    command: string,
    options: ShellRunOptions & { background?: boolean } = {},
  ): Promise<CommandHandle | CommandResult> {
    const { background, ...rest } = options;
    return background
      ? this.#commands.run(command, { ...rest, background })
      : this.#commands.run(command, { ...rest, background: false });
  }

  /** Where it is, and what of it no snapshot has. @throws not-found */
  info(): Promise<ShellInfo> {
    return this.#connection.shells.open({ id: this.id });
  }

  /**
   * Its directory, variables, functions, aliases, options and history, after its last run: for `sandbox.shell({ state })` of this
   * sandbox or of another, whatever runs it. What `info().lost` names is not in it. @throws not-found
   */
  save(): Promise<Uint8Array> {
    return this.#connection.shells.save({ id: this.id });
  }

  /** Ends it with all that runs in it. @throws not-found */
  close(): Promise<void> {
    return this.#connection.shells.close({ id: this.id });
  }

  /** `close` of one that may be gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close().catch((error) => {
      if (SandboxError.from(error).code !== 'not-found') throw error;
    });
  }
}

function stateError(): SandboxError {
  const message =
    'Cannot open the shell: a saved state has a directory and variables: leave out cwd and envs';
  return new SandboxError('invalid-argument', message);
}
