import { SandboxError } from '../../../protocol/errors.ts';
import { type ByteString, toByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import { encodeTarHeader } from '../../../tree/tar/encode-tar-header.ts';
import { type TarEntry, tarBlockBytes } from '../../../tree/tar/tar-entry.ts';
import { TarParser } from '../../../tree/tar/tar-parser.ts';
import { hostLimits } from '../limits.ts';
import type { FileEntry } from './file-entries.ts';

const executableBits = 0o111;

/** Entries as a tar archive, in pieces. Owners are the receiver's affair. */
export async function* tarOf(entries: Iterable<FileEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const bytes = entry.type === 'file' ? entry.bytes : new Uint8Array(0);
    const isProgram = entry.type === 'directory' || (entry.type === 'file' && entry.isExecutable === true);
    yield encodeTarHeader({
      ...{ uid: 0, gid: 0, mtimeNanoseconds: 0, major: 0, minor: 0, xattrs: new Map() },
      type: entry.type,
      path: toByteString(entry.type === 'directory' ? `${entry.path}/` : entry.path),
      permissions: entry.type === 'symlink' ? 0o777 : isProgram ? 0o755 : 0o644,
      mtimeSeconds: Math.floor(Date.now() / 1_000),
      sizeBytes: bytes.length,
      linkPath: entry.type === 'symlink' ? toByteString(entry.target) : '',
    });
    if (bytes.length === 0) continue;
    yield bytes;
    const padding = -bytes.length & (tarBlockBytes - 1);
    if (padding > 0) yield new Uint8Array(padding);
  }
  yield new Uint8Array(2 * tarBlockBytes);
}

/**
 * The entries of an archive for which `isWanted` says so; a hard link is a file of its own. @throws limit-exceeded when
 * their content is more than `hostLimits.exportBytes`
 */
export async function readTar(
  pieces: AsyncIterable<Uint8Array>,
  isWanted: (path: string, type: FileEntry['type']) => boolean,
): Promise<FileEntry[]> {
  const collector = new EntryCollector(isWanted);
  const parser = new TarParser(collector);
  for await (const piece of pieces) parser.push(piece);
  parser.end();
  return collector.entries;
}

class EntryCollector {
  readonly entries: FileEntry[] = [];
  readonly #isWanted: (path: string, type: FileEntry['type']) => boolean;
  /** By path, of all that are files: a hard link may be wanted where what it names is not. */
  readonly #files = new Map<string, Uint8Array>();
  #bytes = 0;
  #current: { path: string; content: Uint8Array; filled: number; isExecutable: boolean } | undefined;

  constructor(isWanted: (path: string, type: FileEntry['type']) => boolean) {
    this.#isWanted = isWanted;
  }

  entry(entry: TarEntry): void {
    const path = toPath(entry.path);
    this.#current = undefined;
    if (path === '') return;
    if (entry.type === 'file') {
      this.#bytes += entry.sizeBytes;
      if (this.#bytes > hostLimits.exportBytes) throw tooLarge();
      const isExecutable = (entry.permissions & executableBits) !== 0;
      this.#current = { path, content: new Uint8Array(entry.sizeBytes), filled: 0, isExecutable };
    } else if (entry.type === 'hardLink') {
      const bytes = this.#files.get(toPath(entry.linkPath));
      if (bytes)
        this.#add({ path, type: 'file', bytes, isExecutable: (entry.permissions & executableBits) !== 0 });
    } else if (entry.type === 'symlink')
      this.#add({ path, type: 'symlink', target: toDisplayText(entry.linkPath) });
    else if (entry.type === 'directory') this.#add({ path, type: 'directory' });
  }

  data(bytes: Uint8Array): void {
    if (!this.#current) return;
    this.#current.content.set(bytes, this.#current.filled);
    this.#current.filled += bytes.length;
  }

  end(): void {
    if (!this.#current) return;
    const { path, content: bytes, isExecutable } = this.#current;
    this.#files.set(path, bytes);
    this.#add({ path, type: 'file', bytes, isExecutable });
    this.#current = undefined;
  }

  #add(entry: FileEntry): void {
    if (this.#isWanted(entry.path, entry.type)) this.entries.push(entry);
  }
}

function tooLarge(): SandboxError {
  const most = hostLimits.exportBytes;
  const message = `Cannot export: it is more than ${most} bytes. Export a smaller directory, or leave files out with "excludes"`;
  return new SandboxError('limit-exceeded', message, { details: { limitBytes: most } });
}

function toPath(text: ByteString): string {
  return toDisplayText(text)
    .replace(/^(\.\/)+|\/+$/g, '')
    .replace(/^\.$/, '');
}
