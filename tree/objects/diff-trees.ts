import type { ByteString } from '../live/byte-string.ts';
import { isFile } from '../live/file-mode.ts';
import { emptyDirectory } from './directory.ts';
import type { GetObject } from './get-object.ts';
import { needObject } from './get-object.ts';
import type { ObjectId } from './object-id.ts';
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

/** Changed directories that one diff looks into. */
const maxDirectories = 200_000;

interface Place {
  readonly path: ByteString;
  readonly entry: TreeEntry;
}

/**
 * What differs between two stored trees, without reading what they share. A file or directory that
 * is gone and one that is new with the same content are one `renamed`. A directory that is changed
 * only because of what is in it is not listed.
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

  /** Pairs what was moved, opens directories that were not, and lists what is left. */
  async settle(): Promise<void> {
    for (let opened = true; opened && !this.truncated; ) {
      this.#pair();
      const created = await this.#open(this.#created, 'created');
      const deleted = await this.#open(this.#deleted, 'deleted');
      opened = created || deleted;
    }
    for (const place of this.#created) this.#addPlace('created', place);
    for (const place of this.#deleted) this.#addPlace('deleted', place);
  }

  /** Makes one `renamed` of each thing that is gone here and new there. */
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
    for (const place of this.#created) {
      const key = moveKey(place.entry);
      const from = key === undefined ? undefined : gone.get(key)?.shift();
      if (from === undefined) continue;
      const { path, entry } = place;
      this.#add({ type: 'renamed', path, from: from.path, before: from.entry, after: entry });
      paired.add(place).add(from);
    }
    this.#created = this.#created.filter((place) => !paired.has(place));
    this.#deleted = this.#deleted.filter((place) => !paired.has(place));
  }

  async #compareDirectories(path: ByteString, before: ObjectId, after: ObjectId): Promise<void> {
    // Objects are shared, so a small hostile tree can have endless directories.
    this.#directoriesLeft -= 1;
    this.truncated ||= this.#directoriesLeft < 0;
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

  /** Lists the directories among `places`, and puts in their stead what is directly in them. */
  async #open(places: Place[], type: 'created' | 'deleted'): Promise<boolean> {
    const directories = places.filter((place) => place.entry.directory !== undefined);
    const inside: Place[] = places.filter((place) => place.entry.directory === undefined);
    for (const place of directories) {
      this.#addPlace(type, place);
      if (place.entry.directory === undefined || this.truncated) continue;
      for (const entry of await readDirectory(this.#get, place.entry.directory)) {
        inside.push({ path: join(place.path, entry.name), entry });
      }
      this.truncated ||= inside.length > this.#maxChanges;
    }
    if (type === 'created') this.#created = inside;
    else this.#deleted = inside;
    return directories.length > 0;
  }

  #addPlace(type: 'created' | 'deleted', { path, entry }: Place): void {
    if (type === 'created') this.#add({ type, path, before: undefined, after: entry });
    else this.#add({ type, path, before: entry, after: undefined });
  }

  #add(change: TreeChange): void {
    if (this.changes.length < this.#maxChanges) this.changes.push(change);
    else this.truncated = true;
  }
}

/** What a moved thing is known by. Empty files and directories are too much alike. */
function moveKey(entry: TreeEntry): string | undefined {
  if (isFile(entry.mode) && entry.sizeBytes === 0) return undefined;
  if (entry.directory === emptyDirectory.id) return undefined;
  const id = contentId(entry) ?? entry.target;
  return id === undefined ? undefined : `${entry.mode >> 12} ${entry.sizeBytes} ${id}`;
}

/** A directory's time moves with every name in it, which is told by the names themselves. */
function onlyTimeDiffers(before: TreeEntry, after: TreeEntry): boolean {
  const { mtimeSeconds, mtimeNanoseconds } = before;
  return (
    sameMetadata(before, { ...after, mtimeSeconds, mtimeNanoseconds }) && before.directory !== after.directory
  );
}

function join(directory: ByteString, name: ByteString): ByteString {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}
