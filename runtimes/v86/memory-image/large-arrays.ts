import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { StoredObject } from '../../../tree/objects/object-store.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { DeviceState } from '../live/device-state.ts';
import type { BlockCodec } from './block-codec.ts';
import { memoryLimits } from './limits.ts';
import type { LargePlaces } from './memory-image.ts';
import { encodePageBundle } from './page-bundle.ts';
import { isZeroPage } from './page-set.ts';

type Numbers = Uint8Array;

/** The large arrays of a machine's devices, such as its screen's memory, each stored once as long as it stays as it is. */
export class LargeArrays {
  /** By the copy that images share. */
  readonly #known = new WeakMap<Numbers, ObjectId | undefined>();
  readonly #codec: BlockCodec;

  constructor(codec: BlockCodec) {
    this.#codec = codec;
  }

  /** Stores those that are new; answers where each of the state is, and all objects that they are in. */
  async store(
    devices: DeviceState,
    stored: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>,
  ): Promise<{ objects: StoredObject[]; ids: ObjectId[]; placeOf: LargePlaces }> {
    const objects: StoredObject[] = [];
    const places = new Map<ArrayBufferLike, ObjectId | undefined>();
    const arrays = [...largeArrays(devices)];
    const known = arrays.flatMap((array) => this.#known.get(array) ?? []);
    const isStored = await stored(known);
    for (const array of arrays) {
      const before = this.#known.get(array);
      const isKnown = before === undefined ? this.#known.has(array) : isStored.has(before);
      if (!isKnown) {
        const pages = pagesOf(array);
        const bundle = pages && (await encodePageBundle(pages, this.#codec));
        if (bundle) objects.push(bundle);
        this.#known.set(array, bundle?.id);
      }
      places.set(array.buffer, this.#known.get(array));
    }
    const ids = [...new Set([...places.values()].filter((id) => id !== undefined))];
    return { objects, ids, placeOf: (bytes) => places.get(bytes.buffer) };
  }
}

function* largeArrays(value: unknown): Generator<Numbers> {
  if (Array.isArray(value)) for (const item of value) yield* largeArrays(item);
  else if (isNumbers(value) && value.byteLength >= memoryLimits.largeArrayBytes) yield value;
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value);
}

/** Its bytes as pages, the last one filled up; nothing where all are zero. */
function pagesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array[] | undefined {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const pages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pageBytes) {
    const page = new Uint8Array(pageBytes);
    page.set(bytes.subarray(at, at + pageBytes));
    pages.push(page);
  }
  return pages.every(isZeroPage) ? undefined : pages;
}
