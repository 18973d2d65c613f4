import type { ByteString } from '../content/byte-string.ts';
import type { ObjectId } from '../content/object-id.ts';
import { isFile } from '../live/file-mode.ts';
import { emptyDirectory } from './directory.ts';
import type { GetObject } from './get-object.ts';
import { needObject } from './get-object.ts';
import { directoryPages, readDirectory } from './read-directory.ts';
import type { TreeEntry } from './tree-entry.ts';
import { contentId, sameContent, sameMetadata } from './tree-entry.ts';
import { decodeTreeRoot } from './tree-root.ts';

/** One difference. `metadata`: same content, other mode, owner, time or extended attributes. */
export interface TreeChange {
  readonly type: 'created' | 'modified' | 'deleted' | 'renamed' | 'metadata';
  /** Absolute, as bytes: see `toDisplayText`. */
  readonly path: ByteString;
  /** Where a renamed file or directory was. */
  readonly from?: ByteString;
  /** Absent for `created`. */
  readonly before: TreeEntry | undefined;
  /** Absent for `deleted`. */
  readonly after: TreeEntry | undefined;
}

export interface TreeDiff {
  /** Sorted by path. */
  readonly changes: readonly TreeChange[];
  /** Whether there were more than `maxChanges`. */
  readonly truncated: boolean;
}

/** Changed directories that one diff reads. */
const maxDirectories = 200_000;

/** Created and deleted names that one diff compares. */
const maxPlaces = 200_000;

interface Place {
  readonly path: ByteString;
  readonly entry: TreeEntry;
  /** The created or deleted directory that it is in. */
  readonly holder?: Place;
}

/**
 * The differences between two stored trees, without reading what they share. A deleted and a created file or
 * directory with the same content are one `renamed`. A directory of which only the content changed is not listed.
 * @throws RangeError when an object is missing or not canonical
 */
export async function diffTrees(
  get: GetObject,
  a: ObjectId,
  b: ObjectId,
  options: { readonly maxChanges?: number } = {},
): Promise<TreeDiff> {
  const diff = new Diff(get, options.maxChanges ?? 10_000);
  if (a !== b) {
    const before = decodeTreeRoot(await needObject(get, a)).entry;
    const after = decodeTreeRoot(await needObject(get, b)).entry;
    await diff.compare('/', before, after);
    await diff.settle();
  }
  const changes = diff.changes.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { changes, truncated: diff.truncated };
}

class Diff {
  readonly changes: TreeChange[] = [];
  truncated = false;
  readonly #get: GetObject;
  readonly #maxChanges: number;
  #directoriesLeft = maxDirectories;
  #created: Place[] = [];
  #deleted: Place[] = [];

  constructor(get: GetObject, maxChanges: number) {
    this.#get = get;
    this.#maxChanges = maxChanges;
  }

  /** Two entries of the same name. */
  async compare(path: ByteString, before: TreeEntry, after: TreeEntry): Promise<void> {
    const bothDirectories = before.directory !== undefined && after.directory !== undefined;
    if (!bothDirectories && before.mode >> 12 !== after.mode >> 12) {
      this.#deleted.push({ path, entry: before });
      this.#created.push({ path, entry: after });
      return;
    }
    if (!bothDirectories && !sameContent(before, after)) this.#add({ type: 'modified', path, before, after });
    else if (!sameMetadata(before, after) && !(bothDirectories && onlyTimeDiffers(before, after))) {
      this.#add({ type: 'metadata', path, before, after });
    }
    if (bothDirectories && before.directory !== after.directory && !this.truncated) {
      await this.#compareDirectories(path, before.directory, after.directory);
    }
  }

