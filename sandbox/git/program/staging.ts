import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { stagingScript } from './staging-script.ts';
import { startTextProcess, type TextProcess } from './text-process.ts';

/**
 * A directory beside the place of a workspace, of which a process in the sandbox takes care: it ends with
 * that, kept or cleared away. While it is there, captures wait, a minute at most.
 */
export class Staging {
  /** Where git is to clone to; not there yet. */
  readonly tree: string;
  readonly #process: TextProcess;
  readonly #said: () => string;

  private constructor(process: TextProcess, parts: { tree: string; said: () => string }) {
    this.#process = process;
    this.tree = parts.tree;
    this.#said = parts.said;
  }

  /**
   * Makes one for `path`; `undefined` when something is there already.
   * @throws not-found (the directory that is to hold it), storage-full, read-only, timeout, machine-failed
   */
  static async open(processes: ProcessStarter, path: string): Promise<Staging | undefined> {
    const answered = Promise.withResolvers<void>();
    let answer = '';
    let said = '';
    const command = ['/bin/bash', '-s', '--', path];
    const request = { command, user: 'root', cwd: '/', stdin: true, clearsAway: true } as const;
    const process = await startTextProcess(processes, request, (text, stream) => {
      if (stream === 'stderr' && said.length < limits.gitSaidCharacters) said += text;
      if (stream === 'stdout' && answer.length < limits.gitSaidCharacters) answer += text;
      if (answer.includes('\n')) answered.resolve();
    });
    const name = path.slice(path.lastIndexOf('/') + 1);
    const tree = `${path.slice(0, -name.length)}.${name}.coppice-clone/tree`;
    const staging = new Staging(process, { tree, said: () => said });
    try {
      await process.process.write(new TextEncoder().encode(stagingScript));
      await within(Promise.race([answered.promise, process.ended]), 'make room for the workspace');
    } catch (error) {
      await staging.discard();
      throw error;
    }
    if (answer.startsWith('staged\n')) return staging;
    const { exitCode } = await process.ended;
    if (exitCode === 0) return undefined;
    throw staging.#failure(`Cannot make room for the workspace "${path}"`);
  }

  /** Moves the tree to its place, in one step. @throws storage-full, timeout, machine-failed */
  async keep(): Promise<void> {
    await this.#process.process.write(new TextEncoder().encode('keep\n'));
    const { exitCode } = await within(this.#process.ended, 'put the workspace in its place');
    if (exitCode !== 0) throw this.#failure('Cannot put the workspace in its place');
  }

  /** Removes it, unless it is kept. Where its process does not answer, it stays until the next attempt. */
  async discard(): Promise<void> {
    const { process, ended } = this.#process;
    await process.closeStdin().catch(() => undefined);
    await within(ended, 'clear the workspace away').catch(() => process.kill().catch(() => undefined));
  }

  #failure(what: string): SandboxError {
    const said = this.#said();
    const [line = ''] = said.trim().split('\n');
    const why = line.replace(/^\/bin\/bash: line \d+: /, '') || 'what was to do it has ended';
    if (said.includes('No space left')) return new SandboxError('storage-full', `${what}: ${why}`);
    if (said.includes('Read-only')) return new SandboxError('read-only', `${what}: ${why}`);
    const isMissing = said.includes('cd: ') && said.includes('No such file');
    return new SandboxError(isMissing ? 'not-found' : 'machine-failed', `${what}: ${why}`);
  }
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const error = new SandboxError('timeout', `Cannot ${what} in ${limits.workspaceStepTimeoutMs} ms`);
  const timer = setTimeout(() => late.reject(error), limits.workspaceStepTimeoutMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
