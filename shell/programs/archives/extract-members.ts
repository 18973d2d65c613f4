import { fileMode, isDirectory } from '../../../tree/live/file-mode.ts';
import type { TarEntry } from '../../../tree/tar/tar-entry.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import { textOfName } from '../../files/byte-names.ts';
import { OpenTreeFile } from '../../files/open-tree-file.ts';
import { absolutePath } from '../../files/tree-files.ts';
import { checked } from '../../files/tree-result.ts';
import { ShellError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { calendarTime } from '../../time/calendar.ts';
import { formatDate } from '../../time/format-date.ts';
import { Accounts } from '../attributes/accounts.ts';
import { modeText } from '../attributes/file-kind.ts';
import type { ProgramCall } from '../program.ts';
import { zoneOfCall } from '../time/now.ts';
import { isExcluded } from './tar-members.ts';

export interface ExtractStyle {
  readonly call: ProgramCall;
  readonly directory: ShellText;
  /** Names of members, with all below them; all where there are none. */
  readonly members: readonly ShellText[];
  /** Names of members are patterns. */
  readonly hasWildcards: boolean;
  /** Owners are listed as numbers. */
  readonly isNumeric: boolean;
  readonly excluded: readonly ShellText[];
  readonly strips: number;
  /** Names may begin with a slash, and have `..` in them. */
  readonly isAbsolute: boolean;
  readonly keepsOld: boolean;
  readonly keepsPermissions: boolean;
  readonly keepsOwner: boolean;
  readonly keepsTimes: boolean;
  readonly isList: boolean;
  readonly verbosity: number;
  readonly toStdout: boolean;
}

/** What members of an archive become, or what is printed of them. What it prints is gathered in `lines` and `complaints`. */
export class MemberExtractor {
  readonly #style: ExtractStyle;
  readonly #directoryTimes: { path: ShellText; seconds: number; nanoseconds: number }[] = [];
  readonly #seen: Set<ShellText> = new Set();
  readonly #accounts: Accounts;
  #file: OpenTreeFile | undefined;
  #toStdout = false;
  lines: Uint8Array[] = [];
  complaints: ShellText[] = [];
  hasRemovedSlash = false;

  constructor(style: ExtractStyle) {
    this.#style = style;
    this.#accounts = new Accounts(style.call.files);
  }

  entry(entry: TarEntry): void {
    const name = textOfName(entry.path);
    const shownName = entry.type === 'directory' && !name.endsWith('/') ? `${name}/` : name;
    if (!this.#isWanted(name)) return;
    const { isList, verbosity, toStdout } = this.#style;
    if (isList || verbosity > 0) this.lines.push(encodeText(`${this.#line(entry, shownName)}\n`));
    if (isList) return;
    if (toStdout) {
      this.#toStdout = entry.type === 'file';
      return;
    }
    try {
      this.#extract(entry, name);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      this.complaints.push(`${name}: Cannot open: ${error.message}`);
    }
  }

  data(bytes: Uint8Array): void {
    if (this.#toStdout) this.lines.push(bytes.slice());
    else if (this.#file) {
      checked(this.#style.call.files.tree.write(this.#file.ino, this.#file.position, bytes));
      this.#file.position += bytes.length;
    }
  }

  end(): void {
    this.#toStdout = false;
    this.dispose();
    this.#finish();
    this.#finish = () => {};
  }

  /** Times of directories: they change while something is put into them. Names that no member had are complained of. */
  close(): void {
    for (const { path, seconds, nanoseconds } of this.#directoryTimes.reverse()) {
      this.#style.call.files.utimes(path, { mtime: { seconds, nanoseconds } });
    }
    for (const member of this.#style.members) {
      if (!this.#seen.has(member)) this.complaints.push(`${member}: Not found in archive`);
    }
  }

  /** Lets go of the member that is being written, where its end did not come. */
  dispose(): void {
    this.#file?.release();
    this.#file = undefined;
  }

  #finish: () => void = () => {};

  #isWanted(name: ShellText): boolean {
    const { members, excluded, hasWildcards } = this.#style;
    if (excluded.some((pattern) => isExcluded(name, pattern))) return false;
    if (members.length === 0) return true;
    const trimmed = name.replace(/\/+$/, '');
    const found = members.find((member) => {
      const wanted = member.replace(/\/+$/, '');
      if (!hasWildcards) return trimmed === wanted || trimmed.startsWith(`${wanted}/`);
      return matches(wanted, trimmed) || matches(`${wanted}/*`, trimmed);
    });
    if (found !== undefined) this.#seen.add(found);
    return found !== undefined;
  }

  #line(entry: TarEntry, name: ShellText): ShellText {
    const { isList, verbosity, call, isNumeric } = this.#style;
    if (verbosity < (isList ? 1 : 2)) return name;
    const types = {
      file: fileMode.file,
      hardLink: fileMode.file,
      symlink: fileMode.symlink,
      directory: fileMode.directory,
      characterDevice: fileMode.characterDevice,
      blockDevice: fileMode.blockDevice,
      fifo: fileMode.fifo,
    };
    const mode = modeText(types[entry.type] | entry.permissions);
    const shownMode = entry.type === 'hardLink' ? `h${mode.slice(1)}` : mode;
    const { uid, gid } = entry;
    const owner = isNumeric
      ? `${uid}/${gid}`
      : `${this.#accounts.userName(uid)}/${this.#accounts.groupName(gid)}`;
    const size = String(entry.sizeBytes).padStart(Math.max(19 - owner.length, 1));
    const time = formatDate(
      '%Y-%m-%d %H:%M',
      calendarTime({ seconds: entry.mtimeSeconds, nanoseconds: 0 }, zoneOfCall(call)),
    );
    const link =
      entry.type === 'symlink'
        ? ` -> ${textOfName(entry.linkPath)}`
        : entry.type === 'hardLink'
          ? ` link to ${textOfName(entry.linkPath)}`
          : '';
    return `${shownMode} ${owner} ${size} ${time} ${name}${link}`;
  }

  #extract(entry: TarEntry, name: ShellText): void {
    const { call, strips, keepsOld, isAbsolute } = this.#style;
    const { files } = call;
    if (name.startsWith('/') && !isAbsolute) this.hasRemovedSlash = true;
    const directory = this.#directoryFor(name);
    const names = name.split('/').filter((part) => part !== '' && part !== '.');
    if (names.includes('..') && !isAbsolute) {
      this.complaints.push(`${name}: Member name contains '..'`);
      return;
    }
    const kept = names.slice(strips);
    if (kept.length === 0) return;
    const path = absolutePath(directory, kept.join('/'));
    this.#makeParents(directory, kept.slice(0, -1));
    const existing = this.#modeOf(path);
    if (entry.type === 'directory') {
      if (existing !== undefined && !isDirectory(existing)) files.unlink(path);
      if (existing === undefined || !isDirectory(existing)) files.mkdir(path, { ...call, umask: 0 }, 0o700);
      this.#setAttributes(entry, path);
      return;
    }
    if (existing !== undefined) {
      if (keepsOld) {
        this.complaints.push(`${name}: Cannot open: File exists`);
        return;
      }
      if (isDirectory(existing)) throw new ShellError('EISDIR');
      files.unlink(path);
    }
    if (entry.type === 'hardLink') {
      const link = textOfName(entry.linkPath);
      const target = link.split('/').filter((part) => part !== '' && part !== '.');
      files.link(absolutePath(this.#directoryFor(link), target.slice(strips).join('/')), path);
      return;
    }
    if (entry.type === 'symlink') files.symlink(textOfName(entry.linkPath), path, call);
    else if (entry.type === 'file') {
      const file = files.open(path, { write: true, create: true, exclusive: true }, call);
      if (file instanceof OpenTreeFile) this.#file = file;
      else file.release();
    } else files.mknod(path, { ...call, umask: 0 }, { mode: fileMode.fifo | entry.permissions });
    // A file's times are those of its last write until all of it is there.
    this.#finish = () => this.#setAttributes(entry, path);
  }

  #directoryFor(name: ShellText): ShellText {
    const { directory, isAbsolute, strips } = this.#style;
    return isAbsolute && strips === 0 && name.startsWith('/') ? '/' : directory;
  }

  #setAttributes(entry: TarEntry, path: ShellText): void {
    const { call, keepsOwner, keepsPermissions, keepsTimes } = this.#style;
    const isLink = entry.type === 'symlink';
    if (keepsOwner) call.files.chown(path, { uid: entry.uid, gid: entry.gid, follow: !isLink });
    if (!isLink)
      call.files.chmod(path, keepsPermissions ? entry.permissions : entry.permissions & 0o777 & ~call.umask);
    if (!keepsTimes) return;
    const mtime = { seconds: entry.mtimeSeconds, nanoseconds: entry.mtimeNanoseconds };
    if (entry.type === 'directory') this.#directoryTimes.push({ path, ...mtime });
    else call.files.utimes(path, { mtime, follow: !isLink });
  }

  #makeParents(directory: ShellText, names: readonly ShellText[]): void {
    const { call } = this.#style;
    for (let count = 1; count <= names.length; count++) {
      const path = absolutePath(directory, names.slice(0, count).join('/'));
      if (!call.files.exists(path)) call.files.mkdir(path, call);
    }
  }

  #modeOf(path: ShellText): number | undefined {
    try {
      return this.#style.call.files.lstat(path).mode;
    } catch (error) {
      if (error instanceof ShellError && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
