import type {
  Experimental_SandboxDirectoryEntry as DirectoryEntry,
  Experimental_SandboxFileStat as FileStat,
  Experimental_SandboxSession as SandboxSession,
} from 'ai';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { FileInfo, FileType } from '../../protocol/sandbox/files.ts';
import type { RunOptions } from '../commands.ts';
import type { Sandbox } from '../sandbox.ts';
import { describeRun, type RunAnswer } from './describe-run.ts';
import { parentDirectory } from './parent-directory.ts';
import { SandboxSteps, type Step } from './sandbox-steps.ts';
import { spawnProcess } from './spawn-process.ts';
import { writeFile } from './write-file.ts';

type ProcessOptions = Parameters<SandboxSession['run']>[0];

/** The AI SDK's session; what `run` answers has the snapshot of the files after it too. */
export interface AiSdkSession extends Omit<SandboxSession, 'run'> {
  readonly run: (options: ProcessOptions) => Promise<SessionRun>;
}

/** All of the output, for programs: cut it before a model gets it. */
interface SessionRun extends RunAnswer {
  readonly stdout: string;
  readonly stderr: string;
  /** Output past `limits.resultOutputBytes` of a stream, which is missing. */
  readonly droppedBytes?: number;
}

export interface AiSdkSessionOptions {
  /** Where relative paths and commands begin. */
  readonly cwd?: string;
  /** The longest that `run` may take; `limits.modelCommandMs` by default. What takes longer is for `spawn`. */
  readonly timeoutMs?: number;
}

/** How many links `stat` follows before it takes them for a circle, as Linux does. */
const followedLinks = 40;

/** A sandbox as `experimental_sandbox` of `generateText`, `streamText` and agents. */
export function createAiSdkSession(sandbox: Sandbox, options: AiSdkSessionOptions = {}): AiSdkSession {
  const { files, info } = sandbox;
  const { cwd, timeoutMs = limits.modelCommandMs } = options;
  const steps = SandboxSteps.of(sandbox);
  const resolve = (path: string) => steps.resolve(path, cwd);
  const take = <T>(work: () => Promise<T>, label: string, signal?: AbortSignal): Promise<Step<T>> =>
    steps.take(work, { label, tool: 'sandbox', ...(signal ? { signal } : {}) }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });

  async function read(path: string, signal?: AbortSignal): Promise<Uint8Array | null> {
    signal?.throwIfAborted();
    return files.read(await resolve(path), { format: 'bytes' }).catch(nullIfMissing);
  }
  async function write(path: string, data: string | Uint8Array, signal?: AbortSignal): Promise<void> {
    const file = await resolve(path);
    await take(() => writeFile(sandbox, file, data), `write ${file}`, signal);
  }
  async function follow(path: string): Promise<FileInfo | null> {
    let at = await resolve(path);
    for (let links = 0; links < followedLinks; links++) {
      const info = await files.stat(at).catch(nullIfMissing);
      if (info?.type !== 'symlink') return info;
      at = await steps.resolve(info.target ?? '', parentDirectory(at));
    }
    throw new SandboxError('invalid-argument', `Cannot look at ${path}: its links lead in a circle`);
  }
  async function runOptions(options: ProcessOptions): Promise<RunOptions> {
    const { workingDirectory, env, abortSignal } = options;
    const directory = workingDirectory === undefined ? cwd : await resolve(workingDirectory);
    return {
      ...(directory === undefined ? {} : { cwd: directory }),
      ...(env ? { envs: env } : {}),
      ...(abortSignal ? { signal: abortSignal } : {}),
    };
  }

  return {
    description: [
      `A Linux sandbox with the files of ${cwd ?? info.cwd ?? "the user's home"} as its working directory;`,
      networkText(info),
      'Every change is followed by a snapshot, to which the sandbox can go back.',
    ].join(' '),
    readFile: async ({ path, abortSignal }) => {
      const bytes = await read(path, abortSignal);
      return bytes && new Blob([new Uint8Array(bytes)]).stream();
    },
    readBinaryFile: ({ path, abortSignal }) => read(path, abortSignal),
    readTextFile: async ({ path, abortSignal, encoding = 'utf-8', startLine = 1, endLine }) => {
      const bytes = await read(path, abortSignal);
      if (!bytes) return null;
      const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
      if (startLine === 1 && endLine === undefined) return text;
      return text
        .split('\n')
        .slice(startLine - 1, endLine)
        .join('\n');
    },
    writeFile: async ({ path, content, abortSignal }) => {
      const bytes = await new Response(content).bytes();
      await write(path, bytes, abortSignal);
    },
    writeBinaryFile: ({ path, content, abortSignal }) => write(path, content, abortSignal),
    writeTextFile: async ({ path, content, abortSignal, encoding = 'utf-8' }) => {
      if (!/^utf-?8$/i.test(encoding)) {
        const message = `Cannot write ${path} as ${encoding}: write its bytes, with writeBinaryFile`;
        throw new SandboxError('unsupported', message, { details: { feature: 'encoding' } });
      }
      await write(path, content, abortSignal);
    },
    stat: async ({ path }): Promise<FileStat | null> => {
      const info = await follow(path);
      return info && { type: statType(info.type), size: info.sizeBytes };
    },
    listDirectory: async ({ path }): Promise<DirectoryEntry[] | null> => {
      const info = await follow(path);
      if (!info) return null;
      if (info.type !== 'directory') throw notAs(path, 'a directory');
      const entries = await files.list(info.path);
      return entries.map(({ name, type }) => ({ name, type: type === 'symlink' ? type : statType(type) }));
    },
    deleteFile: async ({ path }) => {
      const info = await files.stat(await resolve(path)).catch(nullIfMissing);
      if (!info) return false;
      if (info.type === 'directory') throw notAs(path, 'a file');
      await take(() => files.remove(info.path), `delete ${info.path}`);
      return true;
    },
    spawn: (async (options: ProcessOptions & { readonly stdin?: boolean }) =>
      spawnProcess(sandbox, options.command, {
        ...(await runOptions(options)),
        stdin: options.stdin === true,
      })) as SandboxSession['spawn'],
    run: async (options) => {
      const given = await runOptions(options);
      const { abortSignal: signal, command } = options;
      const step = await take(() => sandbox.commands.run(command, { ...given, timeoutMs }), command, signal);
      const { stdout, stderr, droppedBytes } = step.value;
      const { cut: _, ...answer } = describeRun(step);
      // Its output is whole here.
      return { ...answer, stdout, stderr, ...(droppedBytes > 0 ? { droppedBytes } : {}) };
    },
  };
}

function networkText({ network, allow }: Sandbox['info']): string {
  if (network !== 'full') return 'it has no network.';
  return allow ? `its network reaches ${allow.join(', ')}, and nothing else.` : 'it has a network.';
}

function nullIfMissing(cause: unknown): null {
  if (SandboxError.from(cause).code === 'not-found') return null;
  throw cause;
}

function notAs(path: string, what: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot use ${path} as ${what}: it is something else`);
}

function statType(type: FileType): FileStat['type'] {
  return type === 'file' || type === 'directory' ? type : 'other';
}
