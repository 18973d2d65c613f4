import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { recordingLimits } from '../../recording/limits.ts';

/** A file of git that has one object. */
const objectPath = /\/objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/;
const ids = /\b[0-9a-f]{7,40}\b/g;
/** Who and when: `author Ada <ada@example.org> 1795904294 +0000` (git-fast-import(1)). */
const dated = /^((?:author|committer|tagger) .{0,4096}) \d{1,15} [+-]\d{4}$/gm;
const related = /^((?:parent|object) )([0-9a-f]{40})$/gm;

/** Commits and tags of git by what they say but for their dates, and those of their ancestors: the id of a commit covers when it was made. */
export class UndatedCommits {
  /** By id: a name that is the same for all that say the same. */
  readonly #names = new Map<string, string>();

  /** Takes in those whose files these are, and answers their names; what is none is passed over. @throws as `read` */
  async add(
    paths: readonly string[],
    read: (path: string) => Promise<Uint8Array | undefined>,
  ): Promise<ReadonlySet<string | undefined>> {
    const texts = new Map<string, string>();
    for (const path of paths) {
      const id = idOf(path);
      if (
        id === undefined ||
        this.#names.has(id) ||
        this.#names.size + texts.size >= recordingLimits.verifyCommits
      )
        continue;
      const bytes = await read(path);
      const text = bytes && commitText(bytes);
      if (text !== undefined) texts.set(id, text);
    }
    for (const id of texts.keys()) this.#name(id, texts);
    return new Set(paths.map((path) => this.nameOf(path)).filter((name) => name !== undefined));
  }

  /** The name of the commit in a file. */
  nameOf(path: string): string | undefined {
    return this.#names.get(idOf(path) ?? '');
  }

  /** A text with names instead of the ids, and the beginnings of ids, of these commits. */
  named(text: string): string {
    if (this.#names.size === 0) return text;
    return text.replaceAll(ids, (word) => {
      const name = this.#names.get(word) ?? this.#names.get(this.#begunBy(word) ?? '');
      return name === undefined ? word : `<commit:${name.slice(0, word.length)}>`;
    });
  }

  #begunBy(word: string): string | undefined {
    if (word.length < 40) for (const id of this.#names.keys()) if (id.startsWith(word)) return id;
    return undefined;
  }

  /** Names it after its ancestors, the oldest first: a history may be long, and what claims to be one may be a circle. */
  #name(wanted: string, texts: ReadonlyMap<string, string>): void {
    const seen = new Set<string>();
    const open = [wanted];
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      const text = texts.get(id) ?? '';
      const isOpen = (of: string) => texts.has(of) && !this.#names.has(of) && !seen.has(of);
      const before = seen.has(id)
        ? []
        : [...text.matchAll(related)].map(([, , of = '']) => of).filter(isOpen);
      seen.add(id);
      if (before.length > 0) {
        open.push(...before);
        continue;
      }
      open.pop();
      if (!this.#names.has(id)) this.#names.set(id, this.#nameFor(text));
    }
  }

  #nameFor(text: string): string {
    const said = text
      .replaceAll(dated, '$1')
      .replaceAll(related, (_, what, of) => `${what}${this.#names.get(of) ?? of}`);
    return createHash('sha256').update(said).digest('hex').slice(0, 40);
  }
}

function idOf(path: string): string | undefined {
  const [, first, rest] = objectPath.exec(path) ?? [];
  return first === undefined || rest === undefined ? undefined : first + rest;
}

/** What the file of an object has, if that is a commit or a tag. */
function commitText(bytes: Uint8Array): string | undefined {
  try {
    const text = inflateSync(bytes, { maxOutputLength: recordingLimits.verifyCommitBytes }).toString(
      'latin1',
    );
    const [header = ''] = text.split('\0', 1);
    const [kind] = /^(?:commit|tag)(?= \d{1,10}$)/.exec(header) ?? [];
    return kind && `${kind}\n${text.slice(header.length + 1)}`;
  } catch {
    return undefined; // It is no object, or a large one.
  }
}

/** Of an entry of an index: times of change, device and inode, which say nothing of what is in it (gitformat-index(5)). */
const entryTimesBytes = 24;
const entryBytes = 62;

/** Whether two files are indexes of git with the same entries, whenever they were made. */
export function isSameIndex(one: Uint8Array, other: Uint8Array): boolean {
  const [first, second] = [withoutTimes(one), withoutTimes(other)];
  return first !== undefined && second !== undefined && first.equals(second);
}

/** `undefined` for what is no index of version 2 or 3. */
function withoutTimes(bytes: Uint8Array): Buffer | undefined {
  const index = Buffer.from(bytes);
  if (index.length < 32 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  // Its checksum is of the times, too.
  index.fill(0, index.length - 20);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + entryBytes > index.length) return undefined;
    index.fill(0, at, at + entryTimesBytes);
    const isExtended = version === 3 && (index.readUInt16BE(at + 60) & 0x4000) !== 0;
    const end = index.indexOf(0, at + entryBytes + (isExtended ? 2 : 0));
    if (end < 0) return undefined;
    // Padded with one to eight zeros.
    at += Math.floor((end - at) / 8) * 8 + 8;
  }
  return index;
}
