import { SandboxError } from '../../../protocol/errors.ts';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import type { Files } from '../../../sdk/files.ts';
import { type ServedObject, served } from '../wire/object-server.ts';
import { RemoteFunction } from '../wire/remote-function.ts';
import { parentOf, resolveInWorkdir } from './container-paths.ts';
import type { FileWatchers } from './file-watchers.ts';
import { NodeError, toNodeError } from './node-error.ts';
import { decodeBytes, encodeText } from './text-encodings.ts';

/** Kinds of entries, as the package numbers them. */
const entryTypes: Partial<Record<FileInfo['type'], number>> = { file: 1, directory: 2 };

interface FileMethodsParts {
  readonly files: Files;
  readonly workdir: string;
  readonly watchers: FileWatchers;
}

/** The object behind `webcontainer.fs`. */
export function fileMethods({ files, workdir, watchers }: FileMethodsParts): ServedObject {
  /** Runs `work` on the absolute path; what fails there is told in Node's words. */
  const at = async <T>(
    operation: string,
    path: unknown,
    work: (absolute: string) => Promise<T>,
  ): Promise<T> => {
    const absolute = resolveInWorkdir(workdir, path, operation);
    if (operation !== 'watch') await watchers.added;
    try {
      return await work(absolute);
    } catch (cause) {
      throw toNodeError(cause, { operation, path: String(path) });
    }
  };
  const find = async (absolute: string): Promise<FileInfo | undefined> => {
    try {
      return await files.stat(absolute);
    } catch (cause) {
      if (SandboxError.from(cause).code === 'not-found') return undefined;
      throw cause;
    }
  };

  const readFile = (path: unknown, options?: unknown) =>
    at('open', path, async (absolute) => {
      const info = await find(absolute);
      if (info?.type === 'directory')
        throw new NodeError('EISDIR', { operation: 'read', path: String(path) });
      const bytes = await files.read(absolute, { format: 'bytes' });
      const encoding = encodingOf(options);
      return encoding === undefined ? bytes : decodeBytes(bytes, encoding);
    });

  const writeFile = (path: unknown, data: unknown, options?: unknown) =>
    at('open', path, async (absolute) => {
      const bytes = toBytes(data, encodingOf(options));
      if ((await find(absolute))?.type === 'directory')
        throw new NodeError('EISDIR', { operation: 'open', path: String(path) });
      if ((await find(parentOf(absolute))) === undefined)
        throw new NodeError('ENOENT', { operation: 'open', path: String(path) });
      await files.write(absolute, bytes);
    });

  const readdir = (path: unknown, options?: unknown) =>
    at('scandir', path, async (absolute) => {
      const info = await find(absolute);
      if (info && info.type === 'file')
        throw new NodeError('ENOTDIR', { operation: 'scandir', path: String(path) });
      const entries = await files.list(absolute);
      const encoding = encodingOf(options);
      const name = (entry: FileInfo) =>
        encoding === 'buffer' ? new TextEncoder().encode(entry.name) : entry.name;
      if (!hasFlag(options, 'withFileTypes')) return entries.map(name);
      return entries.map((entry) => ({ name: name(entry), 'Symbol(type)': entryTypes[entry.type] ?? 0 }));
    });

  const mkdir = (path: unknown, options?: unknown) =>
    at('mkdir', path, async (absolute) => {
      const isRecursive = hasFlag(options, 'recursive');
      const info = await find(absolute);
      if (info && !(isRecursive && info.type === 'directory'))
        throw new NodeError('EEXIST', { operation: 'mkdir', path: String(path) });
      if (!isRecursive && (await find(parentOf(absolute))) === undefined)
        throw new NodeError('ENOENT', { operation: 'mkdir', path: String(path) });
      await files.makeDirectory(absolute);
      return isRecursive ? absolute : undefined;
    });

  const rm = (path: unknown, options?: unknown) =>
    at('rm', path, async (absolute) => {
      if (absolute === workdir) throw new NodeError('EACCES', { operation: 'rm', path: String(path) });
      const info = await find(absolute);
      if (info === undefined) {
        if (hasFlag(options, 'force')) return;
        throw new NodeError('ENOENT', { operation: 'rm', path: String(path) });
      }
      if (info.type === 'directory' && !hasFlag(options, 'recursive'))
        throw new NodeError('EISDIR', { operation: 'rm', path: String(path) });
      await files.remove(absolute);
    });

  const rename = (from: unknown, to: unknown) =>
    at('rename', from, (absolute) => files.rename(absolute, resolveInWorkdir(workdir, to, 'rename')));

  const watch = (path: unknown, options: unknown, listener: unknown) =>
    at('watch', path, async (absolute) => {
      if (!(listener instanceof RemoteFunction))
        throw new NodeError('EINVAL', { operation: 'watch', path: String(path) });
      const close = await watchers.add(absolute, {
        isRecursive: hasFlag(options, 'recursive'),
        isBinary: encodingOf(options) === 'buffer',
        listener,
      });
      return served({ methods: { close }, onRelease: close });
    });

  return { methods: { readFile, writeFile, readdir, mkdir, rm, rename, watch } };
}

function encodingOf(options: unknown): string | undefined {
  const encoding =
    typeof options === 'object' && options !== null && 'encoding' in options ? options.encoding : options;
  return typeof encoding === 'string' ? encoding : undefined;
}

function hasFlag(options: unknown, name: string): boolean {
  return (
    typeof options === 'object' && options !== null && (options as Record<string, unknown>)[name] === true
  );
}

function toBytes(data: unknown, encoding = 'utf8'): Uint8Array {
  if (typeof data === 'string') return encodeText(data, encoding);
  if (data instanceof Uint8Array) return data;
  throw new SandboxError(
    'invalid-argument',
    'Cannot write the file: its content is neither text nor a Uint8Array',
  );
}
