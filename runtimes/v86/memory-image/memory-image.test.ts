import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { hashObject } from '../../../tree/objects/hash-object.ts';
import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { twinKernels } from '../../../wasm/pages/twin.ts';
import type { MachineImage } from '../live/checkpoints.ts';
import type { PageContents } from '../live/lazy-ram.ts';
import { PageTable } from '../live/page-table.ts';
import { BlockCodec } from './block-codec.ts';
import { type LoadedMemory, loadMemory } from './load-memory.ts';
import type { MemoryOrigin } from './memory-image.ts';
import { encodePageBundle, PageBundle } from './page-bundle.ts';
import { MemorySealer, type SealedMemory } from './seal-memory.ts';

const codec = new BlockCodec((memory) => twinKernels((memory as WebAssembly.Memory).buffer));
const digest = (digit: string) => digit.repeat(64);
const origin: MemoryOrigin = {
  runtime: 'v86',
  version: '0.5.462',
  module: digest('1'),
  image: digest('2'),
  kernel: digest('3'),
  golden: digest('4'),
  ramPages: 4_096,
};
const tree = digest('5') as ObjectId;
const ninep = {
  version: 1,
  messageBytes: 8_192,
  fids: new Float64Array(0),
  names: [],
  xattrs: [],
  locks: [],
  renumbered: [],
} as const;

function filled(seed: number): Uint8Array {
  return Uint8Array.from({ length: pageBytes }, (_, at) => (at % 7 === 0 ? seed : at * seed));
}

const entriesOf = (pages: PageContents) => [...pages.keys()].map((page) => [page, pages.get(page)] as const);

/** A machine without an emulator, whose pages are written and sealed. */
class Machine {
  readonly store = new MemoryStore();
  readonly #pages = [new Uint8Array(pageBytes)];
  readonly #sealer: MemorySealer;
  #table = PageTable.empty;
  devices: MachineImage['devices'] = [];

  constructor(golden: ReadonlyMap<number, Uint8Array> = new Map()) {
    this.#sealer = new MemorySealer({
      ...{ origin, codec },
      pages: {
        content: (id) => this.#pages[id] as Uint8Array,
        isSame: (a, b) => Buffer.from(this.#pages[a] as Uint8Array).equals(this.#pages[b] as Uint8Array),
      },
      first: { page: (page) => golden.get(page), places: new Map(), numbers: golden.keys(), letGo: () => {} },
    });
    for (const [page, content] of golden) this.write(page, content);
  }

  write(page: number, content: Uint8Array): void {
    this.#table = this.#table.with(
      Uint32Array.of(page),
      Uint32Array.of(this.#pages.push(content.slice()) - 1),
    );
  }

  async seal(): Promise<SealedMemory> {
    const image: MachineImage = { pages: this.#table, devices: this.devices, takenAtMs: 1.5 };
    const stored = (ids: readonly ObjectId[]) => this.store.has(ids);
    const sealed = await this.#sealer.seal({ image, takenAtMs: 2, ninep, terminals: [], tree, stored });
    await this.store.put(sealed.objects);
    sealed.settle();
    return sealed;
  }

  load(id: ObjectId): LoadedMemory {
    return loadMemory(id, { origin, codec, read: (object) => this.store.readSync(object) ?? missing() });
  }
}

function missing(): never {
  throw new SandboxError('missing-object', 'It is missing');
}

const sizeOf = ({ objects }: SealedMemory) => objects.reduce((sum, { bytes }) => sum + bytes.length, 0);

