import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePack, encodePack } from './pack.ts';

describe('packs (OB-11)', () => {
  test('what is packed is unpacked in order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (objects) => {
        const unpacked = decodePack(encodePack(objects));
        expect(unpacked.map((bytes) => [...bytes])).toEqual(objects.map((bytes) => [...bytes]));
      }),
    );
  });

  test('any cut, and any byte too many, is refused', () => {
    const pack = encodePack([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]);
    for (let length = 0; length < pack.length; length++) {
      expect(() => decodePack(pack.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => decodePack(Uint8Array.of(...pack, 0))).toThrow('1 bytes follow its last object');
  });

  test('a count or length that lies is refused before anything is allocated', () => {
    const pack = encodePack([Uint8Array.of(1)]);
    const lie = (offset: number) => {
      const altered = pack.slice();
      new DataView(altered.buffer).setUint32(offset, 0xffff_ffff, true);
      return altered;
    };
    expect(() => decodePack(lie(4))).toThrow('4294967295 objects do not fit');
    expect(() => decodePack(lie(8))).toThrow('object 0 is cut off');
  });

  test('arbitrary bytes are a pack or a RangeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(3), (bytes, count) => {
        expect(outcome(Uint8Array.of(0x43, 0x50, 0x4b, 0x31, count, 0, 0, 0, ...bytes))).toMatch(
          /^(Array|RangeError)$/,
        );
      }),
    );
  });
});

function outcome(bytes: Uint8Array): string {
  try {
    return decodePack(bytes).constructor.name;
  } catch (error) {
    return (error as Error).name;
  }
}
