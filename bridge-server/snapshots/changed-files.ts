import { SandboxError } from '../../protocol/errors.ts';
import type { ByteString } from '../../tree/live/byte-string.ts';
import { toDisplayText } from '../../tree/live/byte-string.ts';
import { HostTool } from './host-tool.ts';
import { type DiskMember, MemberReader } from './read-members.ts';

/** The attributes and content of files on disk, one after the other. Owns the tar that reads them. */
export interface ChangedFiles extends AsyncDisposable {
  /** The next file of the list, which must be `path`. @throws internal when it cannot be read */
  next(path: ByteString): Promise<DiskMember>;
  /** Gives the next `length` bytes of its data to `take`, in pieces that are valid during the call. */
  data(length: number, take: (bytes: Uint8Array) => void): Promise<void>;
}

/**
 * Reads regular files and directories below `folder` through one GNU tar, since Node reads neither
 * extended attributes nor where the holes of a file are. Nothing may change them meanwhile.
 */
export async function openChangedFiles(folder: string, paths: readonly ByteString[]): Promise<ChangedFiles> {
  if (paths.length === 0) return noFiles;
  const tar = new HostTool('tar', [...tarOptions, '--directory', folder, '--null', '--files-from=-']);
  const reader = new MemberReader(tar.stdout);
  // Not awaited: tar reads names while it writes files, and whoever disposes of it ends the wait.
  void writeNames(tar, paths);
  return {
    async next(path) {
      const member = await reader.next().catch((cause: unknown) => explain(tar, { path, cause }));
      if (member.path === path) return member;
      return explain(tar, { path, cause: new RangeError(`tar told of "${toDisplayText(member.path)}"`) });
    },
    data: (length, take) => reader.data(length, take),
    [Symbol.asyncDispose]: () => tar[Symbol.asyncDispose](),
  };
}

const noFiles: ChangedFiles = {
  next: (path) => Promise.reject(new SandboxError('internal', `"${toDisplayText(path)}" was not asked for`)),
  data: async () => {},
  [Symbol.asyncDispose]: async () => {},
};

const tarOptions = [
  '--create',
  '--file=-',
  '--format=pax',
  // 64 KiB at a time, what a pipe holds; usual are 10.
  '--blocking-factor=128',
  '--sparse',
  // The one whose map is in the header.
  '--sparse-version=0.1',
  '--pax-option=delete=atime,delete=ctime',
  '--xattrs',
  '--xattrs-include=*',
  '--no-recursion',
  '--numeric-owner',
  '--hard-dereference',
  '--no-unquote',
  '--verbatim-files-from',
];

/** Names given to tar at a time. */
const namesPerWrite = 1_024;

async function writeNames(tar: HostTool, paths: readonly ByteString[]): Promise<void> {
  for (let at = 0; at < paths.length; at += namesPerWrite) {
    // With `./` before it no name is an option.
    const names = paths.slice(at, at + namesPerWrite).map((path) => `./${path}\0`);
    await tar.write(Buffer.from(names.join(''), 'latin1'));
  }
  tar.stdin.end();
}

/** What tar said of it is more use than that its archive ended. */
async function explain(tar: HostTool, { path, cause }: { path: ByteString; cause: unknown }): Promise<never> {
  await tar[Symbol.asyncDispose]();
  const said = await tar.finish().catch((error: unknown) => error);
  const why = said instanceof Error ? said.message : (cause as Error).message;
  throw new SandboxError('internal', `Cannot read "${toDisplayText(path).slice(0, 200)}": ${why}`, { cause });
}