describe('a memory image', () => {
  test('has the pages that differ from those of the start, each content once', async () => {
    const machine = new Machine(new Map([[7, filled(3)]]));
    for (const page of [1, 2, 900]) machine.write(page, filled(5));
    machine.write(8, new Uint8Array(pageBytes));
    const { image, pages } = machine.load((await machine.seal()).id);
    expect([...pages.keys()]).toEqual([1, 2, 900]);
    expect(pages.get(900)).toEqual(filled(5));
    expect(image.bundles).toHaveLength(1);
    expect(
      new PageBundle(machine.store.readSync(image.bundles[0] as ObjectId) ?? missing(), codec).count,
    ).toBe(1);
    // One that is zero now is among them.
    machine.write(7, new Uint8Array(pageBytes));
    expect(machine.load((await machine.seal()).id).pages.get(7)).toEqual(new Uint8Array(pageBytes));
  });

  test('costs what changed since the last one, and is read from few bundles with little else in them', async () => {
    const machine = new Machine();
    for (let page = 0; page < 500; page++) machine.write(page, filled(2 * page + 1));
    const first = sizeOf(await machine.seal());
    let last: SealedMemory | undefined;
    for (let round = 0; round < 120; round++) {
      machine.write(round % 50, filled(1_001 + 2 * round));
      last = await machine.seal();
      if (round < 20) expect(sizeOf(last)).toBeLessThan(first / 20);
    }
    const { image, pages } = machine.load(last?.id as ObjectId);
    expect(image.bundles.length).toBeLessThanOrEqual(33);
    expect([...pages.keys()]).toHaveLength(500);
    for (const [page, content] of entriesOf(pages)) {
      const round = page >= 50 ? -1 : page < 20 ? 100 + page : 50 + page;
      expect(content).toEqual(filled(round < 0 ? 2 * page + 1 : 1_001 + 2 * round));
    }
  });

  test('of which a part was collected as garbage is followed by one that is whole', async () => {
    const machine = new Machine();
    machine.write(1, filled(1));
    await machine.seal();
    await machine.store.sweep(new Set());
    machine.write(2, filled(2));
    const { pages } = machine.load((await machine.seal()).id);
    expect(entriesOf(pages)).toEqual([
      [1, filled(1)],
      [2, filled(2)],
    ]);
  });

  test('keeps whatever devices list', async () => {
    const numbers = fc.oneof(
      fc.uint8Array(),
      fc.int32Array(),
      fc.uint16Array(),
      fc.float64Array(),
      fc.uint8Array({ minLength: 20_000, maxLength: 30_000 }),
    );
    const leaf = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.string(),
      fc.constant(undefined),
      numbers,
    );
    const maps = fc.array(fc.tuple(fc.integer(), fc.integer())).map((entries) => new Map(entries));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(leaf, fc.array(tie('any'), { maxLength: 6 }), maps),
    })).any;
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (devices) => {
        const machine = new Machine();
        machine.devices = devices;
        expect(machine.load((await machine.seal()).id).image.devices).toEqual(devices);
      }),
      { numRuns: 60 },
    );
  });

  test('H-1 MI-1 to MI-7 the golden vectors are read as what they are', () => {
    const path = new URL('../../../test/fixtures/memory-images.json', import.meta.url);
    const [vector] = JSON.parse(readFileSync(path, 'utf8')) as [
      { id: ObjectId; objects: Record<ObjectId, string> },
    ];
    const read = (object: ObjectId) => Buffer.from(vector.objects[object] ?? missing(), 'hex');
    for (const object of Object.keys(vector.objects) as ObjectId[])
      expect(hashObject(read(object))).toBe(object);
    const { image, pages } = loadMemory(vector.id, { origin, codec, read });
    const sparse = (seed: number) =>
      new Uint8Array(pageBytes).fill(7).map((byte, at) => (at % 64 ? byte : seed));
    expect(entriesOf(pages)).toEqual([
      [1, sparse(5)],
      [2, sparse(5)],
      [7, new Uint8Array(pageBytes)],
      [900, sparse(5)],
      [901, sparse(6)],
    ]);
    const small = [undefined, null, true, -5, 1.5, 'text', [1, [2]], new Map([[1, 2]])];
    const arrays = [
      Uint8Array.of(1, 2),
      Float64Array.of(0.5),
      new Uint8Array(20_000).fill(1),
      new Uint8Array(16_384),
    ];
    expect(image.devices).toEqual([...small, ...arrays]);
    expect(image).toMatchObject({ origin, tree, takenAtMs: 1_700_000_000_000, clockMs: 1.5 });
    expect(image.ninep).toEqual({ ...ninep, fids: Float64Array.of(3, 1, 0, -1, 0), names: ['a'] });
    expect(image.terminals).toEqual([
      { pid: 41, shown: new TextEncoder().encode('$ sleep 1\r\n'), command: 'sleep 1' },
      { pid: 42, shown: new Uint8Array(0), command: undefined },
    ]);
  });

  test('that is cut off or altered is refused with a code, whatever is in it', async () => {
    const machine = new Machine();
    machine.devices = [[1, new Uint32Array([1, 2]), new Map([[1, 2]])], new Uint8Array(20_000).fill(1)];
    for (const page of [1, 2, 3, 9]) machine.write(page, filled(page));
    const { id } = await machine.seal();
    const whole = machine.store.readSync(id) ?? missing();
    const load = (bytes: Uint8Array) =>
      loadMemory(id, {
        ...{ origin, codec },
        read: (object) => (object === id ? bytes : (machine.store.readSync(object) ?? missing())),
      });
    const codes = new Set<string>();
    const tryIt = (bytes: Uint8Array) => {
      try {
        load(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(SandboxError);
        codes.add((error as SandboxError).code);
      }
    };
    for (let length = 0; length < whole.length; length++) tryIt(whole.subarray(0, length));
    const change = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const altered = whole.slice();
        for (const { at, to } of changes) altered[at] = to;
        tryIt(altered);
      }),
      { numRuns: 500 },
    );
    expect([...codes].sort()).toEqual(['corrupt-object', 'missing-object', 'version-mismatch']);
  });

  test('has bundles that are refused when they are cut off', async () => {
    const { bytes } = await encodePageBundle([filled(1), filled(2)], codec);
    for (let length = 0; length < bytes.length; length++)
      expect(() => new PageBundle(bytes.subarray(0, length), codec)).toThrow(RangeError);
  });
});
