import { expect, test } from 'vitest';
import { roomyAmounts } from './roomy-amounts.ts';

const gib = 2 ** 30;
const host = (memory: number, free: number) => ({
  memoryBytes: memory * gib,
  statDisk: async () => ({ bavail: (free * gib) / 4_096, bsize: 4_096 }),
});
const folder = { disk: '/folder' };

test('O-9 a sandbox gets a quarter of the free disk and 2 GiB of memory where there is, and the usual on a small host', async () => {
  expect(await roomyAmounts(folder, host(24, 20))).toEqual({ memoryMiB: 2_048, diskMiB: 5_120 });
  expect(await roomyAmounts(folder, host(2, 2))).toEqual({ memoryMiB: 1_024, diskMiB: 1_024 });
  expect(await roomyAmounts(folder, host(0.5, 0.1))).toEqual({ memoryMiB: 512, diskMiB: 1_024 });
  expect((await roomyAmounts(folder, host(24, 1_000))).diskMiB).toBe(16_384);
});

test('O-9 of a bridge nothing is known: it gives what is usual there', async () => {
  expect(await roomyAmounts({}, host(24, 20))).toEqual({});
});
