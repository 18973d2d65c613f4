import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
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

/** Stands for a part that is what the receiver has of the state before. */
interface Unchanged {
  readonly unchanged: true;
}

const unchanged: Unchanged = { unchanged: true };

/**
 * A state of devices to be cloned into another thread, without the nearly three MiB that mostly are zero, and without
 * what it shares with `before`, a state that was handed over to the same receiver.
 */
export function handDevices(state: DeviceState, before?: DeviceState): DeviceState {
  return hand(state, before) as DeviceState;
}

/** The state that was handed over, with what is as it is `present`ly being that. `before`: what was received before it. */
export function receiveDevices(
  handed: DeviceState,
  { present, before }: { readonly present: DeviceState; readonly before?: DeviceState | undefined },
): DeviceState {
  return receive(handed, { present, before }) as DeviceState;
}

function hand(value: Saved, before: Saved): Saved {
  if (typeof value !== 'object' || value === null) return value;
  if (value === before) return unchanged;
  if (Array.isArray(value)) return value.map((item, at) => hand(item, itemOf(before, at)));
  return isLarge(value) ? sparseOf(value) : value;
}

function receive(value: Saved, { present, before }: { present: Saved; before: Saved }): Saved {
  if (isUnchanged(value)) return before;
  if (isSparse(value)) return isLarge(present) && isSame(value, sparseOf(present)) ? present : whole(value);
  if (!Array.isArray(value)) return share(value, present, () => undefined);
  const items = value.map((item, at) =>
    receive(item, { present: itemOf(present, at), before: itemOf(before, at) }),
  );
  const isPresent = Array.isArray(present) && present.length === items.length;
  return isPresent && items.every((item, at) => Object.is(item, present[at])) ? present : items;
}

function itemOf(list: Saved, at: number): Saved {
  return Array.isArray(list) ? list[at] : undefined;
}

function isUnchanged(value: Saved): value is Unchanged {
  return typeof value === 'object' && value !== null && 'unchanged' in value;
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
