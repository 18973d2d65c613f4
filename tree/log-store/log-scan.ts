import type { RefChange } from '../objects/sandbox-store.ts';
import type { LogFile } from './log-file.ts';
import {
  aligned,
  alignment,
  decodeHead,
  directoryEnd,
  entryBytes,
  headBytes,
  isDirectoryIntact,
  magic,
  magicWithoutVersion,
  type PartHead,
} from './log-part.ts';
import { type Location, ObjectIndex } from './object-index.ts';
import { readRefChanges } from './ref-changes.ts';
import { storeError } from './store-error.ts';
import { xxh32 } from './xxh32.ts';

/** The content of a log, and where it ends. */
export interface LogState {
  readonly index: ObjectIndex;
  readonly refs: Map<string, string>;
  readonly salt: bigint | undefined;
  /** Number of the last whole commit; 0 when there is none. */
  readonly commit: number;
  /** End of the last whole commit; later bytes were never acknowledged. */
  readonly endBytes: number;
  /** End of the first commit; 0 when there is none, or it cannot be read. */
  readonly firstCommitBytes: number;
  /** Ranges of the log that cannot be read. Their objects are absent. */
  readonly damage: readonly { readonly at: number; readonly bytes: number }[];
}

interface Part extends PartHead {
  readonly at: number;
  /** Head, directory and refs. */
  readonly bytes: Uint8Array;
}

const windowBytes = 1_048_576;
const firstReadBytes = 4_096;

/**
 * Reads a log from its start, heads and directories only. The payload of the last commit is verified too, since it
 * may be torn; everything before it was flushed before that commit began.
 * @throws version-mismatch when another version of the format wrote the file
 */
export function scanLog(file: LogFile): LogState {
  const scan = new Scan(file);
  return scan.run();
}

class Scan {
  readonly #file: LogFile;
  readonly #size: number;
  readonly #frozenBytes: number;
  readonly #index = new ObjectIndex();
  readonly #refs = new Map<string, string>();
  readonly #damage: { at: number; bytes: number }[] = [];
  /** Parts of a commit whose last part has not come yet. */
  #open: Part[] = [];
  /** The last whole commit: applied once a later commit, or its verified payload, shows that it is not torn. */
  #whole: Part[] = [];
  #salt: bigint | undefined;
  #commit = 0;
  #endBytes = 0;
  #firstCommitBytes = 0;

  constructor(file: LogFile) {
    this.#file = file;
    this.#size = file.size();
    this.#frozenBytes = file.frozenBytes ?? 0;
  }

  run(): LogState {
    assertVersion(this.#file);
    for (let at = 0; at < this.#size; ) {
      let part = this.#read(at);
      if (part === undefined || !this.#follows(part)) {
        part = this.#findSettledPast(at);
        if (part === undefined) {
          this.#skipFrozen(at);
          break;
        }
        this.#skipDamage(at, part);
      }
      this.#take(part);
      at = part.at + part.byteLength;
    }
    if (this.#whole.every((part) => this.#isPayloadIntact(part))) this.#applyWhole();
    return {
      index: this.#index,
      refs: this.#refs,
      salt: this.#salt,
      commit: this.#commit,
      endBytes: this.#endBytes,
      firstCommitBytes: this.#firstCommitBytes,
      damage: this.#damage,
    };
  }

  #follows(part: Part): boolean {
    const before = this.#open.at(-1);
    if (before) return part.commit === before.commit && part.part === before.part + 1;
    const commit = this.#whole.at(-1)?.commit ?? this.#commit;
    return part.commit === commit + 1 && part.part === 0 && part.settledBytes === part.at;
  }

  #take(part: Part): void {
    this.#salt ??= part.salt;
    if (part.part === 0) this.#applyWhole();
    this.#open.push(part);
    if (part.more) return;
    this.#whole = this.#open;
    this.#open = [];
  }

