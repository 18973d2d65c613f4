import { type ByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { encodeTarHeader } from '../../tree/tar/encode-tar-header.ts';
import { type TarEntry, tarBlockBytes } from '../../tree/tar/tar-entry.ts';
import { TarParser } from '../../tree/tar/tar-parser.ts';
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';

type Kind = 'file' | 'directory' | 'symlink';

const noXattrs: ReadonlyMap<ByteString, Uint8Array> = new Map();
const pathDepth = 128;
const nameBytes = 255;
/** Half of Linux's limit, since the archive is unpacked below another path. */
const pathBytes = 2_047;

/**
 * Checks an untrusted archive and writes it again, so that tar unpacks exactly what was checked: files, directories
 * and links, all below the target directory and none beneath a link of the archive. Adds missing parent
 * directories; drops owners, set-id bits and extended attributes.
 */
export class TarChecker {
  readonly #mostBytes: number;
  readonly #parser: TarParser;
  readonly #kinds = new Map<ByteString, Kind>();
  #namesBytes = 0;
  #bytes = 0;
  #entries = 0;
  /** Of all pieces. */
  #takenBytes = 0;
  /** Bytes after the end of the archive, which is padded to a whole record. */
  #trailingBytes = 0;
  /** Output for the current piece. */
  #made: Uint8Array[] = [];
  /** Bytes left of the current file, including its last block's padding. */
  #padding = 0;

  /** `mostBytes` bounds the content of all files together. */
  constructor({ mostBytes }: { readonly mostBytes: number }) {
    this.#mostBytes = mostBytes;
    this.#parser = new TarParser({
      entry: (entry) => this.#enter(entry),
      data: (bytes) => this.#made.push(bytes),
      end: () => this.#made.push(new Uint8Array(this.#padding)),
    });
  }

  /** Members so far, and bytes of their files. */
  get passed(): { readonly entries: number; readonly sizeBytes: number } {
    return { entries: this.#entries, sizeBytes: this.#bytes };
  }

  /** Memory for the members so far, roughly. */
  get heldBytes(): number {
    return this.#namesBytes + this.#kinds.size * limits.unpackEntryBytes;
  }

  /** The checked output for the next piece. @throws invalid-argument that names the member, limit-exceeded */
  push(piece: Uint8Array): Uint8Array {
    if (this.#parser.isDone) this.#trailingBytes += piece.length;
    if (this.#trailingBytes > limits.archivePieceBytes) {
      throw new SandboxError('invalid-argument', 'Cannot take the archive: it goes on after its end');
    }
    this.#takenBytes += piece.length;
    const mostBytes = this.#mostBytes + limits.unpackHeaderBytes;
    if (this.#takenBytes > mostBytes) throw tooMuch('bytes, with its headers', mostBytes);
    return this.#checked(() => this.#parser.push(piece));
  }

  /** The output that ends the archive. @throws invalid-argument when it is incomplete, or not an archive */
  end(): Uint8Array {
    return this.#checked(() => {
      this.#parser.end();
      this.#made.push(new Uint8Array(2 * tarBlockBytes));
    });
  }

  #checked(work: () => void): Uint8Array {
    try {
      work();
    } catch (cause) {
      if (cause instanceof SandboxError || !(cause instanceof RangeError)) throw cause;
      throw new SandboxError('invalid-argument', cause.message, { cause });
    }
    const made = this.#made;
    this.#made = [];
    const [only] = made;
    if (made.length === 1 && only) return only;
    return joinBytes(
      made,
      made.reduce((sum, { length }) => sum + length, 0),
    );
  }

  #enter(entry: TarEntry): void {
    // Bytes that are content to this parser would be members to tar.
    if (entry.type !== 'file' && entry.sizeBytes > 0) throw refusal(entry, 'it has content and is no file');
    this.#padding = (tarBlockBytes - (entry.sizeBytes % tarBlockBytes)) % tarBlockBytes;
    this.#bytes += entry.sizeBytes;
    if (this.#bytes > this.#mostBytes) throw tooMuch('bytes', this.#mostBytes);
    if (++this.#entries > limits.unpackEntries) throw tooMuch('members', limits.unpackEntries);
    const path = memberPath(entry, entry.path);
    const kind = kindOf(entry);
    // The target directory itself stays unchanged.
    if (path === '' && kind === 'directory') return;
    if (path === '') throw refusal(entry, 'it is in the place of the directory');
    this.#addParents(entry, path);
    const linkPath = entry.type === 'hardLink' ? this.#linkTarget(entry, path) : symlinkTarget(entry);
    this.#add(entry, { path, kind });
    this.#write({ ...entry, path, linkPath, permissions: entry.permissions & 0o1777 });
  }

  #addParents(entry: TarEntry, path: ByteString): void {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const parent = path.slice(0, end);
      const kind = this.#kinds.get(parent);
      if (kind === 'directory') continue;
      if (kind !== undefined) throw refusal(entry, `"${display(parent)}" above it is a ${kind}`);
      this.#add(entry, { path: parent, kind: 'directory' });
      const { mtimeSeconds, mtimeNanoseconds } = entry;
      this.#write({
        ...{ type: 'directory', path: parent, permissions: 0o755, sizeBytes: 0, linkPath: '' },
        ...{ mtimeSeconds, mtimeNanoseconds },
      });
    }
  }

  #add(entry: TarEntry, { path, kind }: { path: ByteString; kind: Kind }): void {
    const before = this.#kinds.get(path);
    if (before !== undefined && (before !== kind || entry.type === 'symlink' || entry.type === 'hardLink')) {
      throw refusal(entry, 'something of that name came before');
    }
    if (before === undefined) this.#namesBytes += path.length;
    this.#kinds.set(path, kind);
    if (this.#kinds.size > limits.unpackEntries) throw tooMuch('members', limits.unpackEntries);
    if (this.#namesBytes > limits.unpackNamesBytes) {
      throw tooMuch('bytes of names', limits.unpackNamesBytes);
    }
  }

  #linkTarget(entry: TarEntry, path: ByteString): ByteString {
    const target = memberPath(entry, entry.linkPath);
    if (target !== path && this.#kinds.get(target) === 'file') return target;
    throw refusal(entry, 'it links to what is no other file before it');
  }

  #write(entry: Omit<TarEntry, 'uid' | 'gid' | 'major' | 'minor' | 'xattrs'>): void {
    const plain = { uid: 0, gid: 0, major: 0, minor: 0, xattrs: noXattrs };
    this.#made.push(encodeTarHeader({ ...entry, ...plain }));
  }
}

