import { expect, test } from 'vitest';
import { hostResources } from './host-resources.ts';

test('O-9 a host has the defaults and maxima of the row', () => {
  expect(hostResources()).toEqual({
    memoryMiB: { min: 64, usual: 512, max: 8_192 },
    diskMiB: { min: 64, usual: 1_024, max: 16_384 },
    cpuShares: { min: 2, usual: 256, max: 1_024 },
    pids: { min: 16, usual: 128, max: 4_096 },
  });
});

test('O-9 an operator may set other maxima, below which the defaults stay', () => {
  const { memoryMiB, pids } = hostResources({ memoryMiB: 65_536, pids: 100 });
  expect(memoryMiB).toEqual({ min: 64, usual: 512, max: 65_536 });
  expect(pids).toEqual({ min: 16, usual: 100, max: 100 });
});

test.each([
  { pids: 15 },
  { pids: 1e9 },
  { cpuShares: 1 },
  { diskMiB: 65_537 },
  { memoryMiB: 1.5 },
  { memoryMiB: Number.NaN },
])('O-9 %j is no maximum', (maxima) => {
  const code = 'invalid-argument';
  expect(() => hostResources(maxima)).toThrow(expect.objectContaining({ code }));
});
