import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { type ByteString, toDisplayText, writeByteString } from '../../tree/content/byte-string.ts';
import type { TarEntry } from '../../tree/tar/tar-entry.ts';
import { TarParser } from '../../tree/tar/tar-parser.ts';
import { whyNoGitName } from './git-name.ts';
import { type GitObject, GitObjectWriter, gitObject, rawId } from './git-object.ts';

interface Entry {
  readonly mode: '100644' | '100755' | '120000';
  readonly id: string;
}
interface Directory extends Map<ByteString, Entry | Directory> {}

/** Told of a path that git has no place for; `why` is a sentence's part. */
export type OnOmitted = (path: string, why: string) => void;

/** The files of a tar archive as objects of git. Holds the names of all, and the content of those in one piece of the archive. */
export class GitTree {
  readonly #root: Directory = new Map();
  readonly #onOmitted: OnOmitted;
  #parser: TarParser;
  /** The directory that the archive is of. */
  #within: readonly ByteString[] = [];
  #entries = 0;
  /** The file whose content comes. */
  #open: { readonly entry: TarEntry; readonly writer: GitObjectWriter } | undefined;
  #made: GitObject[] = [];

  constructor(onOmitted: OnOmitted) {
    this.#onOmitted = onOmitted;
    this.#parser = this.#newParser();
  }

  /** Forgets what is below a directory: the next archive is of that. */
  replace(directory: readonly ByteString[]): void {
    this.#parser = this.#newParser();
    this.#within = directory;
    const there = this.#directory(directory);
    this.#entries -= countBelow(there);
    there?.clear();
  }

  #newParser(): TarParser {
    return new TarParser({
      entry: (entry) => this.#enter(entry),
      data: (bytes) => this.#open?.writer.push(bytes.slice()),
      end: () => this.#endFile(),
    });
  }

  /** Blobs that are complete with the next piece. @throws limit-exceeded, corrupt-object for what is no archive */
  push(piece: Uint8Array): GitObject[] {
    parsed(() => this.#parser.push(piece));
    const made = this.#made;
    this.#made = [];
    return made;
  }

  /** Its trees, each after those that it has; the last is the root's. */
  *trees(): Generator<GitObject, string> {
    parsed(() => this.#parser.end());
    return (yield* this.#treesOf(this.#root, '')) ?? (yield* emptyTree());
  }

  #enter(entry: TarEntry): void {
    const below = entry.path.replace(/^(?:\.\/)+|\/+$/g, '');
    if (below === '' || below === '.') return;
    const names = [...this.#within, ...below.split('/')];
    const path = names.join('/');
    this.#entries++;
    if (this.#entries > limits.gitExportEntries) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot export to git: a snapshot has more than ${limits.gitExportEntries} files`,
        { details: { remedy: 'Export a directory: name it as `path`.' } },
      );
    }
    const isFile = entry.type === 'file' || entry.type === 'hardLink';
    for (const [at, name] of names.entries()) {
      const why = whyNoGitName(name, { isFile: isFile && at === names.length - 1 });
      if (why === undefined) continue;
      this.#onOmitted(toDisplayText(names.slice(0, at + 1).join('/')), why);
      return;
    }
    if (entry.type === 'directory') {
      this.#directory(names);
    } else if (entry.type === 'hardLink') {
      const first = this.#find([...this.#within, ...entry.linkPath.replace(/^(?:\.\/)+/, '').split('/')]);
      if (first) this.#put(names, first);
      else this.#onOmitted(toDisplayText(path), 'it is a link to a file that is left out');
    } else if (entry.type === 'symlink') {
      this.#put(names, { mode: '120000', id: this.#add(gitObject('blob', bytesOf(entry.linkPath))) });
    } else if (entry.type !== 'file') {
      this.#onOmitted(toDisplayText(path), 'git has no devices and no pipes');
    } else if (entry.sizeBytes > limits.gitExportFileBytes) {
      this.#onOmitted(toDisplayText(path), `it has more than ${limits.gitExportFileBytes} bytes`);
    } else {
      this.#open = { entry: { ...entry, path }, writer: new GitObjectWriter('blob', entry.sizeBytes) };
    }
  }

  #endFile(): void {
    if (!this.#open) return;
    const { entry, writer } = this.#open;
    this.#open = undefined;
    const mode = entry.permissions & 0o100 ? '100755' : '100644';
    this.#put(entry.path.split('/'), { mode, id: this.#add(writer.finish()) });
  }

  #add(object: GitObject): string {
    this.#made.push(object);
    return object.id;
  }

  #put(names: readonly ByteString[], entry: Entry): void {
    this.#directory(names.slice(0, -1))?.set(names.at(-1) ?? '', entry);
  }

  #find(names: readonly ByteString[]): Entry | undefined {
    let at: Entry | Directory | undefined = this.#root;
    for (const name of names) at = at instanceof Map ? at.get(name) : undefined;
    return at instanceof Map ? undefined : at;
  }

  #directory(names: readonly ByteString[]): Directory | undefined {
    let at: Directory = this.#root;
    for (const name of names) {
      let below = at.get(name);
      if (below === undefined) {
        below = new Map();
        at.set(name, below);
      }
      if (!(below instanceof Map)) return undefined;
      at = below;
    }
    return at;
  }

  /** `undefined` for one without files: git has no empty directories. */
  *#treesOf(directory: Directory, path: ByteString): Generator<GitObject, string | undefined> {
    const rows: { readonly key: ByteString; readonly row: ByteString }[] = [];
    for (const [name, entry] of directory) {
      if (!(entry instanceof Map)) {
        rows.push({ key: name, row: `${entry.mode} ${name}\0${rawId(entry.id)}` });
        continue;
      }
      const id = yield* this.#treesOf(entry, `${path}${name}/`);
      // A tree sorts as if its name ended in a slash.
      if (id !== undefined) rows.push({ key: `${name}/`, row: `40000 ${name}\0${rawId(id)}` });
    }
    if (rows.length === 0) {
      if (path !== '') this.#onOmitted(toDisplayText(path), 'git has no empty directories');
      return undefined;
    }
    rows.sort((a, b) => (a.key < b.key ? -1 : 1));
    const tree = gitObject('tree', bytesOf(rows.map(({ row }) => row).join('')));
    yield tree;
    return tree.id;
  }
}

function countBelow(directory: Directory | undefined): number {
  let count = 0;
  for (const entry of directory?.values() ?? []) count += 1 + (entry instanceof Map ? countBelow(entry) : 0);
  return count;
}

function parsed(work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof SandboxError || !(cause instanceof RangeError)) throw cause;
    throw new SandboxError('corrupt-object', `Cannot export to git: ${cause.message}`, { cause });
  }
}

/** The tree without files. */
function* emptyTree(): Generator<GitObject, string> {
  const tree = gitObject('tree', new Uint8Array(0));
  yield tree;
  return tree.id;
}

function bytesOf(text: ByteString): Uint8Array {
  const bytes = new Uint8Array(text.length);
  writeByteString(text, bytes, 0);
  return bytes;
}
