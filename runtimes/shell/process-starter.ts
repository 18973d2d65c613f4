import { commandArguments } from '../../protocol/command-arguments.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { MachineProcessExit, MachineProcessListener } from '../../protocol/machine-process.ts';
import type { CommandLimits, ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { OutputOptions, ProcessStarter } from '../../sandbox/machine/machine-ports.ts';
import { createShellProcesses } from '../../shell/create-shell-processes.ts';
import type { TreeFiles } from '../../shell/files/tree-files.ts';
import type { Programs } from '../../shell/programs/program.ts';
import { ShellError, ShellLimitError } from '../../shell/shell-error.ts';
import type { ShellProcess, ShellProcesses, ShellProcessesOptions } from '../../shell/shell-processes.ts';
import { isDirectory } from '../../tree/live/file-mode.ts';
import type { ChosenPrograms } from './commands/choose-programs.ts';
import { StreamsClient, TerminalClient } from './process-client.ts';
import { ProcessEvents } from './process-events.ts';
import { environmentFor, hostname, users } from './users.ts';

type ExitReason = MachineProcessExit['reason'];

export interface StarterOptions
  extends Partial<Pick<ShellProcessesOptions, 'hasBuiltin' | 'transform'>>,
    Partial<Pick<ChosenPrograms, 'missingForShells'>> {}

/** Starts the processes of clients in a shell, and tells them what becomes of those. */
export class ShellProcessStarter implements ProcessStarter {
  readonly #files: TreeFiles;
  readonly #processes: ShellProcesses;
  readonly #missingForShells: readonly string[];
  /** How many terminals there have been. */
  #terminals = 0;
  /** Why all of them end, once they do. */
  #closing: ExitReason | undefined;

  constructor(
    files: TreeFiles,
    programs: Programs,
    { hasBuiltin, transform, missingForShells = [] }: StarterOptions = {},
  ) {
    this.#files = files;
    this.#missingForShells = missingForShells;
    const known = { users: Object.values(users), hostname };
    this.#processes = createShellProcesses({ files, programs, hasBuiltin, transform, ...known });
  }

  async start(
    request: ExecRequest,
    listener: MachineProcessListener,
    { arrived = (bytes) => bytes, hasStatus = false }: OutputOptions = {},
  ): Promise<ProcessHandle> {
    const { argv } = commandArguments(request);
    if (hasStatus && request.pty) {
      throw new SandboxError('invalid-argument', 'A process with a terminal has no status descriptor');
    }
    assertLimits(request.limits);
    if (hasStatus) this.#assertShells();
    if (this.#closing) throw new SandboxError('connection-lost', 'The shell has stopped');
    const user = request.user ?? 'user';
    const { uid, gid, home } = users[user];
    const events = new ProcessEvents(listener, arrived);
    const cwd = this.#workingDirectory(request.cwd ?? home);
    const client = request.pty
      ? new TerminalClient(request.pty, { number: this.#terminals++, events })
      : new StreamsClient({ hasInput: request.stdin === true, hasStatus, events });
    const startedAtMs = performance.now();
    const environment = environmentFor(user, {
      ...(request.pty ? { TERM: 'xterm-256color' } : {}),
      ...request.envs,
    });
    const onMissing = (program: string) => events.missing.note(program);
    const own = { argv, environment, cwd, uid, gid, onMissing, limits: request.limits };
    const process = start(this.#processes, { ...own, ...client.files });
    client.process = process;
    events.cpuMs = () => process.cpuMs;
    let isKilled = false;
    const kill = (signal: string): void => {
      isKilled ||= signal === 'SIGKILL';
      process.kill(signal);
    };
    events.onRefused = () => kill('SIGKILL');
    void process.ended.then(({ exitCode, signal, limit }) => {
      client.end();
      const reason = this.#closing ?? endOf({ signal, isKilled });
      const usage = { durationMs: performance.now() - startedAtMs, cpuMs: process.cpuMs, maxRssBytes: 0 };
      const ending = { exitCode: this.#closing ? -1 : exitCode, signal, reason };
      return events.exit({ ...ending, ...usage, ...(limit === undefined ? {} : { limit }) });
    });
    return {
      pid: process.pid,
      write: (bytes) => client.write(bytes),
      closeStdin: async () => client.closeInput(),
      resize: async (size) => client.resize(size),
      kill: async (signal = 'SIGKILL') => kill(signal),
    };
  }

  /** Ends every process for that reason, and starts no more. Listeners may still have events to take. */
  async close(reason: ExitReason): Promise<void> {
    this.#closing ??= reason;
    await this.#processes.close();
  }

  /** @throws unsupported where the host allows too little for shells that go on from one command to the next */
  #assertShells(): void {
    if (this.#missingForShells.length === 0) return;
    const missing = this.#missingForShells.join(', ');
    const message = `Cannot open a shell: it needs built-ins that the host does not allow or has replaced: ${missing}`;
    throw new SandboxError('unsupported', message, { details: { feature: 'shells' } });
  }

  #workingDirectory(path: string): string {
    const isThere = this.#files.exists(path) && isDirectory(this.#files.stat(path).mode);
    if (isThere) return path;
    throw new SandboxError('not-found', `Cannot start the process: there is no directory "${path}"`);
  }
}

/** @throws invalid-argument */
function assertLimits(asked: CommandLimits = {}): void {
  for (const [name, value] of Object.entries(asked)) {
    const most = Object.entries(limits.commandLimits).find(([known]) => known === name)?.[1] ?? 0;
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    const names = Object.keys(limits.commandLimits).join(', ');
    const message = `Cannot limit ${name} to ${value}: a limit is one of ${names}, from 1${most > 0 ? ` to ${most}` : ''}`;
    throw new SandboxError('invalid-argument', message);
  }
}

/** As in a machine: what its client killed is told from what another process did. */
function endOf({
  signal,
  isKilled,
}: {
  readonly signal: string | undefined;
  readonly isKilled: boolean;
}): ExitReason {
  if (isKilled && signal === 'SIGKILL') return 'killed';
  return signal === undefined ? 'exited' : 'signalled';
}

/** @throws not-found, busy, invalid-argument */
function start(processes: ShellProcesses, options: Parameters<ShellProcesses['start']>[0]): ShellProcess {
  try {
    return processes.start(options);
  } catch (cause) {
    const [name = ''] = options.argv;
    if (cause instanceof ShellLimitError) throw new SandboxError('busy', cause.message, { cause });
    if (!(cause instanceof ShellError)) throw cause;
    const code = cause.code === 'ENOENT' ? 'not-found' : 'invalid-argument';
    throw new SandboxError(code, `Cannot start "${name}": ${cause.message}`, { cause });
  }
}
