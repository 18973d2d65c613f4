import { SandboxError } from '../../../protocol/errors.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { FileEntry } from '../trees/file-entries.ts';
import { tarOf } from '../trees/tar-entries.ts';
import { installLimits } from './limits.ts';
import { NpmError } from './npm-error.ts';

/** What of a sandbox an install uses. */
export type InstallSandbox = Pick<Sandbox, 'files' | 'importTar'>;

/** The files of a project; paths are relative to its folder. */
export interface ProjectFiles {
  /** @throws NpmError ENOENT, ELIMIT */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** `undefined` where there is none. @throws NpmError ELIMIT */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Replaces a file that is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** All of it or nothing. @throws SandboxError */
  unpack(entries: Iterable<FileEntry>, signal?: AbortSignal): Promise<void>;
}

/** @param folder Absolute. */
export function projectFiles(sandbox: InstallSandbox, folder: string): ProjectFiles {
  const { files } = sandbox;
  const find = async (path: string, mostBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    try {
      const info = await files.stat(`${folder}/${path}`);
      if (info.type === 'directory') return undefined;
      if (info.sizeBytes > mostBytes)
        throw new NpmError('ELIMIT', `${path} has more than ${mostBytes} bytes`);
      return new Uint8Array(await files.read(`${folder}/${path}`, { format: 'bytes' }));
    } catch (cause) {
      if (!(cause instanceof NpmError) && SandboxError.from(cause).code === 'not-found') return undefined;
      throw cause;
    }
  };
  return {
    read: async (path) => {
      const bytes = await find(path, installLimits.archiveBytes);
      if (bytes) return bytes;
      throw new NpmError('ENOENT', `Cannot read ${path}: there is no such file in ${folder}`);
    },
    readText: async (path) => {
      const bytes = await find(path, installLimits.projectFileBytes);
      return bytes && new TextDecoder().decode(bytes);
    },
    exists: (path) => files.exists(`${folder}/${path}`),
    remove: async (path) => {
      try {
        await files.remove(`${folder}/${path}`);
      } catch (cause) {
        if (SandboxError.from(cause).code !== 'not-found') throw cause;
      }
    },
    makeDirectory: (path) => files.makeDirectory(`${folder}/${path}`),
    rename: (from, to) => files.rename(`${folder}/${from}`, `${folder}/${to}`),
    unpack: async (entries, signal) => {
      await sandbox.importTar(tarOf(entries), { path: folder, ...(signal ? { signal } : {}) });
    },
  };
}
