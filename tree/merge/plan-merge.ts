import type { ByteString } from '../content/byte-string.ts';
import type { ObjectId } from '../content/object-id.ts';
import { historyError } from '../history/history-error.ts';
import { WorkSlices } from '../next-task.ts';
import type { GetObject } from '../objects/get-object.ts';
import { needObject } from '../objects/get-object.ts';
import { directoryPages, readDirectory } from '../objects/read-directory.ts';
import { sameInode, sameMetadata, type TreeEntry } from '../objects/tree-entry.ts';
import { decodeTreeRoot } from '../objects/tree-root.ts';
import { mergeLimits } from './limits.ts';
import { type MergedEntry, mergeEntries, mergeMetadata, type Sides } from './merge-entries.ts';
import type { MergeSide } from './merge-text.ts';

/** A path that both sides have changed, and how: see `MergeConflict` of the protocol. */
export interface TreeConflict {
  /** Absolute, as bytes. */
  readonly path: ByteString;
  readonly kind: 'content' | 'added' | 'deleted-by-us' | 'deleted-by-them' | 'type' | 'metadata';
}

/** One change of our tree. They come in the order in which they can be made. */
export type MergeStep =
  /** With all that is below it. */
  | { readonly type: 'remove'; readonly path: ByteString }
  /** Puts a new inode there, in place of what is no directory; what is in a directory comes after it. */
  | ({ readonly type: 'make'; readonly path: ByteString } & MergedEntry)
  /** Sets the attributes of a directory, after all that changes in it. */
  | { readonly type: 'attributes'; readonly path: ByteString; readonly entry: TreeEntry };

export interface MergePlan {
  readonly steps: readonly MergeStep[];
  /** At most `mergeLimits.conflicts` of them. With `prefer`, those that it has settled. */
  readonly conflicts: readonly TreeConflict[];
  readonly conflictCount: number;
}

export interface MergeTrees {
  readonly base: ObjectId;
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
  /** The side that is taken where the two are in conflict. */
  readonly prefer?: MergeSide | undefined;
}

/**
 * What turns our tree into the merge of ours and theirs (ADR 43). Each name is of the side that has changed it since
 * `base`; a file that moved is one that was deleted and one that was created. Costs what differs.
 * @throws limit-exceeded; RangeError when an object is missing or not canonical
 */
export async function planMerge(get: GetObject, trees: MergeTrees): Promise<MergePlan> {
  const planner = new MergePlanner(get, trees.prefer);
  const root = async (id: ObjectId) => decodeTreeRoot(await needObject(get, id)).entry;
  const [base, ours, theirs] = [await root(trees.base), await root(trees.ours), await root(trees.theirs)];
  if (trees.ours !== trees.theirs && trees.base !== trees.theirs) {
    await planner.merge('/', { base, ours, theirs });
  }
  return planner;
}

class MergePlanner implements MergePlan {
  readonly steps: MergeStep[] = [];
  readonly conflicts: TreeConflict[] = [];
  conflictCount = 0;
  readonly #get: GetObject;
  readonly #prefer: MergeTrees['prefer'];
  readonly #slices = new WorkSlices();
  #directories = 0;

  constructor(get: GetObject, prefer: MergeTrees['prefer']) {
    this.#get = get;
    this.#prefer = prefer;
  }

  /** Answers whether something is at `path` afterwards. */
  async merge(path: ByteString, sides: Sides): Promise<boolean> {
    const { base, ours, theirs } = sides;
    if (isSame(ours, theirs) || isSame(base, theirs)) return ours !== undefined;
    const isInDirectories = [ours ?? theirs, theirs ?? ours].every((entry) => entry?.directory);
    // Of a directory that one side deleted, the other may have changed something.
    const isOneDeleted = ours === undefined || theirs === undefined;
    const isDirectory = isInDirectories && (!isOneDeleted || base?.directory !== undefined);
    if (isDirectory && (theirs || !isSame(base, ours))) return this.#mergeDirectories(path, sides);
    if (isSame(base, ours)) return this.#take(path, sides);
    // Times are in no conflict.
    if (ours === undefined && isSameButTime(base, theirs)) return false;
    if (theirs === undefined && isSameButTime(base, ours)) return this.#take(path, sides);
    if (ours === undefined) return this.#conflict(path, 'deleted-by-us', sides);
    if (theirs === undefined) return this.#conflict(path, 'deleted-by-them', sides);
    if (typeOf(ours) !== typeOf(theirs)) return this.#conflict(path, 'type', sides);
    const before = base && typeOf(base) === typeOf(ours) ? base : undefined;
    const versions = { base: before, ours, theirs, path };
    let merged = await mergeEntries(this.#get, versions);
    if (typeof merged === 'string') {
      const settled = this.#prefer && (await mergeEntries(this.#get, versions, { prefer: this.#prefer }));
      if (settled === undefined || typeof settled === 'string') return this.#conflict(path, merged, sides);
      this.#note({ path, kind: merged });
      merged = settled;
    }
    if (merged.text || !sameInode(merged.entry, ours)) this.#add({ type: 'make', path, ...merged });
    return true;
  }

  async #mergeDirectories(path: ByteString, sides: Sides): Promise<boolean> {
    const { ours, theirs } = sides;
    const first = this.steps.length;
    const holdsSomething = await this.#mergeNames(path, sides);
    const base = sides.base?.directory ? sides.base : undefined;
    if (!ours || !theirs) {
      const there = ours ?? theirs;
      if (!holdsSomething || !there) {
        // Everything in it was taken away one by one already.
        if (ours) this.steps.splice(first, this.steps.length, { type: 'remove', path });
        return false;
      }
      if (theirs) this.#insert(first, { type: 'make', path, entry: theirs });
      this.#add({ type: 'attributes', path, entry: there });
      return true;
    }
    const metadata = mergeMetadata({ base, ours, theirs });
    if (!metadata) this.#note({ path, kind: 'metadata' });
    const entry = metadata ? { ...ours, ...metadata } : this.#prefer === 'theirs' ? theirs : ours;
    if (!sameMetadata(entry, ours) || this.steps.length > first) {
      this.#add({ type: 'attributes', path, entry });
    }
    return true;
  }

