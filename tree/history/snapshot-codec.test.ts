import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleRecord } from '../../test/conformance/sample-snapshots.ts';
import { parseObjectId } from '../content/object-id.ts';
import { objectReferences } from './object-references.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot-codec.ts';
import {
  type Coverage,
  type Covered,
  coverageParts,
  type SnapshotId,
  type SnapshotRecord,
} from './snapshot-record.ts';

const id = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => parseObjectId(Buffer.from(bytes).toString('hex')) as SnapshotId);
const text = fc.string({ unit: 'binary', maxLength: 40 });
const count = fc.nat();
const covered: fc.Arbitrary<Covered> = fc.oneof(
  fc.constant({ captured: true as const }),
  fc.record({ captured: fc.constant(true as const), renewed: text }),
  fc.record({ captured: fc.constant(false as const), why: text }),
);
const coverage: fc.Arbitrary<Coverage> = fc
  .tuple(...coverageParts.map(() => covered))
  .map((all) => Object.fromEntries(coverageParts.map((part, index) => [part, all[index]])) as Coverage);
const record: fc.Arbitrary<SnapshotRecord> = fc.record({
  tree: id,
  memory: fc.option(id, { nil: undefined }),
  parents: fc.uniqueArray(id, { maxLength: 4 }),
  cause: fc.oneof(
    fc.record({ type: fc.constant('image' as const), image: text }),
    fc.record({ type: fc.constant('capture' as const), commands: fc.array(text, { maxLength: 5 }) }),
    fc.record({
      type: fc.constant('capture' as const),
      commands: fc.array(text, { maxLength: 5 }),
      runs: fc.array(text, { minLength: 1, maxLength: 5 }),
    }),
    fc.record({ type: fc.constant('manual' as const), label: text }),
    fc.record({ type: fc.constant('checkout' as const), from: text }),
    fc.record({ type: fc.constant('fork' as const), sandbox: text }),
    fc.record({ type: fc.constant('import' as const), source: text }),
  ),
  coverage,
  changes: fc.record({
    created: count,
    modified: count,
    deleted: count,
    paths: fc.array(text, { maxLength: 5 }),
  }),
  takenAtMs: fc.maxSafeNat(),
});
const extensions: fc.Arbitrary<SnapshotRecord['extensions']> = fc.dictionary(
  text,
  fc.record({ text, objects: fc.array(id, { maxLength: 3 }) }),
  { minKeys: 1, maxKeys: 5, noNullPrototype: true },
);

