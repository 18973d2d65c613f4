import { tellToEnd } from '../end-process.ts';
import { type ErrorCode, SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SandboxConnection } from '../sandbox/connection.ts';
import type { ExitStatus, ProcessHandle } from '../sandbox/processes.ts';
import { unpackCommand, unpackScript } from './unpack-script.ts';

/** The reason that nothing was unpacked. */
interface Failure {
  readonly code: ErrorCode;
  readonly why: string;
}

/**
 * The process in a sandbox that unpacks the archive that is written to its input. The caller must await its end, or
 * give it up.
 */
export class Unpacking {
  readonly #process: ProcessHandle;
  readonly #ended: Promise<ExitStatus>;
  readonly #said: () => string;
  #hasEnded = false;
  #givenUp: Promise<void> | undefined;

  private constructor(process: ProcessHandle, parts: { ended: Promise<ExitStatus>; said: () => string }) {
    this.#process = process;
    this.#ended = parts.ended;
    this.#said = parts.said;
    void parts.ended.then(() => {
      this.#hasEnded = true;
    });
  }

  /** Into the directory `path`. @throws connection-lost, machine-failed */
  static async start(connection: SandboxConnection, path: string): Promise<Unpacking> {
    const ended = Promise.withResolvers<ExitStatus>();
    const decoder = new TextDecoder();
    let said = '';
    const command = unpackCommand(path);
    const request = { command, user: 'root', cwd: '/', stdin: true, clearsAway: true } as const;
    const process = await connection.processes.exec(request, (event) => {
      if (event.type === 'exit') ended.resolve(event);
      else if (said.length < limits.unpackSaidCharacters) said += decoder.decode(event.bytes);
    });
    const unpacking = new Unpacking(process, { ended: ended.promise, said: () => said });
    await unpacking.write(new TextEncoder().encode(unpackScript));
    return unpacking;
  }

  /** Resolves when it accepts more input, to whether it still reads. */
  async write(bytes: Uint8Array): Promise<boolean> {
    if (bytes.length === 0 || this.#hasEnded) return !this.#hasEnded;
    try {
      await this.#process.write(bytes);
      return true;
    } catch (error) {
      // If it fails, it ends before it has read everything; its output is then the reason.
      await this.#endWithin(limits.requestTimeoutMs, SandboxError.from(error));
      return false;
    }
  }

  /** Ends its input, and waits for its end; answers why it failed, if it did. @throws timeout */
  async finish(): Promise<Failure | undefined> {
    // It may have ended.
    await this.#process.closeStdin().catch(() => undefined);
    const late = `Cannot unpack the archive in ${limits.unpackEndTimeoutMs} ms after its last byte`;
    const { exitCode, reason } = await this.#endWithin(
      limits.unpackEndTimeoutMs,
      new SandboxError('timeout', late),
    );
    if (exitCode === 0) return undefined;
    const said = this.#said();
    const line = said
      .trim()
      .split('\n')[0]
      ?.replace(/^\/bin\/bash: line \d+: /, '');
    // A lost connection is reported like this too.
    if (reason === 'machine-failed') return { code: reason, why: 'what it ran in is gone' };
    const why = line || (reason === 'exited' ? `exit code ${exitCode}` : reason);
    const code = codeOf(said);
    // If the process was killed, the archive is not the cause.
    const isKilled = reason === 'signalled' || killedCodes.has(exitCode);
    return { code: isKilled && code === 'invalid-argument' ? 'machine-failed' : code, why };
  }

  /**
   * Ends it, upon which it deletes its files. Does not close its input, which tar would take for the end of the
   * archive.
   * @throws timeout when it does not end; it is killed then, and its files stay
   */
  giveUp(): Promise<void> {
    this.#givenUp ??= this.#giveUp();
    return this.#givenUp;
  }

  async #giveUp(): Promise<void> {
    if (this.#hasEnded) return;
    const late = 'Cannot clear away what was unpacked: the sandbox does not obey';
    try {
      const error = new SandboxError('timeout', late);
      await tellToEnd(this.#process, () => this.#endWithin(limits.unpackEndTimeoutMs, error));
    } catch (error) {
      await this.#process.kill();
      throw error;
    }
  }

  async #endWithin(timeoutMs: number, late: SandboxError): Promise<ExitStatus> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late), timeoutMs);
    try {
      return await Promise.race([this.#ended, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Exit codes for a program killed by SIGKILL: bash's, and that of xargs. */
const killedCodes: ReadonlySet<number | undefined> = new Set([137, 125]);

function codeOf(said: string): ErrorCode {
  // The second is tar's of a file that fits in part.
  if (/No space left|: Wrote only \d+ of \d+ bytes/.test(said)) return 'storage-full';
  if (said.includes('command not found')) return 'unsupported';
  return said.includes('cd: ') && said.includes('No such file') ? 'not-found' : 'invalid-argument';
}
