import { limits } from '../protocol/limits.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import { type ExitStatus, loginShell, type ProcessHandle } from '../protocol/sandbox/processes.ts';
import { readShellContext, type ShellContext } from './shell-context.ts';

export interface PtyOptions {
  readonly columns: number;
  readonly rows: number;
  /** Terminal output; a returned promise holds the program back until it settles. */
  readonly onData: (bytes: Uint8Array) => void | Promise<void>;
  readonly onExit?: (status: ExitStatus) => void;
  /** What runs in it: an interactive login shell by default. */
  readonly command?: string | readonly string[];
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  readonly user?: 'user' | 'root';
}

/** A terminal with a program in it. */
export interface PtyHandle {
  readonly pid: number;
  sendInput(data: Uint8Array): Promise<void>;
  resize(size: { columns: number; rows: number }): Promise<void>;
  /** Where the shell in it stands: `create({ …, ...shellAt(place) })` goes on there, in any sandbox. @throws not-found, timeout */
  place(): Promise<ShellContext>;
  /** Hangs up; what has not ended after `limits.hangupGraceMs` is killed. */
  kill(): Promise<void>;
}

type Command = NonNullable<PtyOptions['command']>;

/** Answers the command to run. @throws forbidden */
type Admission = (command: Command, options: Pick<PtyOptions, 'cwd' | 'envs' | 'user'>) => Promise<Command>;

/** Terminals of a sandbox: `sandbox.pty`. */
export class Pty {
  readonly #connection: SandboxConnection;
  readonly #admit: Admission;

  constructor(connection: SandboxConnection, admit: Admission = async (command) => command) {
    this.#connection = connection;
    this.#admit = admit;
  }

  async create(options: PtyOptions): Promise<PtyHandle> {
    const { columns, rows, onData, onExit, command: asked = loginShell, ...rest } = options;
    const command = await this.#admit(asked, rest);
    let grace: ReturnType<typeof setTimeout> | undefined;
    const process: ProcessHandle = await this.#connection.processes.exec(
      { ...rest, command, pty: { columns, rows }, stdin: true },
      (event) => {
        if (event.type !== 'exit') return onData(event.bytes);
        clearTimeout(grace);
        const { type, ...status } = event;
        onExit?.(status);
      },
    );
    return {
      pid: process.pid,
      sendInput: (data) => process.write(data),
      resize: (size) => process.resize(size),
      place: () => readShellContext(this.#connection, process.pid),
      kill: async () => {
        await process.kill('SIGHUP');
        grace ??= setTimeout(() => {
          process.kill('SIGKILL').catch(() => {}); // It ended in the meantime, or the connection did.
        }, limits.hangupGraceMs);
      },
    };
  }
}
