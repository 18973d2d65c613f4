import { expect, test } from 'vitest';
import { handDevices, receiveDevices } from './handed-devices.ts';

/** A state of devices with a screen's memory, of which little is not zero, and a list that is no multiple of a page. */
function state(drawn: number): unknown[] {
  const screen = new Uint8ClampedArray(1_048_576);
  screen[700_000] = drawn;
  const words = new Int32Array(5_000).fill(-1);
  return [new Uint8Array([1, 2]), [3, 'text', screen, [words]], [undefined, true]];
}

test('B-4 devices are handed over without what is zero, and arrive as they were', () => {
  const handed = handDevices(state(7));
  const bytes = (handed as { contents?: Uint8Array }[][])[1]?.[2]?.contents?.length;
  expect(bytes).toBe(4_096);
  expect(receiveDevices(structuredClone(handed), { present: [] })).toEqual(state(7));
});

test('B-4 what is as it is there already is that, and is not put back', () => {
  const present = state(7);
  const [, same] = receiveDevices(structuredClone(handDevices(state(7))), { present });
  expect(same).toBe(present[1]);
  const [, other] = receiveDevices(structuredClone(handDevices(state(8))), { present }) as [
    unknown,
    unknown[],
  ];
  expect(other).not.toBe(present[1]);
  expect(other[2]).toEqual((state(8)[1] as unknown[])[2]);
  expect(other[3]).toBe((present[1] as unknown[])[3]);
});

test('B-4 what the receiver has from before is not handed over again', () => {
  const [present, before, now] = [state(1), state(7), state(8)];
  now[0] = before[0];
  const first = receiveDevices(structuredClone(handDevices(before)), { present });
  const handed = structuredClone(handDevices(now, before));
  expect(handed[0]).toEqual({ unchanged: true });
  const second = receiveDevices(handed, { present, before: first });
  expect(second).toEqual(now);
  expect(second[0]).toBe(first[0]);
});
