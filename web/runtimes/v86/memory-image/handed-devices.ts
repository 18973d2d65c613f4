import { pageBytes } from '../../../../wasm/pages/page-kernels.ts';
import type { DeviceState } from '../live/device-state.ts';
import { type Saved, share } from '../live/shared-copy.ts';
import { memoryLimits } from './limits.ts';

type Numbers = Uint8Array<ArrayBuffer>;

/** A large array of a device, such as its screen's memory: of its pages, those that are not zero. */
interface SparseArray {
  /** An empty one of its kind. */
  readonly like: Numbers;
  readonly sizeBytes: number;
  readonly pages: Uint32Array;
  /** One after the other, the last one filled up. */
  readonly contents: Uint8Array;
}

/** Of arrays that never change: copies that images share. */
const sparse = new WeakMap<Numbers, SparseArray>();

/** A state of devices to be cloned into another thread, without the nearly three MiB that mostly are zero. */
export function handDevices(state: DeviceState): DeviceState {
  return state.map(hand);
}

/** The state that was handed over, with what is as it is `present`ly being that. */
export function receiveDevices(handed: DeviceState, present: DeviceState): DeviceState {
  return share(receive(handed, present), present, () => undefined) as DeviceState;
}

function hand(value: Saved): Saved {
  if (Array.isArray(value)) return value.map(hand);
  return isLarge(value) ? sparseOf(value) : value;
}

function receive(value: Saved, present: Saved): Saved {
  if (Array.isArray(value))
    return value.map((item, at) => receive(item, Array.isArray(present) ? present[at] : undefined));
  if (!isSparse(value)) return value;
  return isLarge(present) && isSame(value, sparseOf(present)) ? present : whole(value);
}

function isLarge(value: Saved): value is Numbers {
  return ArrayBuffer.isView(value) && value.byteLength >= memoryLimits.largeArrayBytes;
}

function isSparse(value: Saved): value is SparseArray {
  return typeof value === 'object' && value !== null && 'like' in value;
}

function sparseOf(array: Numbers): SparseArray {
  const known = sparse.get(array) ?? makeSparse(array);
  sparse.set(array, known);
  return known;
}

function makeSparse(array: Numbers): SparseArray {
  const { buffer, byteOffset, byteLength } = array;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const words = new Int32Array(buffer, byteOffset, byteLength >> 2);
  const pages: number[] = [];
  for (let at = 0; at < byteLength; at += pageBytes) {
    if (!isZero(words, at >> 2) || at + pageBytes > byteLength) pages.push(at / pageBytes);
  }
  const contents = new Uint8Array(pages.length * pageBytes);
  for (const [slot, page] of pages.entries())
    contents.set(bytes.subarray(page * pageBytes, (page + 1) * pageBytes), slot * pageBytes);
  return { like: array.slice(0, 0), sizeBytes: byteLength, pages: Uint32Array.from(pages), contents };
}

function isZero(words: Int32Array, from: number): boolean {
  const end = Math.min(from + pageBytes / 4, words.length);
  for (let at = from; at < end; at++) if (words[at] !== 0) return false;
  return true;
}

function isSame(a: SparseArray, b: SparseArray): boolean {
  if (a.like.constructor !== b.like.constructor || a.sizeBytes !== b.sizeBytes) return false;
  return isEqual(a.pages, b.pages) && isEqual(a.contents, b.contents);
}

function isEqual(a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

function whole({ like, sizeBytes, pages, contents }: SparseArray): Numbers {
  const bytes = new Uint8Array(sizeBytes);
  for (const [slot, page] of pages.entries()) {
    const at = page * pageBytes;
    const count = Math.min(pageBytes, sizeBytes - at);
    bytes.set(contents.subarray(slot * pageBytes, slot * pageBytes + count), at);
  }
  const kind = like.constructor as { new (buffer: ArrayBuffer): Numbers };
  return new kind(bytes.buffer);
}
