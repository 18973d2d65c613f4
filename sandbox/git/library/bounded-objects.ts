import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import { boundCalls } from './bound-calls.ts';
import type { GitFileCalls, GitFileStat } from './git-files.ts';
import { measureDeflated } from './measure-deflated.ts';

/** To how many times its size DEFLATE may inflate what it has, at most. */
const mostRatio = 1_032;
const looseObject = /\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/;
const packFile = /\/objects\/pack\/[^/]*\.pack$/;
const packIndex = /\/objects\/pack\/[^/]*\.idx$/;
const packSignature = 0x5041_434b;
const indexSignature = 0xff74_4f63;
/** Of an index: its signature, its version, and a table of 256 counts, of which the last is that of all objects. */
const indexFanoutEnd = 8 + 4 * 256;
const headerBytes = 12;
const trailerBytes = 20;
const deltaByOffset = 6;
const deltaById = 7;

/** Where the objects of a pack begin. */
type PackEntries = Uint32Array;

const noEntries: PackEntries = new Uint32Array(0);

/**
 * The same calls, by which the library gets no object that inflates, or is put together of a delta, to more than
 * `limits.gitFileBytes`: it holds each whole, and knows no bound. Packs in `checked` have been looked through, and are not again.
 */
export function boundedObjects(calls: GitFileCalls, checked: CheckedPacks): GitFileCalls {
  const entriesOf = async (path: string, pack: Uint8Array | undefined): Promise<PackEntries> => {
    const stat = await calls.lstat(path);
    const known = checked.get(path, stat);
    if (known) return known;
    const content = pack ?? (await calls.readFile(path));
    const entries = typeof content === 'string' ? noEntries : await checkPack(content);
    checked.add(path, { stat, entries });
    return entries;
  };
  /** A program may have written it: it could lead into an object, to other bytes than were measured. */
  const checkIndex = async (path: string, index: Uint8Array) => {
    const entries = await entriesOf(path.replace(/idx$/, 'pack'), undefined);
    if (!areEntries(index, entries)) {
      throw new SandboxError('asset-unavailable', `the index "${path}" is not that of its pack`);
    }
  };
  return {
    ...boundCalls(calls),
    readFile: async (path, options) => {
      const content = await calls.readFile(path, options);
      if (typeof content === 'string') return content;
      if (looseObject.test(path)) checkLoose(path, content);
      if (packFile.test(path)) await entriesOf(path, content);
      if (packIndex.test(path)) await checkIndex(path, content);
      return content;
    },
    writeFile: async (path, content, options) => {
      const isPack = typeof content !== 'string' && packFile.test(path);
      const entries = isPack ? await checkPack(content) : noEntries;
      await calls.writeFile(path, content, options);
      if (isPack) checked.add(path, { stat: await calls.lstat(path), entries });
    },
  };
}

/** Packs that were found fit, with where their objects begin, as they were then. */
export class CheckedPacks {
  readonly #known = new Map<string, PackEntries>();

  get(path: string, stat: GitFileStat): PackEntries | undefined {
    return this.#known.get(keyOf(path, stat));
  }

  add(path: string, { stat, entries }: { readonly stat: GitFileStat; readonly entries: PackEntries }): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= limits.gitCheckedPacks && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(keyOf(path, stat), entries);
  }
}

function keyOf(path: string, { ino, size, mtimeMs, ctimeMs }: GitFileStat): string {
  return [ino, size, mtimeMs, ctimeMs, path].join(' ');
}

function checkLoose(path: string, content: Uint8Array): void {
  if (content.length * mostRatio <= limits.gitFileBytes) return;
  const measured = measureDeflated(content, { from: 0, mostBytes: limits.gitFileBytes });
  // What is damaged is told by the library, which stops there.
  if (measured === 'long') throw tooLong(`the object "${path.slice(-41).replace('/', '')}"`);
}

/** Looks at each object of a pack (gitformat-pack). What is no pack at all is left for the library to refuse. */
async function checkPack(pack: Uint8Array): Promise<PackEntries> {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  if (pack.length < headerBytes + trailerBytes || view.getUint32(0) !== packSignature) return noEntries;
  const slices = new WorkSlices();
  const entries: number[] = [];
  let at = headerBytes;
  for (let count = view.getUint32(8); count > 0 && at < pack.length - trailerBytes; count--) {
    await slices.end();
    entries.push(at);
    at = checkEntry(pack, at);
  }
  return Uint32Array.from(entries);
}

/** Whether each offset of an index (version 2, the only one that the library reads) is where an object begins. */
function areEntries(index: Uint8Array, entries: PackEntries): boolean {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  if (index.length < indexFanoutEnd || view.getUint32(0) !== indexSignature) return true;
  const count = view.getUint32(indexFanoutEnd - 4);
  // Ids of 20 bytes and checksums of 4 come first.
  const from = indexFanoutEnd + 24 * count;
  if (from + 4 * count > index.length) return false;
  const known = new Set(entries);
  for (let at = from; at < from + 4 * count; at += 4) {
    if (!known.has(view.getUint32(at))) return false;
  }
  return true;
}

/** Answers where the next entry begins. */
function checkEntry(pack: Uint8Array, offset: number): number {
  let at = offset;
  const type = ((pack[at] ?? 0) >> 4) & 7;
  const skipNumber = () => {
    while (((pack[at++] ?? 0) & 0x80) !== 0);
  };
  skipNumber();
  if (type === deltaByOffset) skipNumber();
  if (type === deltaById) at += 20;
  const measured = measureDeflated(pack, { from: at, mostBytes: limits.gitFileBytes });
  if (measured === 'damaged') {
    const message = `the pack is damaged at byte ${offset}`;
    throw new SandboxError('asset-unavailable', message, { details: { remedy: 'Fetch it again.' } });
  }
  const isDelta = type === deltaByOffset || type === deltaById;
  if (measured === 'long' || (isDelta && deltaTarget(measured.start) > limits.gitFileBytes)) {
    throw tooLong(`the object at byte ${offset} of the pack`);
  }
  return measured.end;
}

/** The size of what a delta makes: the second of the numbers that it begins with. */
function deltaTarget(start: Uint8Array): number {
  let at = 0;
  const nextNumber = () => {
    let [value, scale] = [0, 1];
    for (let byte = 0x80; (byte & 0x80) !== 0 && at < start.length; scale *= 128) {
      byte = start[at++] ?? 0;
      value += (byte & 0x7f) * scale;
    }
    return value;
  };
  nextNumber();
  return nextNumber();
}

function tooLong(what: string): SandboxError {
  const message = `${what} has more than ${limits.gitFileBytes} bytes, the most for git here`;
  const remedy = 'Use git in a machine or on a host.';
  return new SandboxError('limit-exceeded', message, { details: { remedy } });
}