  /** Answers whether a name is left. */
  async #mergeNames(path: ByteString, { base, ours, theirs }: Sides): Promise<boolean> {
    await this.#countDirectory();
    const pages = async (entry: TreeEntry | undefined) =>
      new Set(entry?.directory ? await directoryPages(this.#get, entry.directory) : []);
    const [basePages, ourPages, theirPages] = [await pages(base), await pages(ours), await pages(theirs)];
    const read = async (entry: TreeEntry | undefined, except: ReadonlySet<ObjectId>) => {
      const entries = entry?.directory ? await readDirectory(this.#get, entry.directory, { except }) : [];
      return new Map(entries.map((each) => [each.name, each]));
    };
    // A page that they did not change, or that both have alike, says nothing that is to be done.
    const inBase = await read(base, theirPages);
    const inOurs = await read(ours, theirPages);
    const inTheirs = await read(theirs, new Set([...basePages, ...ourPages]));
    let isLeft = [...ourPages].some((page) => theirPages.has(page));
    for (const name of [...new Set([...inBase.keys(), ...inOurs.keys(), ...inTheirs.keys()])].sort()) {
      const sides = { base: inBase.get(name), ours: inOurs.get(name), theirs: inTheirs.get(name) };
      if (await this.merge(path === '/' ? `/${name}` : `${path}/${name}`, sides)) isLeft = true;
    }
    return isLeft;
  }

  /** What is theirs comes in place of ours. */
  async #take(path: ByteString, { ours, theirs }: Sides): Promise<boolean> {
    if (ours && (!theirs || ours.directory || theirs.directory)) this.#add({ type: 'remove', path });
    if (theirs) await this.#make(path, theirs);
    return theirs !== undefined;
  }

  /** With everything below it. */
  async #make(path: ByteString, entry: TreeEntry): Promise<void> {
    this.#add({ type: 'make', path, entry });
    if (!entry.directory) return;
    await this.#countDirectory();
    for (const each of await readDirectory(this.#get, entry.directory))
      await this.#make(`${path}/${each.name}`, each);
    this.#add({ type: 'attributes', path, entry });
  }

  #conflict(path: ByteString, kind: TreeConflict['kind'], sides: Sides): Promise<boolean> | boolean {
    this.#note({ path, kind });
    return this.#prefer === 'theirs' ? this.#take(path, sides) : sides.ours !== undefined;
  }

  #note(conflict: TreeConflict): void {
    this.conflictCount++;
    if (this.conflicts.length < mergeLimits.conflicts) this.conflicts.push(conflict);
  }

  #insert(at: number, step: MergeStep): void {
    this.#assertRoom();
    this.steps.splice(at, 0, step);
  }

  #add(step: MergeStep): void {
    this.#assertRoom();
    this.steps.push(step);
  }

  #assertRoom(): void {
    if (this.steps.length < mergeLimits.steps) return;
    throw tooMuch(`more than ${mergeLimits.steps} files differ`, mergeLimits.steps);
  }

  /** Objects are shared, so a small hostile tree can have exponentially many directories. */
  async #countDirectory(): Promise<void> {
    this.#directories++;
    await this.#slices.end();
    if (this.#directories > mergeLimits.directories) {
      throw tooMuch(`more than ${mergeLimits.directories} directories differ`, mergeLimits.directories);
    }
  }
}

function tooMuch(why: string, limit: number): Error {
  return historyError('limit-exceeded', `Cannot merge: ${why}`, { limit });
}

function isSame(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameInode(one, other);
}

/** Whether two entries differ in nothing but when they were changed. */
function isSameButTime(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const { mtimeSeconds, mtimeNanoseconds } = other;
  return sameInode({ ...one, mtimeSeconds, mtimeNanoseconds }, other);
}

function typeOf({ mode }: TreeEntry): number {
  return mode >> 12;
}