  /** Pairs moved files and directories, then lists the remaining ones with everything below them. */
  async settle(): Promise<void> {
    // Directories that moved as a whole need not be read, so they come first.
    this.#pair();
    await this.#open(this.#created);
    await this.#open(this.#deleted);
    this.#pair();
    for (const { path, entry } of this.#created)
      this.#add({ type: 'created', path, before: undefined, after: entry });
    for (const { path, entry } of this.#deleted)
      this.#add({ type: 'deleted', path, before: entry, after: undefined });
  }

  /**
   * Turns each pair of a deleted and a created entry with the same content, and everything below them, into one
   * `renamed`.
   */
  #pair(): void {
    const gone = new Map<string, Place[]>();
    for (const place of this.#deleted) {
      const key = moveKey(place.entry);
      if (key === undefined) continue;
      const places = gone.get(key) ?? [];
      places.push(place);
      gone.set(key, places);
    }
    const paired = new Set<Place>();
    const isCovered = (place: Place): boolean => {
      for (let at: Place | undefined = place; at; at = at.holder) if (paired.has(at)) return true;
      return false;
    };
    // A directory comes before its content, so the largest moved directory is found first.
    for (const place of this.#created) {
      const key = moveKey(place.entry);
      if (key === undefined || isCovered(place)) continue;
      const candidates = gone.get(key) ?? [];
      let from = candidates.shift();
      while (from && isCovered(from)) from = candidates.shift();
      if (from === undefined) continue;
      const { path, entry } = place;
      this.#add({ type: 'renamed', path, from: from.path, before: from.entry, after: entry });
      paired.add(place).add(from);
    }
    this.#created = this.#created.filter((place) => !isCovered(place));
    this.#deleted = this.#deleted.filter((place) => !isCovered(place));
  }

  async #compareDirectories(path: ByteString, before: ObjectId, after: ObjectId): Promise<void> {
    // Objects are shared, so a small hostile tree can have exponentially many directories, and names in them.
    this.#directoriesLeft -= 1;
    const places = Math.max(this.#created.length, this.#deleted.length);
    this.truncated ||= this.#directoriesLeft < 0 || places > maxPlaces;
    if (this.truncated) return;
    const oldPages = new Set(await directoryPages(this.#get, before));
    const newPages = new Set(await directoryPages(this.#get, after));
    const old = new Map<ByteString, TreeEntry>();
    for (const entry of await readDirectory(this.#get, before, { except: newPages }))
      old.set(entry.name, entry);
    for (const entry of await readDirectory(this.#get, after, { except: oldPages })) {
      const was = old.get(entry.name);
      old.delete(entry.name);
      if (was) await this.compare(join(path, entry.name), was, entry);
      else this.#created.push({ path: join(path, entry.name), entry });
    }
    for (const entry of old.values()) this.#deleted.push({ path: join(path, entry.name), entry });
  }

  /** Adds to the list all that is below the directories on it, each after its directory. */
  async #open(places: Place[]): Promise<void> {
    for (const holder of places) {
      if (holder.entry.directory === undefined || this.truncated) continue;
      for (const entry of await readDirectory(this.#get, holder.entry.directory)) {
        places.push({ path: join(holder.path, entry.name), entry, holder });
      }
      this.truncated ||= places.length > maxPlaces;
    }
  }

  #add(change: TreeChange): void {
    if (this.changes.length < this.#maxChanges) this.changes.push(change);
    else this.truncated = true;
  }
}

/** The key by which moved entries are recognised. Empty files and directories have none, because all are equal. */
function moveKey(entry: TreeEntry): string | undefined {
  if (isFile(entry.mode) && entry.sizeBytes === 0) return undefined;
  if (entry.directory === emptyDirectory.id) return undefined;
  const id = contentId(entry) ?? entry.target;
  return id === undefined ? undefined : `${entry.mode >> 12} ${entry.sizeBytes} ${id}`;
}

/** A directory's time changes with every name in it, and those names are listed themselves. */
function onlyTimeDiffers(before: TreeEntry, after: TreeEntry): boolean {
  const { mtimeSeconds, mtimeNanoseconds } = before;
  return (
    sameMetadata(before, { ...after, mtimeSeconds, mtimeNanoseconds }) && before.directory !== after.directory
  );
}

function join(directory: ByteString, name: ByteString): ByteString {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}
