import { SandboxError } from '../../protocol/errors.ts';
import type { FileInfo, FileType } from '../../protocol/sandbox/files.ts';
import { toByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { decodeChunk } from '../../tree/content/chunk.ts';
import { unfoldContent } from '../../tree/content/file-content.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { treeLimits } from '../../tree/limits.ts';
import { readDirectory } from '../../tree/objects/read-directory.ts';
import type { TreeEntry } from '../../tree/objects/tree-entry.ts';
import { decodeTreeRoot } from '../../tree/objects/tree-root.ts';
import { replayLimits } from './limits.ts';

/** Links that a path may lead through, as Linux allows. */
const mostLinks = 40;

/** `st_mode >> 12`, from stat(2). */
const typeOfMode: Readonly<Record<number, FileType>> = {
  1: 'fifo',
  2: 'device',
  4: 'directory',
  6: 'device',
  8: 'file',
  10: 'symlink',
  12: 'socket',
};

/** Reads objects. @throws what the recording's objects throw where one is in the image only */
export type ReadObject = (id: ObjectId) => Uint8Array;

/**
 * The files of a stored tree, directory by directory: a tree of which parts are elsewhere cannot be loaded as a whole.
 * Paths are those of the sandbox, absolute.
 */
export class RecordedFiles {
  readonly #read: ReadObject;
  readonly #root: TreeEntry;

  /** @throws RangeError, and what `read` throws */
  constructor(tree: ObjectId, read: ReadObject) {
    this.#read = read;
    this.#root = decodeTreeRoot(read(tree)).entry;
  }

  /** The entries of a directory, by name. @throws not-found, invalid-argument, asset-unavailable */
  async list(path: string): Promise<FileInfo[]> {
    const { directory } = await this.#find(path, { follows: true });
    if (directory === undefined) throw refusal('list', path, 'it is no directory');
    const entries = await readDirectory(this.#get, directory);
    const prefix = path.endsWith('/') ? path : `${path}/`;
    return entries.map((entry) => infoOf(entry, prefix + toDisplayText(entry.name)));
  }

  /** What `lstat` says. @throws not-found, asset-unavailable */
  async stat(path: string): Promise<FileInfo> {
    return infoOf(await this.#find(path, { follows: false }), path);
  }

  /** The content of a file. @throws not-found, invalid-argument, limit-exceeded, asset-unavailable */
  async read(path: string): Promise<Uint8Array> {
    const { mode, sizeBytes, content } = await this.#find(path, { follows: true });
    if (typeOf(mode) !== 'file') throw refusal('read', path, `it is a ${typeOf(mode)}`);
    const most = replayLimits.fileReadBytes;
    if (sizeBytes > most)
      throw new SandboxError('limit-exceeded', `Cannot read "${path}": it has more than ${most} bytes`, {
        details: { path, limit: most },
      });
    const bytes = new Uint8Array(sizeBytes);
    const extents = unfoldContent(content, { sizeBytes, source: { read: this.#read } });
    for (let at = 0; at * treeLimits.extentBytes < sizeBytes; at++) {
      const id = extents.get(at)?.id;
      if (id === undefined) continue;
      const start = at * treeLimits.extentBytes;
      bytes.set(decodeChunk(this.#read(id)).subarray(0, sizeBytes - start), start);
    }
    return bytes;
  }

  readonly #get = async (id: ObjectId): Promise<Uint8Array> => this.#read(id);

  async #find(path: string, { follows }: { readonly follows: boolean }): Promise<TreeEntry> {
    if (!path.startsWith('/')) throw refusal('open', path, 'the path is not absolute');
    const waiting = namesOf(path).reverse();
    const above: TreeEntry[] = [];
    let at: TreeEntry = this.#root;
    let links = 0;
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === '..') at = above.pop() ?? this.#root;
      if (name === '..' || name === '.') continue;
      const { directory } = at;
      if (directory === undefined) throw missing(path);
      const only = toByteString(name);
      const entry = (await readDirectory(this.#get, directory, { only })).find((each) => each.name === only);
      if (entry === undefined) throw missing(path);
      if (entry.target === undefined || (waiting.length === 0 && !follows)) {
        above.push(at);
        at = entry;
        continue;
      }
      if (++links > mostLinks) throw refusal('open', path, 'too many symbolic links');
      const target = toDisplayText(entry.target);
      waiting.push(...namesOf(target).reverse());
      if (!target.startsWith('/')) continue;
      at = this.#root;
      above.length = 0;
    }
    return at;
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function infoOf(entry: TreeEntry, path: string): FileInfo {
  return {
    path,
    name: toDisplayText(entry.name),
    type: typeOf(entry.mode),
    mode: entry.mode & 0o7777,
    uid: entry.uid,
    gid: entry.gid,
    sizeBytes: entry.sizeBytes,
    modifiedAtMs: entry.mtimeSeconds * 1000 + Math.floor(entry.mtimeNanoseconds / 1e6),
    target: entry.target === undefined ? undefined : toDisplayText(entry.target),
  };
}

function typeOf(mode: number): FileType {
  return typeOfMode[mode >>> 12] ?? 'file';
}

function missing(path: string): SandboxError {
  return new SandboxError('not-found', `Cannot open "${path}": no such file or directory`, {
    details: { path },
  });
}

function refusal(verb: string, path: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot ${verb} "${path}": ${why}`, { details: { path } });
}
