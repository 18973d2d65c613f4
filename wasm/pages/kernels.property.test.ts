import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileKernels } from '../../scripts/compile-kernels.ts';
import { type PageKernels, pageBytes, tableBytes } from './page-kernels.ts';
import { twinKernels } from './twin.ts';

const runs = { numRuns: 300 };
/** Places in the memory of a test. */
const at = { a: 0, b: pageBytes, out: 2 * pageBytes, table: 6 * pageBytes, ram: 8 * pageBytes };
const ramPages = 40;
const memoryPages = 8;

let memory: WebAssembly.Memory;
let kernels: PageKernels;
let twinMemory: ArrayBuffer;
let twin: PageKernels;
beforeAll(async () => {
  memory = new WebAssembly.Memory({ initial: memoryPages });
  const { instance } = await WebAssembly.instantiate(await compileKernels(), {
    env: { memory, abort: () => {} },
  });
  kernels = instance.exports as unknown as PageKernels;
  twinMemory = new ArrayBuffer(memoryPages * 65_536);
  twin = twinKernels(twinMemory);
});

/** Both memories with the same bytes at a place. */
function put(place: number, bytes: Uint8Array): void {
  new Uint8Array(memory.buffer).set(bytes, place);
  new Uint8Array(twinMemory).set(bytes, place);
}

function bytesAt(place: number, length: number, of: ArrayBuffer = memory.buffer): Uint8Array {
  return new Uint8Array(of).slice(place, place + length);
}

/** A page as machines have them: few words that are not zero, or noise, or repeating text. */
const page: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.constant(new Uint8Array(pageBytes)),
  fc.array(fc.tuple(fc.nat(pageBytes - 1), fc.nat(255)), { maxLength: 60 }).map((bytes) => {
    const made = new Uint8Array(pageBytes);
    for (const [place, value] of bytes) made[place] = value;
    return made;
  }),
  fc.uint8Array({ minLength: pageBytes, maxLength: pageBytes }),
  fc.uint8Array({ minLength: 1, maxLength: 50 }).map((word) => {
    return Uint8Array.from({ length: pageBytes }, (_, index) => word[index % word.length] ?? 0);
  }),
);
const change = fc.array(fc.tuple(fc.nat(pageBytes - 1), fc.nat(255)), { maxLength: 80 });

function changed(base: Uint8Array, changes: readonly (readonly [number, number])[]): Uint8Array {
  const made = base.slice();
  for (const [place, value] of changes) made[place] = value;
  return made;
}

