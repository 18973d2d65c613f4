import { orAborted } from '../protocol/abort.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { NetworkFlow } from '../protocol/network-log.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { CommandResult, CommandWatcher, RunOptions, WatchedCommand } from './commands.ts';
import { hasTelemetry, startCommandSpan } from './telemetry.ts';

/** A command of a sandbox, as hooks see it. */
export interface HookedCommand extends Pick<RunOptions, 'cwd' | 'envs' | 'user'> {
  readonly sandbox: string;
  readonly command: string | readonly string[];
}

/** What a sandbox was kept from, or ran into. What it says of names and addresses comes from the sandbox. */
export type Violation = {
  readonly sandbox: string;
  readonly message: string;
  /** Absent for a connection that was denied since the last command, such as one of a program in the background. */
  readonly command?: HookedCommand['command'];
} & (
  | { readonly type: 'refused' | 'timeout' | 'out-of-memory' | 'disk-limit' | 'limit-exceeded' }
  | { readonly type: 'network'; readonly flow: NetworkFlow }
);

/**
 * Called around the commands and terminals of a sandbox and of those that are made from it: forks, sessions and copies. A
 * command waits for them.
 */
export interface SandboxHooks {
  /** Before a command starts. What it answers runs instead; when it throws, the command is refused with `forbidden`. */
  onCommand?(
    command: HookedCommand,
  ): HookedCommand['command'] | undefined | Promise<HookedCommand['command'] | undefined>;
  /** After a command, but not a terminal. What it throws, the command's caller gets. */
  onResult?(result: CommandResult, command: HookedCommand): void | Promise<void>;
  /**
   * When a command was refused, or ended for want of time, memory or disk or by a limit of its shell, and before and after a command for each
   * connection that the network's policy denied since the first. What it throws is ignored.
   */
  onViolation?(violation: Violation): void | Promise<void>;
}

type Command = HookedCommand['command'];
type Violated = Violation['type'];

/** Reasons for which a command was ended by a limit. */
const limitReasons: Readonly<Partial<Record<CommandResult['reason'], Exclude<Violated, 'network'>>>> = {
  timeout: 'timeout',
  'out-of-memory': 'out-of-memory',
  'disk-limit': 'disk-limit',
};

/** Calls the hooks of a sandbox, and makes its commands' spans. */
export class CommandHooks implements CommandWatcher {
  readonly #connection: SandboxConnection;
  readonly #info: SandboxInfo;
  readonly #hooks: SandboxHooks;
  #lastFlow: number | undefined;

  constructor(parts: { info: SandboxInfo; connection: SandboxConnection; hooks: SandboxHooks | undefined }) {
    this.#info = parts.info;
    this.#connection = parts.connection;
    this.#hooks = parts.hooks ?? {};
  }

  begin(command: Command, options: RunOptions): Promise<WatchedCommand> | undefined {
    const { onCommand, onResult, onViolation } = this.#hooks;
    if (!onCommand && !onResult && !onViolation && !hasTelemetry()) return undefined;
    return this.#begin(command, options);
  }

  /** The command to run. @throws forbidden */
  async admit(command: Command, options: Pick<RunOptions, 'cwd' | 'envs' | 'user'>): Promise<Command> {
    if (!this.#hooks.onCommand) return command;
    try {
      return (await this.#hooks.onCommand(this.#describe(command, options))) ?? command;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `Cannot run ${JSON.stringify(command)}: a hook refused it (${why})`;
      await this.#tell({ type: 'refused', message, command });
      throw new SandboxError('forbidden', message, { cause });
    }
  }

  async #begin(asked: Command, options: RunOptions): Promise<WatchedCommand> {
    const span = startCommandSpan(this.#info, asked);
    try {
      const { signal } = options;
      const what = `Cannot run ${JSON.stringify(asked)}`;
      const command = await orAborted(this.admit(asked, options), { signal, what });
      await orAborted(this.#tellDenied(undefined), { signal, what });
      const finish = async (ended: Promise<CommandResult>): Promise<CommandResult> => {
        const result = await ended.catch(async (cause: unknown) => {
          const { code, message } = SandboxError.from(cause);
          span?.fail(code);
          if (code === 'limit-exceeded') await this.#tell({ type: code, message, command });
          throw cause;
        });
        span?.end(result);
        const tellEnd = async () => {
          await this.#tellLimits(result, command);
          await this.#hooks.onResult?.(result, this.#describe(command, options));
        };
        await orAborted(tellEnd(), { signal, what: `Cannot tell hooks of ${JSON.stringify(command)}` });
        return result;
      };
      return { command, finish };
    } catch (cause) {
      span?.fail(SandboxError.from(cause).code);
      throw cause;
    }
  }

  #describe(command: Command, { cwd, envs, user }: Pick<RunOptions, 'cwd' | 'envs' | 'user'>): HookedCommand {
    return {
      sandbox: this.#info.id,
      command,
      ...(cwd === undefined ? {} : { cwd }),
      ...(envs === undefined ? {} : { envs }),
      ...(user === undefined ? {} : { user }),
    };
  }

  async #tellLimits({ reason, exitCode, limit }: CommandResult, command: Command): Promise<void> {
    if (!this.#hooks.onViolation) return;
    const type = limitReasons[reason];
    if (type) {
      await this.#tell({ type, message: `The command ended with ${exitCode}: ${reason}`, command });
    } else if (limit !== undefined) {
      const message = `The command ended with ${exitCode}: limit ${limit}`;
      await this.#tell({ type: 'limit-exceeded', message, command });
    }
    await this.#tellDenied(command);
  }

  /** Tells of connections that were denied since the last look; the first look is for those that follow it. */
  async #tellDenied(command: Command | undefined): Promise<void> {
    if (!this.#hooks.onViolation || this.#info.network !== 'full') return;
    const log = await this.#connection.network.log().catch(() => undefined);
    if (!log) return;
    const from = this.#lastFlow ?? Number.POSITIVE_INFINITY;
    this.#lastFlow = Math.max(this.#lastFlow ?? 0, ...log.flows.map(({ id }) => id));
    for (const flow of log.flows) {
      if (flow.id <= from || flow.verdict !== 'denied') continue;
      const where = flow.name ?? flow.address ?? 'an address';
      const message = `The network's policy denied ${where}${flow.port === undefined ? '' : `:${flow.port}`}`;
      await this.#tell({ type: 'network', message, ...(command === undefined ? {} : { command }), flow });
    }
  }

  async #tell(violation: DistributiveOmit<Violation, 'sandbox'>): Promise<void> {
    try {
      await this.#hooks.onViolation?.({ sandbox: this.#info.id, ...violation });
    } catch {
      // It is told, and has no say.
    }
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
