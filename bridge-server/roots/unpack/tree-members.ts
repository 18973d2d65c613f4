import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { contentChunks } from '../../../tree/content/file-content.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { GetObject } from '../../../tree/objects/get-object.ts';
import { needObject } from '../../../tree/objects/get-object.ts';
import { readDirectory } from '../../../tree/objects/read-directory.ts';
import { sameInode, type TreeEntry } from '../../../tree/objects/tree-entry.ts';
import { decodeTreeRoot } from '../../../tree/objects/tree-root.ts';
import type { LinkedNames } from './linked-names.ts';
import { readLinkedNames, regroupedNames } from './linked-names.ts';

/**
 * A path, without a leading slash, that has to be made or to go; the root's is `''`. `replaces`: what
 * is there is of another type.
 */
export type TreeMember =
  | { readonly type: 'removed'; readonly path: ByteString }
  | {
      readonly type: 'made';
      readonly path: ByteString;
      readonly entry: TreeEntry;
      readonly replaces: boolean;
      /** What is there has extended attributes that the entry has not. */
      readonly dropsXattrs: boolean;
    }
  | {
      readonly type: 'linked';
      readonly path: ByteString;
      readonly entry: TreeEntry;
      readonly to: ByteString;
      readonly replaces: boolean;
    };

export interface TreeMembersOptions {
  /** The tree that is there already; without it everything is made. */
  readonly from: ObjectId | undefined;
  readonly to: ObjectId;
  /** File content that the members may have, in all. */
  readonly maxBytes: number;
}

/**
 * What turns the files of `from` into those of `to`: directories before what is in them, names in
 * the order of their bytes. Every directory with a member below it is a member itself, since its
 * time moves. What the trees share is not read.
 * @throws corrupt-object, limit-exceeded, and what `get` throws
 */
export async function* treeMembers(get: GetObject, options: TreeMembersOptions): AsyncGenerator<TreeMember> {
  try {
    const to = decodeTreeRoot(await needObject(get, options.to));
    const from = options.from === undefined ? undefined : decodeTreeRoot(await needObject(get, options.from));
    const links = await readLinkedNames(get, to.links);
    const oldLinks: LinkedNames = from ? await readLinkedNames(get, from.links) : new Map();
    const walk = new MemberWalk(get, { links, regrouped: regroupedNames(oldLinks, links), ...options });
    yield* walk.compare('', from?.entry, to.entry);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new SandboxError('corrupt-object', `Cannot unpack tree ${options.to}: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

class MemberWalk {
  readonly #get: GetObject;
  readonly #links: LinkedNames;
  readonly #regrouped: ReadonlySet<ByteString>;
  /** Directories that have regrouped names somewhere below. */
  readonly #above: ReadonlySet<ByteString>;
  readonly #primaries = new Map<ByteString, TreeEntry>();
  #membersLeft: number = limits.inodes;
  #bytesLeft: number;

  constructor(
    get: GetObject,
    options: {
      readonly links: LinkedNames;
      readonly regrouped: ReadonlySet<ByteString>;
      readonly maxBytes: number;
    },
  ) {
    this.#get = get;
    this.#links = options.links;
    this.#regrouped = options.regrouped;
    this.#above = directoriesAbove(options.regrouped);
    this.#bytesLeft = options.maxBytes;
  }

  async *compare(path: ByteString, from: TreeEntry | undefined, to: TreeEntry): AsyncGenerator<TreeMember> {
    const isSame = from !== undefined && sameInode(from, to);
    if (isSame && !this.#regrouped.has(path) && !this.#above.has(path)) return;
    const old = from?.directory;
    const replaces = from !== undefined && from.mode >> 12 !== to.mode >> 12;
    const dropsXattrs = from !== undefined && [...from.xattrs.keys()].some((name) => !to.xattrs.has(name));
    yield this.#count(this.#member(path, { entry: to, replaces, dropsXattrs }));
    if (to.directory === undefined) return;
    const before = new Map<ByteString, TreeEntry>();
    // Read whole, not only the pages that differ: a regrouped name may be on one that does not.
    if (old !== undefined)
      for (const entry of await readDirectory(this.#get, old)) before.set(entry.name, entry);
    for (const entry of await readDirectory(this.#get, to.directory)) {
      const was = before.get(entry.name);
      before.delete(entry.name);
      yield* this.compare(path === '' ? entry.name : `${path}/${entry.name}`, was, entry);
    }
    for (const name of before.keys()) {
      yield this.#count({ type: 'removed', path: path === '' ? name : `${path}/${name}` });
    }
  }

  #member(
    path: ByteString,
    made: { readonly entry: TreeEntry; readonly replaces: boolean; readonly dropsXattrs: boolean },
  ): TreeMember {
    const { entry, replaces } = made;
    const primary = this.#links.get(path);
    if (primary === undefined) return { type: 'made', path, ...made };
    if (primary === path) {
      this.#primaries.set(path, entry);
      return { type: 'made', path, ...made };
    }
    const file = this.#primaries.get(primary);
    if (file === undefined || isDirectory(file.mode) || !sameInode(file, entry)) {
      throw new RangeError('a hard link does not match its file');
    }
    return { type: 'linked', path, entry, replaces, to: primary };
  }

  /** Objects are shared, so a small hostile tree can have endless members. */
  #count(member: TreeMember): TreeMember {
    this.#membersLeft -= 1;
    if (member.type === 'made' && member.entry.content) {
      this.#bytesLeft -= contentChunks(member.entry.content) * treeLimits.extentBytes;
    }
    if (this.#membersLeft < 0) throw tooLarge(`it has more than ${limits.inodes} files`);
    if (this.#bytesLeft < 0) throw tooLarge('its files take too much');
    if (member.path.length >= treeLimits.pathBytes) {
      throw tooLarge(`a path of ${member.path.length} bytes is more than Linux opens`);
    }
    return member;
  }
}

function tooLarge(why: string): SandboxError {
  return new SandboxError('limit-exceeded', `Cannot unpack a tree: ${why}`);
}

function directoriesAbove(paths: ReadonlySet<ByteString>): Set<ByteString> {
  const above = new Set<ByteString>();
  for (const path of paths) {
    above.add('');
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      above.add(path.slice(0, at));
  }
  return above;
}
