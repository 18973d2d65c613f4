import type { ObjectId } from '../../../tree/content/object-id.ts';
import { WorkSlices } from '../../../tree/next-task.ts';
import type { NinePState } from '../../../tree/ninep/ninep-state.ts';
import { storedObject } from '../../../tree/objects/hash-object.ts';
import type { StoredObject } from '../../../tree/objects/object-store.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { MachineImage } from '../live/checkpoints.ts';
import { PageTable } from '../live/page-table.ts';
import type { BlockCodec } from './block-codec.ts';
import { LargeArrays } from './large-arrays.ts';
import { memoryLimits } from './limits.ts';
import { encodeMemoryImage, type MemoryOrigin } from './memory-image.ts';
import { encodePageBundle } from './page-bundle.ts';
import { type PagePlace, runsOf } from './page-runs.ts';
import { equalPages, isZeroPage, PageSet } from './page-set.ts';
import { poorBundles } from './poor-bundles.ts';
import type { SavedTerminal } from './terminal-codec.ts';

/** Pages of RAM as they were before the first image that is sealed here. */
export interface FirstPages {
  /** What page `page` was; `undefined` for zeros. */
  page(page: number): Uint8Array | undefined;
  /** Those that are stored already, as pages of the image that the machine was started from. */
  readonly places: ReadonlyMap<number, PagePlace>;
  /** Pages that were not zero, in any order. */
  readonly numbers: Iterable<number>;
  /** Nobody asks for a page any more. */
  letGo(): void;
}

/** Contents of pages by their ids, as images have them. */
export interface PagesById {
  /** Valid until the next call. */
  content(id: number): Uint8Array;
  isSame(a: number, b: number): boolean;
}

export interface SealRequest {
  readonly image: MachineImage;
  /** ms since 1970. */
  readonly takenAtMs: number;
  readonly ninep: NinePState;
  readonly terminals: readonly SavedTerminal[];
  /** The tree delta that goes with it. */
  readonly tree: ObjectId;
  /** Which of these objects are stored. */
  readonly stored: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;
}

/** A memory image with the objects that it needs and that are not stored yet. */
export interface SealedMemory {
  readonly id: ObjectId;
  readonly objects: readonly StoredObject[];
  /** To be called once the objects are durable: the next image builds on this one. */
  settle(): void;
}

interface Sealed {
  readonly image: MachineImage;
  readonly places: ReadonlyMap<number, PagePlace>;
}

/** Makes durable objects of images of one machine, at a cost that follows what changed since the last one. Calls must not overlap. */
export class MemorySealer {
  readonly #origin: MemoryOrigin;
  readonly #pages: PagesById;
  readonly #codec: BlockCodec;
  readonly #large: LargeArrays;
  #first: FirstPages | undefined;
  #last: Sealed | undefined;

  constructor(parts: {
    origin: MemoryOrigin;
    codec: BlockCodec;
    pages: PagesById;
    first: FirstPages;
  }) {
    this.#codec = parts.codec;
    this.#large = new LargeArrays(parts.codec);
    this.#origin = parts.origin;
    this.#pages = parts.pages;
    this.#first = parts.first;
  }

  /** The image that the next one is compared with: it has to be kept. */
  get last(): MachineImage | undefined {
    return this.#last?.image;
  }

  /**
   * Pages that may differ from those of `from`, or from the state that the machine was put at first, at the cost of
   * what changed since that, or since the last image. Ascending.
   */
  differing(image: MachineImage, from?: MachineImage): Uint32Array {
    if (from) {
      const found: number[] = [];
      from.pages.compare(image.pages, (page) => found.push(page));
      return Uint32Array.from(found);
    }
    const pages = new Set((this.#last?.places ?? this.#first?.places)?.keys());
    if (this.#last) this.#last.image.pages.compare(image.pages, (page) => pages.add(page));
    else for (const page of this.#changed(image)) pages.add(page);
    return Uint32Array.from(pages).sort();
  }

  /** Lets other work run in between. The image has to be kept meanwhile. */
  async seal({ image, takenAtMs, ninep, terminals, tree, stored }: SealRequest): Promise<SealedMemory> {
    const before = this.#last?.places ?? this.#first?.places ?? new Map<number, PagePlace>();
    const isStored = await stored(bundlesOf(before));
    const poor = poorBundles(before, isStored);
    const places = new Map<number, PagePlace>();
    const moved: number[] = [];
    for (const [page, place] of before) {
      if (place !== 'zero' && poor.has(place.bundle)) moved.push(page);
      else places.set(page, place);
    }
    const slices = new WorkSlices();
    const fresh = new PageSet();
    for (const page of moved) fresh.put(page, this.#pages.content(image.pages.get(page)).slice());
    for (const page of this.#changed(image)) {
      const content = this.#pages.content(image.pages.get(page));
      fresh.delete(page);
      if (isZeroPage(content)) places.set(page, 'zero');
      else fresh.put(page, content.slice());
      if (page % memoryLimits.blockPages === 0) await slices.end();
    }
    const objects: StoredObject[] = [];
    for (const { contents, pages } of fresh.bundles(memoryLimits.bundlePages)) {
      const bundle = await encodePageBundle(contents, this.#codec);
      objects.push(bundle);
      for (const [page, slot] of pages) places.set(page, { bundle: bundle.id, slot });
    }
    const large = await this.#large.store(image.devices, stored);
    objects.push(...large.objects);
    const bundles = [...new Set([...large.ids, ...bundlesOf(places)])];
    const bytes = encodeMemoryImage(
      {
        ...{ tree, bundles, origin: this.#origin, takenAtMs, clockMs: image.takenAtMs },
        ...{ devices: image.devices, ninep, terminals, runs: runsOf(places, bundles) },
      },
      large.placeOf,
    );
    const object = storedObject(bytes);
    const settle = () => {
      this.#last = { image, places };
      this.#first?.letGo();
      this.#first = undefined;
    };
    return { id: object.id, objects: [...objects, object], settle };
  }

  /** Pages that are not what is stored of them. The table of an image may become another while others run: it is looked up anew. */
  *#changed(image: MachineImage): Generator<number> {
    const last = this.#last;
    if (last) {
      const found: number[] = [];
      last.image.pages.compare(image.pages, (page, before, now) => {
        if (!this.#pages.isSame(before, now)) found.push(page);
      });
      yield* found;
      return;
    }
    const first = this.#first;
    const numbers = new Set(first?.numbers);
    PageTable.empty.compare(image.pages, (page) => numbers.add(page));
    for (const page of numbers) {
      const was = first?.page(page) ?? zeros;
      if (!equalPages(was, this.#pages.content(image.pages.get(page)))) yield page;
    }
  }
}

const zeros = new Uint8Array(pageBytes);

function bundlesOf(places: ReadonlyMap<number, PagePlace>): ObjectId[] {
  const ids = new Set<ObjectId>();
  for (const place of places.values()) if (place !== 'zero') ids.add(place.bundle);
  return [...ids];
}
