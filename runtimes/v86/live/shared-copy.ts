/** Numbers, text, lists, maps, and arrays of numbers. Not to be changed: copies share what is equal. */
export type Saved = unknown;

/** Up to so many numbers, a look at each costs less than views to look by. */
const smallLength = 16;

/** Tells of an array whether it is another than its last copy, where that is known without looking at it. */
export type HasChanged = (live: Uint8Array) => boolean | undefined;

/**
 * A deep copy of what a device of v86 lists, in which parts that are themselves devices are listed, too.
 * Where nothing differs from `before`, an earlier copy, it is that; parts of it, likewise.
 */
export function share(live: unknown, before: Saved, hasChanged: HasChanged): Saved {
  if (typeof live !== 'object' || live === null) return live;
  if (Array.isArray(live)) return shareList(live, before, hasChanged);
  if (live instanceof Map)
    return live.size === 0 && before instanceof Map && before.size === 0 ? before : new Map(live);
  const numbers = live as Uint8Array;
  if (numbers.BYTES_PER_ELEMENT) return shareNumbers(numbers, before, hasChanged);
  return shareList((live as { get_state(): unknown[] }).get_state(), before, hasChanged);
}

/** A deep copy for a device to keep, that shares nothing but what `keep` answers for an array. */
export function own(saved: Saved, keep: (numbers: Uint8Array) => Uint8Array | undefined): unknown {
  if (typeof saved !== 'object' || saved === null) return saved;
  if (Array.isArray(saved)) return saved.map((item) => own(item, keep));
  if (saved instanceof Map) return new Map(saved);
  const numbers = saved as Uint8Array;
  return keep(numbers) ?? numbers.slice();
}

function shareList(live: readonly unknown[], before: Saved, hasChanged: HasChanged): Saved {
  const last = Array.isArray(before) && before.length === live.length ? before : undefined;
  let list: unknown[] | undefined;
  for (let at = 0; at < live.length; at++) {
    const item = share(live[at], last?.[at], hasChanged);
    if (list) list.push(item);
    else if (!last || !Object.is(item, last[at])) list = [...(last ?? []).slice(0, at), item];
  }
  return list ?? last ?? [];
}

function shareNumbers(live: Uint8Array, before: Saved, hasChanged: HasChanged): Saved {
  const last = before as Uint8Array | undefined;
  if (live === last) return last;
  if (last?.length !== live.length || last.BYTES_PER_ELEMENT !== live.BYTES_PER_ELEMENT)
    return viewOf(live).slice();
  if (hasChanged(live) === false) return last;
  if (live.length <= smallLength) return isSame(live, last) ? last : viewOf(live).slice();
  const view = viewOf(live);
  return isEqual(view, last) ? last : view.slice();
}

function isSame(live: Uint8Array, last: Uint8Array): boolean {
  for (let at = 0; at < live.length; at++) if (!Object.is(live[at], last[at])) return false;
  return true;
}

/** The numbers themselves: some of v86's arrays are proxies, which are slow, and no views for the language. */
function viewOf(numbers: Uint8Array): Uint8Array {
  const kind = numbers.constructor as Uint8ArrayConstructor;
  return new kind(numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.length);
}

/** By their bytes, four at once where they lie on words: numbers that are not a number are equal, too. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  const isWords = a.byteLength % 4 === 0 && a.byteOffset % 4 === 0;
  const [here, there] = isWords ? [wordsOf(a), wordsOf(b)] : [bytesOf(a), bytesOf(b)];
  for (let at = 0; at < here.length; at++) if (here[at] !== there[at]) return false;
  return true;
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Int32Array {
  return new Int32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