  /** When `next` was written, the log was durable past the damage, so all commits before it had been acknowledged. */
  #skipDamage(at: number, next: Part): void {
    this.#giveUp(at, next.at);
    // If `next` itself turns out to be torn, the commits indexed here must not be cut off with it.
    this.#commit = next.commit - 1;
    this.#endBytes = next.settledBytes;
  }

  /** Frozen bytes were acknowledged, and are never written again. */
  #skipFrozen(at: number): void {
    if (at >= this.#frozenBytes) return;
    this.#giveUp(at, this.#frozenBytes);
    this.#endBytes = this.#frozenBytes;
  }

  #giveUp(from: number, to: number): void {
    this.#damage.push({ at: from, bytes: to - from });
    this.#applyWhole();
    for (const part of this.#open) this.#indexObjects(part);
    this.#open = [];
  }

  #applyWhole(): void {
    const last = this.#whole.at(-1);
    if (last === undefined) return;
    for (const part of this.#whole) this.#indexObjects(part);
    for (const { name, value } of refChangesOf(last)) {
      if (value === undefined) this.#refs.delete(name);
      else this.#refs.set(name, value);
    }
    this.#commit = last.commit;
    this.#endBytes = last.at + last.byteLength;
    if (last.commit === 1) this.#firstCommitBytes = this.#endBytes;
    this.#whole = [];
  }

  #indexObjects(part: Part): void {
    walkEntries(part, (entry) => this.#index.setRaw(part.bytes, entry.place, entry));
  }

  #isPayloadIntact(part: Part): boolean {
    const settledBytes = Math.max(this.#whole.at(-1)?.settledBytes ?? 0, this.#frozenBytes);
    if (part.at < settledBytes) return true;
    let isIntact = true;
    walkEntries(part, ({ at, length, checksum }) => {
      const bytes = new Uint8Array(length);
      isIntact &&= this.#file.read(bytes, at) === length && xxh32(bytes) === checksum;
    });
    return isIntact;
  }

  /** The part at `at`, if the checksum of its head, directory and refs is right. */
  #read(at: number): Part | undefined {
    const first = new Uint8Array(Math.min(firstReadBytes, this.#size - at));
    if (this.#file.read(first, at) !== first.length) return undefined;
    const head = decodeHead(first);
    if (head === undefined || head.byteLength > this.#size - at || head.settledBytes > at) return undefined;
    if (this.#salt !== undefined && head.salt !== this.#salt) return undefined;
    const end = directoryEnd(head);
    const bytes = end <= first.length ? first.slice(0, end) : new Uint8Array(end);
    if (end > first.length && this.#file.read(bytes, at) !== end) return undefined;
    if (!isDirectoryIntact(bytes)) return undefined;
    const part = { ...head, at, bytes };
    const payloadEnd = walkEntries(part, () => {});
    return payloadEnd === at + head.byteLength ? part : undefined;
  }

  /** The first part after `at` that proves the log to have been durable past `at`; none in a torn tail. */
  #findSettledPast(at: number): Part | undefined {
    const window = new Uint8Array(windowBytes + headBytes);
    for (let from = at + alignment; from < this.#size; from += windowBytes) {
      const length = this.#file.read(window, from);
      for (let offset = 0; offset < windowBytes && offset + headBytes <= length; offset += alignment) {
        if (window[offset] !== (magic & 0xff)) continue;
        const head = decodeHead(window.subarray(offset, offset + headBytes));
        if (head === undefined || head.settledBytes <= at) continue;
        if (this.#salt !== undefined && head.salt !== this.#salt) continue;
        const part = this.#read(from + offset);
        if (part) return part;
      }
    }
    return undefined;
  }
}

/** An object in the directory of a part; `place` is where in the part's bytes its id is. */
type PartEntry = { place: number } & { -readonly [Key in keyof Location]: Location[Key] };

/** Visits the objects of a part, with one entry for all of them: logs have thousands. Answers where the last one ends. */
function walkEntries(part: Part, visit: (entry: Readonly<PartEntry>) => void): number {
  const view = new DataView(part.bytes.buffer, part.bytes.byteOffset, part.bytes.byteLength);
  const entry: PartEntry = { place: headBytes, at: part.at + part.bytes.length, length: 0, checksum: 0 };
  for (let index = 0; index < part.objectCount; index++) {
    entry.place = headBytes + index * entryBytes;
    entry.length = view.getUint32(entry.place + 32, true);
    entry.checksum = view.getUint32(entry.place + 36, true);
    visit(entry);
    entry.at = aligned(entry.at + entry.length);
  }
  return entry.at;
}

function refChangesOf(part: Part): RefChange[] {
  const start = headBytes + part.objectCount * entryBytes;
  return readRefChanges(part.bytes.subarray(start, start + part.refsBytes));
}

function assertVersion(file: LogFile): void {
  const start = new Uint8Array(4);
  if (file.read(start, 0) < 4) return;
  const word = new DataView(start.buffer).getUint32(0, true);
  if ((word & 0xffffff) === magicWithoutVersion && word !== magic) {
    const version = String.fromCharCode(start[3] as number);
    throw storeError('version-mismatch', `The store has format ${version}; this program reads format 1`, {
      version,
    });
  }
}
