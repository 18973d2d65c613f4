import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectKinds } from '../content/kinds.ts';
import { decodeCheckpoint, encodeCheckpoint, type StoredCheckpoint } from './checkpoint-codec.ts';
import { historyLimits } from './limits.ts';
import { objectReferences } from './object-references.ts';
import type { SnapshotId } from './snapshot-record.ts';

const record = 'a'.repeat(64) as SnapshotId;
const checkpoint: StoredCheckpoint = {
  record,
  cause: { type: 'command', command: 'make ünit' },
  screens: [{ pid: 7, shown: new Uint8Array([27, 99]) }],
};

describe('a stored checkpoint', () => {
  test('MI-9 is what was stored, and refers to its record', () => {
    for (const cause of [checkpoint.cause, { type: 'interval' }, { type: 'before-restore' }] as const) {
      const { bytes } = encodeCheckpoint({ ...checkpoint, cause });
      expect(bytes[0]).toBe(objectKinds.checkpoint);
      expect(decodeCheckpoint(bytes)).toEqual({ ...checkpoint, cause });
      expect(objectReferences(bytes)).toEqual([record]);
    }
  });

  test('MI-9 a command that is too long is cut', () => {
    const { bytes } = encodeCheckpoint({
      ...checkpoint,
      cause: { type: 'command', command: 'x'.repeat(9_999) },
    });
    const { cause } = decodeCheckpoint(bytes);
    expect(cause).toEqual({ type: 'command', command: 'x'.repeat(historyLimits.textBytes) });
  });

  test('H-1 the golden vectors keep their bytes and ids', () => {
    const path = new URL('../../test/fixtures/checkpoints.json', import.meta.url);
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as {
      checkpoint: object;
      bytes: string;
      id: string;
    }[];
    expect(vectors.length).toBeGreaterThan(0);
    for (const vector of vectors) {
      const decoded = decodeCheckpoint(Buffer.from(vector.bytes, 'hex'));
      const screens = decoded.screens.map(({ pid, shown }) => ({
        pid,
        shown: Buffer.from(shown).toString('hex'),
      }));
      expect({ ...decoded, screens }).toEqual(vector.checkpoint);
      expect(encodeCheckpoint(decoded).id).toBe(vector.id);
    }
  });

  test('H-9 what is none is refused with a RangeError, whatever it is', () => {
    const { bytes } = encodeCheckpoint(checkpoint);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeCheckpoint(bytes.subarray(0, length))).toThrow(RangeError);
    expect(() => decodeCheckpoint(new Uint8Array([...bytes, 0]))).toThrow(RangeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const altered = new Uint8Array([...bytes.subarray(0, 2), ...noise]);
        try {
          decodeCheckpoint(altered);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
