import type { ByteString } from '../content/byte-string.ts';
import { decodeChunk } from '../content/chunk.ts';
import { chunkListLevel, decodeChunkList } from '../content/chunk-list.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import type { GetObject } from './get-object.ts';
import { needObject } from './get-object.ts';
import { readDirectory } from './read-directory.ts';
import type { TreeEntry } from './tree-entry.ts';
import { decodeTreeRoot } from './tree-root.ts';

const { chunkListFanOut, extentBytes } = treeLimits;

/** Reads single files and directories of a stored tree without loading the rest. Caches only its root. */
export class TreeReader {
  readonly #get: GetObject;
  readonly #root: TreeEntry;

  constructor(get: GetObject, root: TreeEntry) {
    this.#get = get;
    this.#root = root;
  }

  /** @throws RangeError when the tree's root is missing or not canonical */
  static async open(get: GetObject, id: ObjectId): Promise<TreeReader> {
    return new TreeReader(get, decodeTreeRoot(await needObject(get, id)).entry);
  }

  /**
   * The entry that `path` leads to, or `undefined`. Symlinks on the way are followed inside the tree; the last name
   * is too unless `followLast` is false.
   * @throws RangeError for more than 40 symlinks, and when an object is missing or not canonical
   */
  async stat(
    path: ByteString,
    options: { readonly followLast?: boolean } = {},
  ): Promise<TreeEntry | undefined> {
    const left = namesOf(path);
    // The directories from the root to the current one: `..` removes one.
    let trail: TreeEntry[] = [this.#root];
    let followed = 0;
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const here = trail[trail.length - 1];
      if (here?.directory === undefined) return undefined;
      if (name === '.') continue;
      if (name === '..') {
        if (trail.length > 1) trail.pop();
        continue;
      }
      const entry = await this.#lookup(here.directory, name);
      if (entry === undefined) return undefined;
      if (entry.target === undefined || (left.length === 0 && options.followLast === false)) {
        trail.push(entry);
        continue;
      }
      followed += 1;
      if (followed > treeLimits.symlinksFollowed) throw new RangeError(`Too many symlinks in "${path}"`);
      left.push(...namesOf(entry.target));
      if (entry.target.startsWith('/')) trail = [this.#root];
    }
    return trail[trail.length - 1];
  }

  /** The entries of a directory in the order of their names, or `undefined` when it is none. @throws as `stat` */
  async list(path: ByteString): Promise<TreeEntry[] | undefined> {
    const entry = await this.stat(path);
    return entry?.directory === undefined ? undefined : readDirectory(this.#get, entry.directory);
  }

  /**
   * The content of a regular file, or `undefined` when there is none. The bytes are the caller's.
   * @throws RangeError when it has more than `maxBytes`, and as `stat`
   */
  async read(
    path: ByteString,
    options: { readonly maxBytes?: number } = {},
  ): Promise<Uint8Array | undefined> {
    const entry = await this.stat(path);
    return entry?.content === undefined ? undefined : readContent(this.#get, entry, options);
  }

  async #lookup(directory: ObjectId, name: ByteString): Promise<TreeEntry | undefined> {
    const entries = await readDirectory(this.#get, directory, { only: name });
    return entries.find((entry) => entry.name === name);
  }
}

/** The bytes of a regular file's entry. @throws RangeError as `TreeReader.read` */
export async function readContent(
  get: GetObject,
  entry: TreeEntry,
  options: { readonly maxBytes?: number } = {},
): Promise<Uint8Array> {
  const maxBytes = options.maxBytes ?? 2 ** 30;
  const { content, sizeBytes } = entry;
  if (sizeBytes > maxBytes) {
    throw new RangeError(`Cannot read a file of ${sizeBytes} bytes: ${maxBytes} is the most`);
  }
  const bytes = new Uint8Array(sizeBytes);
  const copy = async (id: ObjectId, index: number): Promise<void> => {
    const chunk = decodeChunk(await needObject(get, id));
    if (index * extentBytes + chunk.length > sizeBytes)
      throw new RangeError(`Chunk ${id} does not fit its file`);
    bytes.set(chunk, index * extentBytes);
  };
  const walk = async (id: ObjectId, level: number, start: number): Promise<void> => {
    const list = decodeChunkList(await needObject(get, id));
    const span = chunkListFanOut ** level;
    if (list.level !== level || (start + (list.slots.length - 1) * span) * extentBytes >= sizeBytes) {
      throw new RangeError(`Chunk list ${id} does not fit its file`);
    }
    for (const [index, slot] of list.slots.entries()) {
      if (slot === undefined) continue;
      if (level === 0) await copy(slot, start + index);
      else await walk(slot, level - 1, start + index * span);
    }
  };
  if (content?.type === 'chunk') await copy(content.id, 0);
  if (content?.type === 'list') await walk(content.id, chunkListLevel(sizeBytes), 0);
  return bytes;
}

/** Names in reverse; a slash at the end asks for a directory, as `.` does. */
function namesOf(path: ByteString): ByteString[] {
  const names = path.split('/').filter((name) => name !== '');
  if (path.endsWith('/') && names.length > 0) names.push('.');
  return names.reverse();
}
