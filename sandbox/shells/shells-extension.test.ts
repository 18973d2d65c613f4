import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { historyLimits } from '../../tree/history/limits.ts';
import { decodeShells, encodeShells, type SavedShell } from './shells-extension.ts';

const shell = (at: number, script = 'A=\u00ff\n'): SavedShell => ({
  id: at.toString(16).padStart(16, '0'),
  user: at % 2 === 0 ? 'user' : 'root',
  state: { cwd: '/\u00c3\u00a9', script, history: ['a\nb', 'é'], lost: ['jobs'] },
});

/** The shells that come back, where objects are read as `change` says. */
function readBack(
  shells: readonly SavedShell[],
  change: (bytes: Uint8Array) => Uint8Array | undefined = (bytes) => bytes,
) {
  const { extension, objects } = encodeShells(shells);
  const stored = new Map(objects.map(({ id, bytes }) => [id, bytes]));
  const read = (id: ObjectId) => {
    const bytes = stored.get(id);
    return bytes && change(bytes);
  };
  return decodeShells(extension, read);
}

describe('SN-14 shells of a snapshot', () => {
  test('come back as they were', () => {
    const shells = [
      shell(1),
      shell(2, 'x'.repeat(100_000)),
      { ...shell(3), state: { ...shell(3).state, history: [] } },
    ];
    expect(readBack(shells)).toEqual(shells);
    expect(encodeShells(shells).extension).toEqual(encodeShells(structuredClone(shells)).extension);
  });

  test('fit into a record, as many and as large as they may be', () => {
    const large = '\u0001'.repeat(limits.shellStateBytes);
    const history = ['\u0001'.repeat(limits.shellHistoryBytes)];
    const { extension } = encodeShells(
      Array.from({ length: limits.shells }, (_, at) => {
        const { state, ...rest } = shell(at, `${at}${large}`);
        return { ...rest, state: { ...state, history } };
      }),
    );
    expect(extension.text.length).toBeLessThanOrEqual(historyLimits.extensionBytes);
    expect(extension.objects.length).toBeLessThanOrEqual(historyLimits.extensionObjects);
  });

  test('are none where an object is missing or damaged', () => {
    expect(readBack([shell(1)], () => undefined)).toEqual([]);
    expect(readBack([shell(1)], (bytes) => bytes.with(1, 0x7b))).toEqual([]);
  });

  test('H-9 are none of a text that is something else', () => {
    const { extension, objects } = encodeShells([shell(1)]);
    const read = (id: ObjectId) => objects.find((each) => each.id === id)?.bytes;
    const texts = [
      '',
      'x',
      '{}',
      '[1]',
      '[{}]',
      '[{"id":"../x","state":1,"history":0}]',
      '[{"id":"0000000000000001"}]',
    ];
    for (const text of [...texts, '[{"id":"0000000000000001","state":-1,"history":1e9}]']) {
      expect(decodeShells({ ...extension, text }, read)).toEqual([]);
    }
  });
});
