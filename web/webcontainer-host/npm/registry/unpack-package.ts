import { plainTar } from '../../../../protocol/archive/plain-tar.ts';
import { SandboxError } from '../../../../protocol/errors.ts';
import { toDisplayText } from '../../../../tree/content/byte-string.ts';
import { joinBytes } from '../../../../tree/join-bytes.ts';
import type { TarEntry } from '../../../../tree/tar/tar-entry.ts';
import { TarParser } from '../../../../tree/tar/tar-parser.ts';
import { installLimits } from '../limits.ts';
import { NpmError } from '../npm-error.ts';

/** A file of a package, by its path in it. */
export interface PackageFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

const executableBits = 0o111;
const pathCharacters = 1_024;
const nameCharacters = 255;

/**
 * The files of a package's archive. As with npm, the first name of each path is dropped, and so are links.
 * @throws NpmError EBADARCHIVE that names the member, for paths that lead out of the package; ELIMIT
 */
export async function unpackPackage(archive: Uint8Array, what: string): Promise<PackageFile[]> {
  const collector = new FileCollector(what);
  const parser = new TarParser(collector);
  try {
    for await (const piece of plainTar(onePiece(archive))) {
      collector.count(piece.length);
      parser.push(piece);
    }
    parser.end();
  } catch (cause) {
    if (cause instanceof NpmError) throw cause;
    const why = cause instanceof RangeError ? cause.message : SandboxError.from(cause).message;
    throw new NpmError('EBADARCHIVE', `Cannot unpack ${what}: ${why}`, { cause });
  }
  return collector.files;
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

class FileCollector {
  readonly #what: string;
  readonly #files = new Map<string, PackageFile>();
  /** Of the archive, headers included: what a small gzip inflates to. */
  #bytes = 0;
  #current:
    | { readonly path: string; readonly pieces: Uint8Array[]; readonly isExecutable: boolean }
    | undefined;

  constructor(what: string) {
    this.#what = what;
  }

  get files(): PackageFile[] {
    return [...this.#files.values()];
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= installLimits.packageBytes) return;
    throw new NpmError('ELIMIT', `${this.#what} has more than ${installLimits.packageBytes} bytes`);
  }

  entry(entry: TarEntry): void {
    this.#current = undefined;
    const path = this.#pathOf(entry);
    if (entry.type !== 'file' || path === '') return;
    const isExecutable = (entry.permissions & executableBits) !== 0;
    this.#current = { path, pieces: [], isExecutable };
    if (this.#files.size >= installLimits.packageFiles)
      throw new NpmError('ELIMIT', `${this.#what} has more than ${installLimits.packageFiles} files`);
  }

  data(bytes: Uint8Array): void {
    this.#current?.pieces.push(bytes.slice());
  }

  end(): void {
    if (!this.#current) return;
    const { path, pieces, isExecutable } = this.#current;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#files.set(path, { path, bytes: joinBytes(pieces, length), isExecutable });
    this.#current = undefined;
  }

  #pathOf(entry: TarEntry): string {
    const path = toDisplayText(entry.path);
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const isTooLong = path.length > pathCharacters || names.some(({ length }) => length > nameCharacters);
    const why = path.startsWith('/')
      ? 'is absolute'
      : names.includes('..')
        ? 'has ".." in it'
        : path.includes('\0')
          ? 'has a NUL in it'
          : isTooLong
            ? 'is too long'
            : undefined;
    if (why !== undefined) {
      const shown = JSON.stringify(path.slice(0, 200));
      throw new NpmError(
        'EBADARCHIVE',
        `Cannot unpack ${this.#what}: the path ${shown} in its archive ${why}`,
      );
    }
    return names.slice(1).join('/');
  }
}
