import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { SandboxError } from '../../protocol/errors.ts';
import { closeOf } from './close-of.ts';
import type { Program } from './program.ts';
import { startProgram } from './start-program.ts';

/** What a tool said of its failure; enough for a message. */
const keptStderrBytes = 2_048;

/** A program of the host, such as tar, with pipes. Owns the process: disposing kills it. */
export class HostTool implements AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #name: string;
  readonly #program: Program;
  readonly #stderr: Socket;
  readonly #closed: Promise<string | undefined>;
  #said = '';

  /** Starts `command` with an environment of nothing but PATH: a user's TAR_OPTIONS must not matter. */
  constructor(command: string, args: readonly string[]) {
    const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
    this.#program = startProgram([command, ...args], { descriptors: [0, 1, 2], env });
    const [stdin, stdout, stderr] = this.#program.sockets as [Socket, Socket, Socket];
    this.#name = command;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#stderr = stderr;
    // A tool that ends early is told of by its exit; the broken pipe adds nothing.
    stdin.on('error', () => {});
    stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(0, keptStderrBytes);
    });
    this.#closed = this.#close();
  }

  /** Whether it takes no more input, for whatever reason. */
  get hasEnded(): boolean {
    return this.#program.hasEnded;
  }

  /** Resolves when the tool has ended well; what it writes and nobody reads is dropped. @throws storage-full, read-only, internal */
  async finish(): Promise<void> {
    this.stdin.end();
    this.stdout.resume();
    const failure = await this.#closed;
    if (failure === undefined) return;
    const isFull = /No space left|quota exceeded|Wrote only \d+ of \d+ bytes/i.test(failure);
    if (isFull)
      throw new SandboxError('storage-full', `${this.#name} failed: no space left on the disk`, {
        cause: new Error(failure),
      });
    if (/Read-only file system/i.test(failure)) {
      const message = `${this.#name} failed: its file system is read-only. The kernel does that to a disk with errors: see its log, and mount it for writing again`;
      throw new SandboxError('read-only', message, { cause: new Error(failure) });
    }
    throw new SandboxError('internal', `${this.#name} failed: ${failure}`);
  }

  /** Resolves when there is room for more input, or nobody to take it. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.stdin.destroyed || this.stdin.write(bytes)) return;
    await Promise.race([new Promise((resolve) => this.stdin.once('drain', resolve)), this.#closed]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.#program.kill('SIGKILL');
    this.stdin.destroy();
    // Whoever was reading may hold it paused, and then it would never close.
    this.stdout.destroy();
    this.#stderr.destroy();
    await this.#closed;
  }

  /** Resolves when it has ended, to why it has not ended well. */
  async #close(): Promise<string | undefined> {
    const { code, signal, failure } = await this.#program.ended;
    if (failure !== undefined) return failure;
    // What it said last may still be on its way.
    await closeOf(this.#stderr.end());
    if (code === 0) return undefined;
    return this.#said.trim() || (signal ?? `it exited with ${code}`);
  }
}

/** Runs a tool to its end. @throws storage-full, read-only, internal */
export async function runHostTool(command: string, args: readonly string[]): Promise<void> {
  await using tool = new HostTool(command, args);
  await tool.finish();
}
