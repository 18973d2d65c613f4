import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectKinds } from '../content/kinds.ts';
import { historyLimits } from './limits.ts';
import { decodeMoment, encodeMoment, type StoredMoment } from './moment-codec.ts';
import { objectReferences } from './object-references.ts';
import type { SnapshotId } from './snapshot-record.ts';

const record = 'a'.repeat(64) as SnapshotId;
const moment: StoredMoment = {
  record,
  cause: { type: 'command', command: 'make ünit' },
  screens: [{ pid: 7, shown: new Uint8Array([27, 99]) }],
};

describe('a stored moment', () => {
  test('MI-9 is what was stored, and refers to its record', () => {
    for (const cause of [moment.cause, { type: 'interval' }, { type: 'left' }] as const) {
      const { bytes } = encodeMoment({ ...moment, cause });
      expect(bytes[0]).toBe(objectKinds.moment);
      expect(decodeMoment(bytes)).toEqual({ ...moment, cause });
      expect(objectReferences(bytes)).toEqual([record]);
    }
  });

  test('MI-9 a command that is too long is cut', () => {
    const { bytes } = encodeMoment({ ...moment, cause: { type: 'command', command: 'x'.repeat(9_999) } });
    const { cause } = decodeMoment(bytes);
    expect(cause).toEqual({ type: 'command', command: 'x'.repeat(historyLimits.textBytes) });
  });

  test('H-1 the golden vectors keep their bytes and ids', () => {
    const path = new URL('../../test/fixtures/moments.json', import.meta.url);
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as { moment: object; bytes: string; id: string }[];
    expect(vectors.length).toBeGreaterThan(0);
    for (const vector of vectors) {
      const decoded = decodeMoment(Buffer.from(vector.bytes, 'hex'));
      const screens = decoded.screens.map(({ pid, shown }) => ({
        pid,
        shown: Buffer.from(shown).toString('hex'),
      }));
      expect({ ...decoded, screens }).toEqual(vector.moment);
      expect(encodeMoment(decoded).id).toBe(vector.id);
    }
  });

  test('H-9 what is none is refused with a RangeError, whatever it is', () => {
    const { bytes } = encodeMoment(moment);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeMoment(bytes.subarray(0, length))).toThrow(RangeError);
    expect(() => decodeMoment(new Uint8Array([...bytes, 0]))).toThrow(RangeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const altered = new Uint8Array([...bytes.subarray(0, 2), ...noise]);
        try {
          decodeMoment(altered);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
