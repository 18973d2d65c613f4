import type { ByteString } from '../content/byte-string.ts';
import type { ContentSource } from '../content/content-source.ts';
import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { majorOf, minorOf } from '../live/device-number.ts';
import { fileMode } from '../live/file-mode.ts';
import { decodeDirectoryIndex, directoryFormat, isDirectoryIndex } from '../objects/directory.ts';
import { hardLinkFormat, type NulPath } from '../objects/hard-link.ts';
import { decodePage } from '../objects/pages.ts';
import type { TreeEntry } from '../objects/tree-entry.ts';
import { decodeTreeRoot } from '../objects/tree-root.ts';
import { encodeTarHeader } from './encode-tar-header.ts';
import { type FilePiece, filePieces } from './file-pieces.ts';
import { tarBlockBytes, tarTypeOf } from './tar-entry.ts';

export interface SalvageOptions {
  /**
   * Called with each path that cannot be read and is left out: a file, or, ending in a slash, a directory with
   * missing entries. Absolute.
   */
  readonly onMissing: (path: ByteString) => void;
}

/** A name in the tree: as tar writes it, and as lists of hard links do. */
interface Place {
  readonly path: ByteString;
  readonly nulPath: NulPath;
  readonly depth: number;
}

const zeroBytes = 65_536;
/** Of a file that is looked at, between two empty parts. */
const checkedBytes = 1_048_576;

/**
 * An archive of everything that can be read of a stored tree; if nothing is missing, the same bytes as from
 * `writeTar`. Every file is read twice, because its header, which comes first, promises that it is complete.
 * @throws RangeError or what `source` throws when the tree's root cannot be read
 */
export function* salvageTar(
  source: ContentSource,
  id: ObjectId,
  { onMissing }: SalvageOptions,
): Generator<Uint8Array> {
  const root = decodeTreeRoot(source.read(id));
  const salvage = new Salvage(source, { links: readLinks(source, root.links), onMissing });
  yield* salvage.write(root.entry, { path: '.', nulPath: '', depth: 0 });
  yield new Uint8Array(2 * tarBlockBytes);
}

class Salvage {
  readonly #source: ContentSource;
  readonly #links: ReadonlyMap<NulPath, NulPath>;
  readonly #onMissing: (path: ByteString) => void;
  /** Files with several names that are in the archive. */
  readonly #written = new Map<NulPath, ByteString>();

  constructor(
    source: ContentSource,
    options: { links: ReadonlyMap<NulPath, NulPath>; onMissing: (path: ByteString) => void },
  ) {
    this.#source = source;
    this.#links = options.links;
    this.#onMissing = options.onMissing;
  }

  *write(entry: TreeEntry, place: Place): Generator<Uint8Array> {
    const type = tarTypeOf(entry.mode);
    if (type === undefined) return; // A socket: tar has no form for it.
    const { path, nulPath } = place;
    const primary = this.#links.get(nulPath) ?? nulPath;
    const first = this.#written.get(primary);
    if (first === undefined && entry.content && !(yield* this.#isWhole(entry)))
      return yield* this.#leaveOut(`/${path}`);
    if (entry.directory === undefined) this.#written.set(primary, path);
    yield encodeTarHeader({
      type: first === undefined ? type : 'hardLink',
      path: entry.directory === undefined ? path : `${path}/`,
      permissions: entry.mode & fileMode.permissions,
      uid: entry.uid,
      gid: entry.gid,
      mtimeSeconds: entry.mtimeSeconds,
      mtimeNanoseconds: entry.mtimeNanoseconds,
      sizeBytes: first === undefined ? entry.sizeBytes : 0,
      linkPath: first ?? entry.target ?? '',
      major: majorOf(entry.rdev),
      minor: minorOf(entry.rdev),
      xattrs: first === undefined ? entry.xattrs : new Map(),
    });
    if (entry.directory !== undefined) yield* this.#writeEntries(entry.directory, place);
    else if (first === undefined) yield* fileData(entry.sizeBytes, filePieces(this.#source, entry));
  }

  *#writeEntries(id: ObjectId, { path, nulPath, depth }: Place): Generator<Uint8Array> {
    const { entries, isWhole } = this.#readDirectory(id);
    if (!isWhole || depth >= treeLimits.depth) yield* this.#leaveOut(path === '.' ? '/' : `/${path}/`);
    if (depth >= treeLimits.depth) return;
    for (const entry of entries) {
      yield* this.write(entry, {
        path: path === '.' ? entry.name : `${path}/${entry.name}`,
        nulPath: nulPath === '' ? entry.name : `${nulPath}\0${entry.name}`,
        depth: depth + 1,
      });
    }
  }

  /** An empty part, so that the reader can check what is missing meanwhile. */
  *#leaveOut(path: ByteString): Generator<Uint8Array> {
    this.#onMissing(path);
    yield new Uint8Array(0);
  }

  /** The entries on the pages that can be read. */
  #readDirectory(id: ObjectId): { entries: TreeEntry[]; isWhole: boolean } {
    const entries: TreeEntry[] = [];
    let isWhole = true;
    const bytes = attempt(() => this.#source.read(id));
    const index = bytes && isDirectoryIndex(bytes) ? attempt(() => decodeDirectoryIndex(bytes)) : [{ id }];
    index?.forEach((page, at) => {
      const isLast = at === index.length - 1;
      const held = attempt(() => decodePage(this.#source.read(page.id), directoryFormat, { isLast }));
      if (held) for (const entry of held) entries.push(entry);
      else isWhole = false;
    });
    return { entries, isWhole: isWhole && index !== undefined };
  }

  /** With empty parts, so that who reads the archive can do something else meanwhile. */
  *#isWhole(entry: TreeEntry): Generator<Uint8Array, boolean> {
    const pieces = filePieces(this.#source, entry);
    let readBytes = 0;
    for (;;) {
      const piece = attempt(() => pieces.next());
      if (!piece) return false;
      if (piece.done) return true;
      readBytes += piece.value.bytes.length;
      if (readBytes < checkedBytes) continue;
      readBytes = 0;
      yield new Uint8Array(0);
    }
  }
}

/** If a page of hard links is missing, the names on it become separate files. */
function readLinks(source: ContentSource, pages: readonly ObjectId[]): Map<NulPath, NulPath> {
  const links = new Map<NulPath, NulPath>();
  pages.forEach((id, at) => {
    const isLast = at === pages.length - 1;
    const page = attempt(() => decodePage(source.read(id), hardLinkFormat, { isLast }));
    for (const { path, primary } of page ?? []) links.set(path, primary);
  });
  return links;
}

/** Content with its holes filled, up to the end of the last block. */
function* fileData(sizeBytes: number, pieces: Iterable<FilePiece>): Generator<Uint8Array> {
  let at = 0;
  for (const { offset, bytes } of pieces) {
    yield* zeros(offset - at);
    yield bytes;
    at = offset + bytes.length;
  }
  yield* zeros(Math.ceil(sizeBytes / tarBlockBytes) * tarBlockBytes - at);
}

function* zeros(count: number): Generator<Uint8Array> {
  for (let left = count; left > 0; left -= zeroBytes) yield new Uint8Array(Math.min(left, zeroBytes));
}

/** Missing and damaged objects are treated alike: left out. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
