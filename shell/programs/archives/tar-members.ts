import { majorOf, minorOf } from '../../../tree/live/device-number.ts';
import { fileMode, isDirectory } from '../../../tree/live/file-mode.ts';
import type { Ino } from '../../../tree/live/file-tree.ts';
import { encodeTarHeader } from '../../../tree/tar/encode-tar-header.ts';
import { type TarEntry, tarBlockBytes, tarTypeOf } from '../../../tree/tar/tar-entry.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import { nameOfText } from '../../files/byte-names.ts';
import { absolutePath } from '../../files/tree-files.ts';
import type { OpenFile } from '../../io/open-file.ts';
import type { ShellText } from '../../text.ts';
import { attempt, type Invocation } from '../command-line/define-program.ts';
import { joinPath } from '../paths/path-names.ts';
import { Steps } from '../streams/steps.ts';

interface WriteStyle {
  readonly excluded: readonly ShellText[];
  readonly follows: boolean;
  readonly isVerbose: boolean;
  /** The archive itself, which is not put into it. */
  readonly archive: Ino | undefined;
  /** Names keep the slash that they begin with. */
  readonly isAbsolute: boolean;
  /** Who the members belong to, instead of their files' owners. */
  readonly owner: { readonly uid: number | undefined; readonly gid: number | undefined };
  /** The time of change of all members, instead of their files'. */
  readonly mtimeSeconds: number | undefined;
  tell(name: ShellText): Promise<void>;
}

/** Writes members of an archive one after the other. */
export class TarWriter {
  readonly #invocation: Pick<Invocation<never>, 'call' | 'warn'>;
  readonly #output: Pick<OpenFile, 'write'>;
  readonly #style: WriteStyle;
  readonly #steps: Steps;
  readonly #written: Map<Ino, ShellText> = new Map();
  #hasRemovedSlash = false;
  #bytes = 0;
  hasFailed = false;

  constructor(
    invocation: Pick<Invocation<never>, 'call' | 'warn'>,
    output: Pick<OpenFile, 'write'>,
    style: WriteStyle,
  ) {
    this.#invocation = invocation;
    this.#output = output;
    this.#style = style;
    this.#steps = new Steps(invocation.call.signal);
  }

  /** A file, or a directory with all that it holds. */
  async add(name: ShellText, directory: ShellText): Promise<void> {
    const { call } = this.#invocation;
    await this.#steps.next();
    if (this.#style.excluded.some((pattern) => isExcluded(name, pattern))) return;
    const path = absolutePath(directory, name);
    const isThere = await attempt(this.#invocation, `${name}: Cannot stat`, async () => {
      const inode = this.#style.follows ? call.files.stat(path) : call.files.lstat(path);
      const type = tarTypeOf(inode.mode);
      if (type === undefined || inode.ino === this.#style.archive) {
        await this.#invocation.warn(
          type === undefined ? `${name}: socket ignored` : `${name}: file is the archive; not dumped`,
        );
        return;
      }
      const member = await this.#memberName(name, isDirectory(inode.mode));
      const first = type === 'directory' ? undefined : this.#written.get(inode.ino);
      const { ino, mode, nlink, sizeBytes, rdev } = inode;
      const entry: TarEntry = {
        type: first === undefined ? type : 'hardLink',
        path: nameOfText(member),
        permissions: mode & fileMode.permissions,
        uid: this.#style.owner.uid ?? inode.uid,
        gid: this.#style.owner.gid ?? inode.gid,
        mtimeSeconds: this.#style.mtimeSeconds ?? inode.mtimeSeconds,
        // As GNU's tar, which keeps whole seconds unless it is asked for more.
        mtimeNanoseconds: 0,
        sizeBytes: type === 'file' && first === undefined ? sizeBytes : 0,
        linkPath: first === undefined ? (inode.target ?? '') : nameOfText(first),
        major: majorOf(rdev),
        minor: minorOf(rdev),
        xattrs: new Map(),
      };
      if (this.#style.isVerbose) await this.#style.tell(member);
      await this.#write(encodeTarHeader(entry));
      if (first === undefined && nlink > 1 && type !== 'directory') this.#written.set(ino, member);
      if (entry.sizeBytes > 0) await this.#data(ino, entry.sizeBytes);
      if (type !== 'directory') return;
      for (const below of [...call.files.readdir(path)].sort())
        await this.add(joinPath(name, below), directory);
    });
    if (!isThere) this.hasFailed = true;
  }

  /** Two empty blocks, and up to a whole record. */
  async end(): Promise<void> {
    const recordBytes = 20 * tarBlockBytes;
    const total = this.#bytes + 2 * tarBlockBytes;
    await this.#write(new Uint8Array(Math.ceil(total / recordBytes) * recordBytes - this.#bytes));
  }

  async #memberName(name: ShellText, isDirectoryMember: boolean): Promise<ShellText> {
    const bare = this.#style.isAbsolute ? name : name.replace(/^\/+/, '') || './';
    if (bare !== name && !this.#hasRemovedSlash) {
      this.#hasRemovedSlash = true;
      await this.#invocation.warn("Removing leading `/' from member names");
    }
    return isDirectoryMember && !bare.endsWith('/') ? `${bare}/` : bare;
  }

  async #data(ino: Ino, sizeBytes: number): Promise<void> {
    const { tree } = this.#invocation.call.files;
    for (let offset = 0; offset < sizeBytes; offset += 65_536) {
      const count = Math.min(65_536, sizeBytes - offset);
      const bytes = new Uint8Array(Math.ceil(count / tarBlockBytes) * tarBlockBytes);
      tree.read(ino, offset, bytes.subarray(0, count));
      await this.#write(bytes);
      await this.#steps.next();
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    await this.#output.write(bytes, this.#invocation.call.signal);
  }
}

/** A pattern matches the whole name, or what is left of it after a slash. */
export function isExcluded(name: ShellText, pattern: ShellText): boolean {
  const wanted = pattern.replace(/\/+$/, '');
  const trimmed = name.replace(/\/+$/, '');
  if (matches(wanted, trimmed)) return true;
  for (let slash = trimmed.indexOf('/'); slash >= 0; slash = trimmed.indexOf('/', slash + 1)) {
    if (matches(wanted, trimmed.slice(slash + 1))) return true;
  }
  return false;
}
