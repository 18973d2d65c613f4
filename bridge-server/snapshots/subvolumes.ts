import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getSystemErrorName } from 'node:util';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { diskError } from '../stores/disk-error.ts';
import { HostTool } from './host-tool.ts';
import { removeFolder } from './remove-folder.ts';

interface Request {
  readonly what: string;
  readonly resolve: () => void;
  readonly reject: (error: SandboxError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Subvolumes of btrfs, by a process that does one ioctl after the other (guest/launch/subvolumes.h):
 * a sandbox stands still meanwhile, and to start a tool takes as long as its work. Owns the process,
 * which is started by the first request, and by the first after it has died.
 */
export class Subvolumes implements AsyncDisposable {
  readonly #launcher: string;
  /** In the order in which they are answered. */
  readonly #requests: Request[] = [];
  #tool: HostTool | undefined;

  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  /** Makes an empty subvolume, which looks like a folder. @throws storage-full, internal */
  create(path: string): Promise<void> {
    return this.#request(`make ${path}`, ['c', '', path]);
  }

  /**
   * Makes `to` of the files that `from` has now, in constant time plus what is not yet on disk of
   * them: a snapshot is part of a commit. @throws as `create`
   */
  snapshot(from: string, to: string, { isReadOnly }: { readonly isReadOnly: boolean }): Promise<void> {
    return this.#request(`make ${to}`, [isReadOnly ? 'r' : 's', from, to]);
  }

  /** Deletes a subvolume, if it is there; what it alone had is freed by the kernel later. @throws as `create` */
  async delete(path: string): Promise<void> {
    if ((await lstat(path).catch(() => undefined)) === undefined) return;
    await this.#request(`delete ${path}`, ['d', '', path]);
  }

  /** Empties a folder of subvolumes, and of what else is there. @throws as `create` */
  async empty(folder: string): Promise<void> {
    for (const name of await readdir(folder)) await this.remove(join(folder, name));
  }

  /** Deletes a subvolume, or what else is there. @throws as `create` */
  async remove(path: string): Promise<void> {
    await this.delete(path).catch(() => removeFolder(path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tool?.[Symbol.asyncDispose]();
  }

  #request(what: string, fields: readonly string[]): Promise<void> {
    this.#tool ??= this.#start();
    const tool = this.#tool;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => void tool[Symbol.asyncDispose](), limits.subvolumeTimeoutMs);
    this.#requests.push({ what, resolve, reject, timer });
    // What becomes of it is told by its answer, or by the end of the process.
    void tool.write(Buffer.from(fields.map((field) => `${field}\0`).join('')));
    return promise;
  }

  #start(): HostTool {
    const tool = new HostTool(this.#launcher, ['--subvolumes']);
    createInterface({ input: tool.stdout }).on('line', (line) => this.#settle(Number(line)));
    tool.stdout.once('close', () => void this.#onEnd(tool));
    return tool;
  }

  #settle(errno: number): void {
    const request = this.#requests.shift();
    if (request === undefined) return;
    clearTimeout(request.timer);
    if (errno === 0) request.resolve();
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
