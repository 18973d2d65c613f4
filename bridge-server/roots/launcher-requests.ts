import { createInterface } from 'node:readline';
import { getSystemErrorName } from 'node:util';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { HostTool } from '../programs/host-tool.ts';
import { diskError } from '../stores/disk-error.ts';

interface Request {
  readonly what: string;
  readonly resolve: (value: number) => void;
  readonly reject: (error: SandboxError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * The launcher's program as a process that does one system call after the other: to start a tool for each takes as
 * long as its work. Owns the process, which is started by the first request, and by the first after it has died.
 */
export class LauncherRequests implements AsyncDisposable {
  readonly #launcher: string;
  readonly #mode: string;
  /** In the order in which they are answered. */
  readonly #requests: Request[] = [];
  #tool: HostTool | undefined;

  /** `mode` is the launcher's argument: what its header says of requests and answers. */
  constructor(launcher: string, mode: string) {
    this.#launcher = launcher;
    this.#mode = mode;
  }

  /** Resolves to the number that is answered beside success; `what` completes "Cannot …". @throws storage-full, internal, and others by errno */
  request(what: string, fields: readonly string[]): Promise<number> {
    this.#tool ??= this.#start();
    const tool = this.#tool;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const timer = setTimeout(() => void tool[Symbol.asyncDispose](), limits.subvolumeTimeoutMs);
    this.#requests.push({ what, resolve, reject, timer });
    // What becomes of it is told by its answer, or by the end of the process.
    void tool.write(Buffer.from(fields.map((field) => `${field}\0`).join('')));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tool?.[Symbol.asyncDispose]();
  }

  #start(): HostTool {
    const tool = new HostTool(this.#launcher, [this.#mode]);
    createInterface({ input: tool.stdout }).on('line', (line) => this.#settle(line));
    tool.stdout.once('close', () => void this.#onEnd(tool));
    return tool;
  }

  #settle(line: string): void {
    const request = this.#requests.shift();
    if (request === undefined) return;
    clearTimeout(request.timer);
    const [errno = 0, value = 0] = line.split(' ').map(Number);
    if (errno === 0) request.resolve(value);
    else request.reject(systemError(request.what, errno));
  }

  /** What it was asked for and did not answer may have been done all the same. */
  async #onEnd(tool: HostTool): Promise<void> {
    if (this.#tool === tool) this.#tool = undefined;
    const unanswered = this.#requests.splice(0);
    const why = await tool.finish().catch((error: Error) => error.message);
    for (const { what, reject, timer } of unanswered) {
      clearTimeout(timer);
      reject(new SandboxError('internal', `Cannot ${what}: ${why ?? 'it was closed'}`));
    }
  }
}

function systemError(what: string, errno: number): SandboxError {
  const code = getSystemErrorName(-errno);
  return diskError(what, Object.assign(new Error(code), { code }));
}
