import { SandboxError } from '../../protocol/errors.ts';
import type { CommandResult, RunOptions } from '../commands.ts';
import type { OpenSandbox } from '../open-sandbox.ts';
import type { RuntimeNeeds } from './choose-runtime.ts';
import { type CommandInspection, inspectCommand } from './inspect-command.ts';
import type { BroughtBack, RemoteReplica } from './remote-replica.ts';
import { type RunTarget, routeTask, type TaskRoute } from './route-task.ts';

export interface RoutedRunOptions extends RunOptions {
  /** On a host the sandbox's files go there and what changed comes back, which ends what runs here. */
  readonly on: RunTarget;
  /** What the command cannot do without, as far as its caller knows; `auto` looks at its programs itself. */
  readonly needs?: RuntimeNeeds;
}

/** What a command did, and where. */
export interface RoutedResult extends CommandResult, TaskRoute {
  /** Absent when it ran here, or changed no file. */
  readonly broughtBack?: BroughtBack;
}

/** Runs a command where it is told to, or where it is better off. @throws unsupported when there is no host for it */
export async function runRouted(
  sandbox: OpenSandbox,
  task: {
    readonly command: string | readonly string[];
    readonly options: RoutedRunOptions;
    readonly host: RemoteReplica | undefined;
  },
): Promise<RoutedResult> {
  const { command, host } = task;
  const { on: _on, needs = {}, ...options } = task.options;
  const route = await findRoute(sandbox, task);
  if (route.ranOn === 'here' || !host) {
    return { ...(await sandbox.commands.run(command, { ...options, background: false })), ...route };
  }
  const { result, broughtBack } = await host.run({ command, options, memoryMiB: needs.memoryMiB });
  return { ...result, ...route, ...(broughtBack ? { broughtBack } : {}) };
}

async function findRoute(
  sandbox: OpenSandbox,
  { command, options, host }: Parameters<typeof runRouted>[1],
): Promise<TaskRoute> {
  const { on, needs = {}, cwd, user, signal, timeoutMs } = options;
  if (on === 'here') return { ranOn: 'here', why: 'as asked' };
  if (on === 'host') {
    if (host) return { ranOn: 'host', why: 'as asked' };
    throw new SandboxError('unsupported', 'Cannot run on a host: the sandbox knows none (useHost)', {
      details: { feature: 'host' },
    });
  }
  if (!host) return { ranOn: 'here', why: 'the sandbox knows no host (useHost)' };
  const look = await inspectCommand(sandbox.connection, { command, cwd, user, signal }).catch(nothingSeen);
  return routeTask({ needs, look }, { here: sandbox.info, host: host.name, patienceMs: timeoutMs });
}

/** A sandbox that is busy, or has no such directory, tells nothing of the command, which may run all the same. */
function nothingSeen(cause: unknown): CommandInspection {
  const { code } = SandboxError.from(cause);
  if (code !== 'not-found' && code !== 'timeout' && code !== 'limit-exceeded') throw cause;
  return { is64Bit: false, uses64BitLibraries: false, missing: undefined };
}