describe('encodeSnapshot', () => {
  test('H-1 SN-1 a record comes back as it was, and its id follows from it', () => {
    fc.assert(
      fc.property(record, (value) => {
        const stored = encodeSnapshot(value);
        expect(decodeSnapshot(stored.bytes)).toEqual(value);
        expect(encodeSnapshot(decodeSnapshot(stored.bytes)).id).toBe(stored.id);
      }),
    );
  });

  test('SN-13 extensions of any name come back, whether a reader knows them or not, in one encoding', () => {
    fc.assert(
      fc.property(record, extensions, (value, more = {}) => {
        const stored = encodeSnapshot({ ...value, extensions: more });
        const decoded = decodeSnapshot(stored.bytes);
        expect(Object.entries(decoded.extensions ?? {})).toHaveLength(Object.keys(more).length);
        for (const [name, extension] of Object.entries(more)) {
          expect(Object.getOwnPropertyDescriptor(decoded.extensions, name)?.value).toEqual(extension);
        }
        const reversed = Object.fromEntries(Object.entries(more).reverse());
        expect(encodeSnapshot({ ...value, extensions: reversed }).id).toBe(stored.id);
        // One without is a record as it was before there were any.
        expect(stored.bytes.subarray(0, encodeSnapshot(value).bytes.length)).toEqual(
          encodeSnapshot(value).bytes,
        );
      }),
    );
  });

  test('SN-13 a list of none, two of one name and another order are refused, and so is what is too long', () => {
    const tree = parseObjectId('0'.repeat(64));
    const plain = encodeSnapshot(sampleRecord(tree, {}));
    const withTail = (...tail: number[]) => decodeSnapshot(Uint8Array.of(...plain.bytes, ...tail));
    expect(() => withTail(0)).toThrow('it has a list of no extensions');
    expect(withTail(1, 1, 0x61, 0, 0).extensions).toEqual({ a: { text: '', objects: [] } });
    expect(() => withTail(2, 1, 0x62, 0, 0, 1, 0x61, 0, 0)).toThrow('its extensions are not in order');
    expect(() => withTail(2, 1, 0x61, 0, 0, 1, 0x61, 0, 0)).toThrow('its extensions are not in order');
    expect(() => withTail(33)).toThrow('a number is over 32');
    const long = { text: 'x'.repeat(65_537), objects: [] };
    expect(() => encodeSnapshot(sampleRecord(tree, { extensions: { long } }))).toThrow(
      'a number is over 65536',
    );
  });

  test("SN-13 an extension's objects are references of its record", () => {
    const [tree, log] = [parseObjectId('0'.repeat(64)), parseObjectId('1'.repeat(64))];
    const { bytes } = encodeSnapshot(
      sampleRecord(tree, { extensions: { log: { text: '', objects: [log] } } }),
    );
    expect(objectReferences(bytes)).toEqual([tree, log]);
  });

  test('H-1 the golden vectors keep their bytes and ids', () => {
    const path = new URL('../../test/fixtures/snapshots.json', import.meta.url);
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as { record: object; bytes: string; id: string }[];
    expect(vectors.length).toBeGreaterThan(0);
    for (const vector of vectors) {
      const decoded = decodeSnapshot(Buffer.from(vector.bytes, 'hex'));
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(vector.record);
      expect(encodeSnapshot(decoded).id).toBe(vector.id);
    }
  });

  test('refuses what the decoder would refuse', () => {
    const tree = parseObjectId('0'.repeat(64));
    const refused = (changes: Partial<SnapshotRecord>) => () => encodeSnapshot(sampleRecord(tree, changes));
    expect(refused({ cause: { type: 'manual', label: 'x'.repeat(4_097) } })).toThrow('a number is over 4096');
    expect(refused({ cause: { type: 'capture', commands: ['make'], runs: [] } })).toThrow('it names no run');
    expect(refused({ parents: [tree as SnapshotId, tree as SnapshotId] })).toThrow('a parent twice');
    expect(refused({ parents: Array.from({ length: 17 }, () => tree as SnapshotId) })).toThrow(RangeError);
  });
});

describe('decodeSnapshot', () => {
  const { bytes } = encodeSnapshot(sampleRecord(parseObjectId('ab'.repeat(32))));

  test('SN-1 refuses every cut and every byte too many', () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeSnapshot(bytes.subarray(0, length))).toThrow(RangeError);
    }
    for (let byte = 0; byte < 256; byte++) {
      expect(() => decodeSnapshot(new Uint8Array([...bytes, byte]))).toThrow(RangeError);
    }
  });

  test('SN-1 whatever it accepts is canonical, and it throws nothing but RangeError', () => {
    const mutation = fc.record({ at: fc.nat({ max: bytes.length - 1 }), value: fc.nat({ max: 255 }) });
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const mutated = bytes.slice();
        for (const { at, value } of mutations) mutated[at] = value;
        let decoded: SnapshotRecord;
        try {
          decoded = decodeSnapshot(mutated);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(encodeSnapshot(decoded).bytes).toEqual(mutated);
      }),
      { numRuns: 1_000 },
    );
  });

  test('H-9 a text that is not UTF-8 is refused', () => {
    const at = bytes.findIndex(
      (_, index) => Buffer.from(bytes.subarray(index, index + 4)).toString() === 'make',
    );
    const mutated = bytes.slice();
    mutated[at] = 0xff;
    expect(() => decodeSnapshot(mutated)).toThrow('not UTF-8');
  });
});
