import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { GrowingBytes } from '../../../protocol/growing-bytes.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitCredentials } from '../../../protocol/sandbox/git.ts';
import type { ExecRequest, ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import { credentialSettings } from './credential-settings.ts';
import { plainLine } from './git-failure.ts';

export interface GitRun {
  /** The top directory of the working tree. */
  readonly directory: string;
  readonly args: readonly string[];
  /** Begins the message of an error. */
  readonly what: string;
  /** Its standard input. */
  readonly input?: Uint8Array | undefined;
  readonly envs?: Readonly<Record<string, string>> | undefined;
  readonly credentials?: GitCredentials | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  readonly timeoutMs?: number;
}

/** What a run of git left. */
export interface GitOutput {
  readonly exitCode: number;
  /** Decoded; what is no UTF-8 is replaced. Cut at `limits.gitOutputBytes`. */
  readonly stdout: string;
  readonly isCut: boolean;
  /** The end of what it said beside that. */
  readonly said: string;
}

/** It asks nobody, speaks to nothing but servers of git and files, and shows names as they are. */
const settings = [
  ['core.quotePath', 'false'],
  ['core.fsmonitor', 'false'],
  ['advice.detachedHead', 'false'],
  ['push.recurseSubmodules', 'no'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/**
 * Runs git in a machine, as the user, to its end. One that does not die when it is killed is left behind.
 * @throws unsupported (no git), timeout, aborted, limit-exceeded (memory), machine-failed
 */
export async function runGit(processes: ProcessStarter, run: GitRun): Promise<GitOutput> {
  const { what, signal, onLine, timeoutMs = limits.gitStepTimeoutMs } = run;
  throwIfAborted(signal, what);
  const output = { stdout: new TextCollector(limits.gitOutputBytes), stderr: '' };
  const decoder = new TextDecoder();
  const ended = Promise.withResolvers<{ exitCode: number; reason: string }>();
  const process = await start(
    processes,
    requestOf(run),
    (event) => {
      if (event.type === 'exit') ended.resolve(event);
      else if (event.type === 'stdout') output.stdout.push(event.bytes);
      else if (event.type === 'stderr') {
        const text = decoder.decode(event.bytes, { stream: true });
        output.stderr = (output.stderr + text).slice(-limits.gitSaidCharacters);
        const line = text
          .split(/[\r\n]+/)
          .map(plainLine)
          .findLast((each) => each !== '');
        if (line !== undefined) onLine?.(line.slice(0, limits.gitLineCharacters));
      }
    },
    what,
  );
  let isLate = false;
  let stuck: ReturnType<typeof setTimeout> | undefined;
  // A git that does not die, such as one that waits for a dead disk, does not keep its caller.
  const end = () => {
    void process.kill().catch(() => undefined);
    stuck ??= setTimeout(() => ended.resolve({ exitCode: 137, reason: 'stuck' }), limits.gitKillTimeoutMs);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  const unlisten = listenAbort(signal, end);
  try {
    // Not awaited: a git that never reads would keep it for ever.
    void feed(process, run.input);
    const { exitCode, reason } = await ended.promise;
    throwIfAborted(signal, what);
    if (isLate) throw new SandboxError('timeout', `${what} in ${timeoutMs} ms`);
    if (reason === 'out-of-memory') {
      throw new SandboxError(
        'limit-exceeded',
        `${what}: git was killed for lack of memory; give the sandbox more`,
      );
    }
    if (reason === 'machine-failed' || reason === 'checkout') {
      throw new SandboxError('machine-failed', `${what}: the machine that git ran in is gone`);
    }
    const { text, isCut } = output.stdout;
    return { exitCode, stdout: text, isCut, said: output.stderr };
  } finally {
    clearTimeout(timer);
    clearTimeout(stuck);
    unlisten();
  }
}

function requestOf({ directory, args, input, envs, credentials }: GitRun): ExecRequest {
  const ceiling = directory.slice(0, directory.lastIndexOf('/')) || '/';
  return {
    command: ['git', '-C', directory, '--no-pager', '--literal-pathspecs', ...settings, ...args],
    cwd: '/',
    stdin: input !== undefined,
    envs: {
      GIT_TERMINAL_PROMPT: '0',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
      GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
      // The directory is the top of a working tree, or there is none.
      GIT_CEILING_DIRECTORIES: ceiling,
      LC_ALL: 'C.UTF-8',
      LANGUAGE: 'C',
      ...credentialSettings(credentials),
      ...envs,
    },
  };
}

/** Writes git its standard input. A write that git does not read fails: the exit code says why git ended. */
async function feed(process: ProcessHandle, input: Uint8Array | undefined): Promise<void> {
  if (!input) return;
  await process
    .write(input)
    .then(() => process.closeStdin())
    .catch(() => undefined);
}

async function start(
  processes: ProcessStarter,
  request: ExecRequest,
  listener: Parameters<ProcessStarter['start']>[1],
  what: string,
): Promise<ProcessHandle> {
  try {
    return await processes.start(request, listener);
  } catch (cause) {
    if (SandboxError.from(cause).code !== 'not-found') throw cause;
    const message = `${what}: the image has no git; choose one that has, such as "debian"`;
    throw new SandboxError('unsupported', message, { details: { feature: 'git' }, cause });
  }
}

/** Text of a stream, as far as there is room for it. */
class TextCollector {
  readonly #most: number;
  readonly #bytes = new GrowingBytes();
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  get text(): string {
    return new TextDecoder().decode(this.#bytes.view);
  }

  push(bytes: Uint8Array): void {
    const room = this.#most - this.#bytes.length;
    if (bytes.length > room) this.isCut = true;
    this.#bytes.add(bytes.subarray(0, room));
  }
}
