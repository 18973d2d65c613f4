import type {
  Experimental_SandboxDirectoryEntry as DirectoryEntry,
  Experimental_SandboxFileStat as FileStat,
  Experimental_SandboxSession as SandboxSession,
} from 'ai';
import { SandboxError } from '../../protocol/errors.ts';
import type { FileInfo, FileType } from '../../protocol/sandbox/files.ts';
import type { RunOptions } from '../commands.ts';
import type { Sandbox } from '../sandbox.ts';
import { describeRun, type RunAnswer } from './describe-run.ts';
import { SandboxSteps } from './sandbox-steps.ts';
import { spawnProcess } from './spawn-process.ts';
import { writeFile } from './write-file.ts';

type ProcessOptions = Parameters<SandboxSession['run']>[0];

/** The AI SDK's session; what `run` answers has the snapshot of the files after it too. */
export interface AiSdkSession extends Omit<SandboxSession, 'run'> {
  readonly run: (
    options: ProcessOptions,
  ) => Promise<RunAnswer & { exitCode: number; stdout: string; stderr: string }>;
}

/** How many links `stat` follows before it takes them for a circle, as Linux does. */
const followedLinks = 40;

/**
 * A sandbox as `experimental_sandbox` of `generateText`, `streamText` and agents. `cwd` is where relative paths and
 * commands begin.
 */
export function createAiSdkSession(sandbox: Sandbox, options: { readonly cwd?: string } = {}): AiSdkSession {
  const { files, info } = sandbox;
  const { cwd } = options;
  const steps = SandboxSteps.of(sandbox);
  const resolve = (path: string) => steps.resolve(path, cwd);

  async function read(path: string, signal?: AbortSignal): Promise<Uint8Array | null> {
    signal?.throwIfAborted();
    return files.read(await resolve(path), { format: 'bytes' }).catch(nullIfMissing);
  }
  async function write(path: string, data: string | Uint8Array, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await writeFile(sandbox, await resolve(path), data);
  }
  async function follow(path: string): Promise<FileInfo | null> {
    let at = await resolve(path);
    for (let links = 0; links < followedLinks; links++) {
      const info = await files.stat(at).catch(nullIfMissing);
      if (info?.type !== 'symlink') return info;
      at = await steps.resolve(info.target ?? '', at.slice(0, at.lastIndexOf('/')) || '/');
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
      info.network === 'full' ? 'it has a network.' : 'it has no network.',
      'Every command is followed by a snapshot, to which the sandbox can go back.',
    ].join(' '),
    readFile: async ({ path, abortSignal }) => {
      const bytes = await read(path, abortSignal);
      return bytes && new Blob([new Uint8Array(bytes)]).stream();
    },
    readBinaryFile: ({ path, abortSignal }) => read(path, abortSignal),
    readTextFile: async ({ path, abortSignal, encoding = 'utf-8', startLine = 1, endLine }) => {
      const bytes = await read(path, abortSignal);
      if (!bytes) return null;
      const text = new TextDecoder(encoding).decode(bytes);
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
      await files.remove(info.path);
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
      const step = await steps
        .take(() => sandbox.commands.run(command, given), { label: command, signal })
        .catch((error: unknown) => {
          throw signal?.aborted ? signal.reason : error;
        });
      return describeRun(step);
    },
  };
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
