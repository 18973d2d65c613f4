import { SandboxError } from '../../../protocol/errors.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { DeviceState } from '../live/device-state.ts';
import type { PageContents } from '../live/lazy-ram.ts';
import type { BlockCodec } from './block-codec.ts';
import {
  decodeMemoryImage,
  decodeMemoryOrigin,
  type MemoryImage,
  type MemoryOrigin,
  type RunningState,
} from './memory-image.ts';
import { PageBundle } from './page-bundle.ts';
import { type PagePlace, placesOf } from './page-runs.ts';

/** What a machine goes on from. */
export interface StartMemory {
  readonly image: RunningState;
  /** Every page that differs from those that its machine was started with; `get` may throw corrupt-object. */
  readonly pages: PageContents;
  /** Where those pages are stored, if they are. */
  readonly places?: ReadonlyMap<number, PagePlace>;
  /** Makes its devices of those that are there, where it was handed over: those of `image` are on their way then. */
  readonly devices?: (present: DeviceState) => DeviceState;
}

/** A memory image that was read, with its pages. */
export interface LoadedMemory extends StartMemory {
  readonly image: MemoryImage;
  readonly places: ReadonlyMap<number, PagePlace>;
}

export interface LoadMemoryParts {
  /** Answers a stored object. */
  readonly read: (id: ObjectId) => Uint8Array;
  /** What it is to go on in. */
  readonly origin: MemoryOrigin;
  readonly codec: BlockCodec;
}

/** What differs first between what an image was taken of and what is here, for people. */
const differences: readonly [part: keyof MemoryOrigin, why: string][] = [
  ['runtime', 'it is of another runtime'],
  ['version', 'it is of another version of the emulator'],
  ['module', 'it is of another build of the emulator'],
  ['ramPages', 'its machine has another size of memory'],
  ['image', 'its machine has another image'],
  ['kernel', 'its machine has another kernel'],
  ['golden', 'its machine began in another state'],
];

/** @throws version-mismatch that says what differs */
export function assertSameOrigin(found: MemoryOrigin, expected: MemoryOrigin): void {
  for (const [part, why] of differences) {
    if (found[part] === expected[part]) continue;
    throw new SandboxError('version-mismatch', `Cannot start the machine from its memory: ${why}`, {
      details: { part, found: found[part], expected: expected[part] },
    });
  }
}

/**
 * Reads the memory image `id` for a machine like `origin`. Nothing of it is believed; its pages are unpacked when they
 * are asked for.
 * @throws version-mismatch for that of another machine, corrupt-object, and what `read` throws
 */
export function loadMemory(id: ObjectId, { read, origin, codec }: LoadMemoryParts): LoadedMemory {
  const bytes = read(id);
  assertSameOrigin(
    checked(() => decodeMemoryOrigin(bytes)),
    origin,
  );
  const bundles = new Map<ObjectId, PageBundle>();
  const bundle = (which: ObjectId): PageBundle => {
    const known = bundles.get(which);
    if (known) return known;
    const stored = read(which);
    const fresh = checked(() => new PageBundle(stored, codec));
    bundles.set(which, fresh);
    return fresh;
  };
  return checked(() => {
    const image = decodeMemoryImage(bytes, (which) => bundle(which).pages());
    const places = placesOf(image.runs, image.bundles);
    for (const place of places.values()) if (place !== 'zero') bundle(place.bundle).assertHas(place.slot);
    return { image, places, pages: storedPages(places, bundle) };
  });
}

/** Pages where they are stored: the blocks that they are in are unpacked when they are asked for. */
function storedPages(
  places: ReadonlyMap<number, PagePlace>,
  bundle: (id: ObjectId) => PageBundle,
): PageContents {
  return {
    keys: () => places.keys(),
    get: (page) => {
      const place = places.get(page);
      if (place === undefined) return undefined;
      return place === 'zero' ? zeros : checked(() => bundle(place.bundle).page(place.slot));
    },
  };
}

const zeros = new Uint8Array(pageBytes);

function checked<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (
      !(cause instanceof RangeError) &&
      !(cause instanceof Error && 'code' in cause && typeof cause.code === 'number')
    )
      throw cause;
    throw new SandboxError('corrupt-object', `Cannot read the memory of the machine: ${cause.message}`, {
      cause,
    });
  }
}