function kindOf(entry: TarEntry): Kind {
  const { type } = entry;
  if (type === 'file' || type === 'directory' || type === 'symlink') return type;
  if (type === 'hardLink') return 'file';
  throw refusal(entry, `a ${type === 'fifo' ? 'fifo' : 'device'} is not taken`);
}

/** A path without `.` and empty names; empty for the root of the archive. */
function memberPath(entry: TarEntry, path: ByteString): ByteString {
  if (path.startsWith('/')) throw refusal(entry, 'its path is absolute');
  if (path.includes('\0')) throw refusal(entry, 'its path has a NUL in it');
  if (path.length > 2 * pathBytes) throw refusal(entry, 'its path is too long or too deep');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw refusal(entry, 'its path has ".." in it');
  const joined = names.join('/');
  const isLong = joined.length > pathBytes || names.some(({ length }) => length > nameBytes);
  if (isLong || names.length > pathDepth) throw refusal(entry, 'its path is too long or too deep');
  return joined;
}

/** Its target does not matter: no member of the archive is written through it. */
function symlinkTarget(entry: TarEntry): ByteString {
  const { linkPath } = entry;
  if (entry.type !== 'symlink') return '';
  if (linkPath !== '' && linkPath.length <= limits.nativePathBytes && !linkPath.includes('\0'))
    return linkPath;
  throw refusal(entry, 'it leads to no path');
}

function refusal(entry: TarEntry, why: string): SandboxError {
  const path = display(entry.path);
  return new SandboxError('invalid-argument', `Cannot take "${path}" of the archive: ${why}`, {
    details: { path },
  });
}

function tooMuch(what: string, limit: number): SandboxError {
  return new SandboxError('limit-exceeded', `Cannot take the archive: it has more than ${limit} ${what}`, {
    details: { limit },
  });
}

function display(path: ByteString): string {
  return toDisplayText(path.slice(0, 200));
}