describe('page kernels do what their twins do', () => {
  test('zero, compare and hash', () => {
    fc.assert(
      fc.property(page, change, (a, changes) => {
        put(at.a, a);
        put(at.b, changed(a, changes));
        expect(kernels.isZero(at.a)).toBe(twin.isZero(at.a));
        expect(kernels.isSame(at.a, at.b)).toBe(twin.isSame(at.a, at.b));
        expect(kernels.isSame(at.a, at.a)).toBe(1);
        kernels.hash(at.b, at.out);
        twin.hash(at.b, at.out);
        expect(bytesAt(at.out, 16)).toEqual(bytesAt(at.out, 16, twinMemory));
      }),
      runs,
    );
  });

  test('a hash is another for every bit that is another', () => {
    const seen = new Set<string>();
    for (let bit = 0; bit < pageBytes * 8; bit += 7) {
      put(at.a, changed(new Uint8Array(pageBytes), [[bit >> 3, 1 << (bit & 7)]]));
      kernels.hash(at.a, at.out);
      seen.add(Buffer.from(bytesAt(at.out, 16)).toString('hex'));
    }
    expect(seen.size).toBe(Math.ceil((pageBytes * 8) / 7));
  });

  test('a delta is the same, and leads from the one page to the other', () => {
    fc.assert(
      fc.property(page, change, fc.nat(pageBytes), (base, changes, room) => {
        const other = changed(base, changes);
        put(at.a, base);
        put(at.b, other);
        const length = kernels.makeDelta(at.a, at.b, at.out, room);
        expect(length).toBe(twin.makeDelta(at.a, at.b, at.out, room));
        if (length < 0) return;
        expect(bytesAt(at.out, length)).toEqual(bytesAt(at.out, length, twinMemory));
        expect(kernels.applyDelta(at.out, length, at.a)).toBe(1);
        expect(bytesAt(at.a, pageBytes)).toEqual(other);
      }),
      runs,
    );
  });

  test('H-9 what is no delta is refused, and nothing beside the page is written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (delta) => {
        put(at.b, new Uint8Array(pageBytes));
        put(at.out, new Uint8Array(pageBytes).fill(7));
        put(at.a, new Uint8Array(pageBytes));
        put(at.table, delta);
        expect(kernels.applyDelta(at.table, delta.length, at.b)).toBe(
          twin.applyDelta(at.table, delta.length, at.b),
        );
        expect(bytesAt(at.out, pageBytes).every((byte) => byte === 7)).toBe(true);
        expect(bytesAt(at.a, pageBytes).every((byte) => byte === 0)).toBe(true);
      }),
      runs,
    );
  });

  test('what is compressed unpacks to the same, by the twin too', () => {
    fc.assert(
      fc.property(page, fc.nat(pageBytes), (content, length) => {
        put(at.a, content);
        const size = kernels.compress(at.a, length, at.out, 2 * pageBytes, at.table);
        expect(size).toBeGreaterThan(0);
        expect(kernels.compress(at.a, length, at.out, size - 1, at.table)).toBe(-1);
        expect(kernels.compress(at.a, length, at.out, 2 * pageBytes, at.table)).toBe(size);
        expect(kernels.decompress(at.out, size, at.b, length)).toBe(length);
        expect(bytesAt(at.b, length)).toEqual(content.slice(0, length));
        put(at.out, bytesAt(at.out, size));
        expect(twin.decompress(at.out, size, at.b, length)).toBe(length);
        expect(bytesAt(at.b, length, twinMemory)).toEqual(content.slice(0, length));
      }),
      runs,
    );
    expect(tableBytes).toBe(pageBytes);
  });

  test('H-9 what is no block is refused as the twin refuses it, and nothing beside its room is written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(600), (block, room) => {
        put(at.out, block);
        put(at.b, new Uint8Array(pageBytes).fill(9));
        expect(kernels.decompress(at.out, block.length, at.b, room)).toBe(
          twin.decompress(at.out, block.length, at.b, room),
        );
        expect(bytesAt(at.b + room, pageBytes - room).every((byte) => byte === 9)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('pages that were written are listed', () => {
    const states = fc.uint8Array({ minLength: ramPages, maxLength: ramPages, max: 3 });
    fc.assert(
      fc.property(states, fc.nat(ramPages), fc.nat(ramPages), (known, from, most) => {
        put(at.a, known);
        const ask = [at.a, from, ramPages, at.out, most] as const;
        const count = kernels.list(...ask);
        expect(count).toBe(twin.list(...ask));
        expect(bytesAt(at.out, count * 4)).toEqual(bytesAt(at.out, count * 4, twinMemory));
      }),
      runs,
    );
  });

  test('pages are put back', () => {
    const places = fc.array(fc.tuple(fc.nat(ramPages - 1), fc.nat(ramPages - 1)), { maxLength: ramPages });
    fc.assert(
      fc.property(places, fc.nat(0xffff), (placed, seed) => {
        const contents = at.ram + ramPages * pageBytes;
        put(at.ram, new Uint8Array(ramPages * pageBytes));
        put(
          contents,
          Uint8Array.from({ length: ramPages * pageBytes }, (_, index) => (index * seed) >> 8),
        );
        const list = placed.flatMap(([number, content]) => [number, contents + content * pageBytes]);
        put(at.out, new Uint8Array(Uint32Array.from(list).buffer));
        kernels.putBack(at.out, placed.length, at.ram);
        twin.putBack(at.out, placed.length, at.ram);
        const length = ramPages * pageBytes;
        expect(bytesAt(at.ram, length)).toEqual(bytesAt(at.ram, length, twinMemory));
      }),
      { numRuns: 60 },
    );
  });
});
