import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SandboxError } from '../../protocol/errors.ts';

/** What a tool said of its failure; enough for a message. */
const keptStderrBytes = 2_048;

/** A program of the host, such as tar, with pipes. Owns the process: disposing kills it. */
export class HostTool implements AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #closed: Promise<string | undefined>;
  #stderr = '';

  /** Starts `command` with an environment of nothing but PATH: a user's TAR_OPTIONS must not matter. */
  constructor(command: string, args: readonly string[]) {
    const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    const child = spawn(command, args, { cwd: '/', env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#name = command;
    this.#child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // A tool that ends early is told of by its exit; the broken pipe adds nothing.
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(0, keptStderrBytes);
    });
    this.#closed = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(code === 0 ? undefined : this.#describe(code, signal)));
    });
  }

  /** Resolves when the tool has ended well; what it writes and nobody reads is dropped. @throws storage-full, internal */
  async finish(): Promise<void> {
    this.stdin.end();
    this.stdout.resume();
    const failure = await this.#closed;
    if (failure === undefined) return;
    const isFull = /No space left|quota exceeded/i.test(failure);
    throw new SandboxError(isFull ? 'storage-full' : 'internal', `${this.#name} failed: ${failure}`);
  }

  /** Resolves when there is room for more input, or nobody to take it. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.stdin.destroyed || this.stdin.write(bytes)) return;
    await Promise.race([new Promise((resolve) => this.stdin.once('drain', resolve)), this.#closed]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    this.stdin.destroy();
    // Whoever was reading may hold it paused, and then it would never close.
    this.stdout.destroy();
    await this.#closed;
  }

  #describe(code: number | null, signal: NodeJS.Signals | null): string {
    return this.#stderr.trim() || (signal ?? `it exited with ${code}`);
  }
}

/** Runs a tool to its end. @throws storage-full, internal */
export async function runHostTool(command: string, args: readonly string[]): Promise<void> {
  await using tool = new HostTool(command, args);
  await tool.finish();
}
