import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { type ExitStatus, loginShell, type ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import { type ShellContext, shellAt } from '../../../sdk/shell-context.ts';
import type { TerminalSize } from '../model/sandbox-model.ts';

/**
 * The destination of a shell's output. `write` resolves when the output is on the screen, which is the
 * back-pressure.
 */
export interface ShellScreen {
  write(bytes: Uint8Array): Promise<void>;
  ended(status: ExitStatus): void;
}

/**
 * A login shell in a sandbox, tied to a screen. Input is sent in order and in pieces, each after the previous one
 * was accepted. Owns its process: `close` hangs it up.
 */
export class ShellSession {
  readonly #handle: ProcessHandle;
  #input: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #over = false;

  private constructor(handle: ProcessHandle) {
    this.#handle = handle;
  }

  /** Starts the shell, at `place` if that is given. Rejects with what `exec` rejects with. */
  static async open(
    connection: SandboxConnection,
    screen: ShellScreen,
    { size, place }: { size: TerminalSize; place?: ShellContext | undefined },
  ): Promise<ShellSession> {
    let session: ShellSession | undefined;
    const request = {
      ...(place === undefined ? { command: loginShell } : shellAt(place)),
      pty: size,
      stdin: true,
    };
    const handle = await connection.processes.exec(request, (event) => {
      if (event.type !== 'exit') return screen.write(event.bytes);
      if (session !== undefined) session.#over = true;
      screen.ended(event);
    });
    session = new ShellSession(handle);
    return session;
  }

  /** Its process in the sandbox. */
  get pid(): number {
    return this.#handle.pid;
  }

  /** Whether much of what was sent has not been accepted: its programs do not read. */
  get isBehind(): boolean {
    return this.#waitingBytes > limits.typedAheadCharacters;
  }

  /** Sends typed or pasted text, as UTF-8. */
  type(text: string): void {
    this.send(new TextEncoder().encode(text));
  }

  /** Sends bytes unchanged; bytes after the shell's end are dropped. */
  send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += limits.virtioInputBytes) {
      const piece = bytes.slice(at, at + limits.virtioInputBytes);
      this.#waitingBytes += piece.length;
      this.#input = this.#input.then(() => this.#deliver(piece));
    }
  }

  async resize(size: TerminalSize): Promise<void> {
    if (!this.#over) await this.#handle.resize(size).catch(() => {});
  }

  /** Hangs up, as closing a terminal window does. */
  async close(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    await this.#handle.kill('SIGHUP').catch(() => {});
  }

  /** If the shell ended meanwhile, its exit event reports that, not this call. */
  async #deliver(bytes: Uint8Array): Promise<void> {
    if (!this.#over) await this.#handle.write(bytes).catch(() => {});
    this.#waitingBytes -= bytes.length;
  }
}
