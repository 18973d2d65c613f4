import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { assertHeld, hostResources } from './host-resources.ts';

const cpus = { min: 0.05, max: availableParallelism(), isDivisible: true };

test('O-9 a host has the defaults and maxima of the row', () => {
  expect(hostResources()).toEqual({
    memoryMiB: { min: 64, usual: 512, max: 8_192 },
    diskMiB: { min: 64, usual: 1_024, max: 16_384 },
    cpuShares: { min: 2, usual: 256, max: 1_024 },
    pids: { min: 16, usual: 128, max: 4_096 },
    cpus,
    ioMiBps: { min: 1, max: 1_048_576 },
    lacks: {},
  });
});

test('O-9 an operator may set other maxima, below which the defaults stay', () => {
  const { memoryMiB, pids } = hostResources({ memoryMiB: 65_536, pids: 100 });
  expect(memoryMiB).toEqual({ min: 64, usual: 512, max: 65_536 });
  expect(pids).toEqual({ min: 16, usual: 100, max: 100 });
});

test('O-9 a maximum of what is unlimited otherwise is what a sandbox has that asks for nothing', () => {
  const rules = hostResources({ cpus: 1.5, ioMiBps: 30 });
  expect(rules.cpus).toEqual({ min: 0.05, usual: 1.5, max: 1.5, isDivisible: true });
  expect(rules.ioMiBps).toEqual({ min: 1, usual: 30, max: 30 });
});

test('H-10 what a host cannot limit it has no rule of, and no maximum', () => {
  const lacks = { ioMiBps: 'no controller blkio' };
  expect(hostResources({}, lacks)).toEqual({ ...hostResources(), ioMiBps: undefined, lacks });
  const code = 'unsupported';
  const details = { feature: 'ioMiBps' };
  expect(() => hostResources({ ioMiBps: 5 }, lacks)).toThrow(expect.objectContaining({ code, details }));
});

test('H-10 a sandbox that has a limit is not started where nothing holds it to that', () => {
  const rules = hostResources({}, { ioMiBps: 'no controller blkio' });
  expect(() => assertHeld({ ioMiBps: 5 }, rules)).toThrow(
    expect.objectContaining({
      code: 'unsupported',
      message: expect.stringContaining(
        'it may have ioMiBps 5 at most, and nothing here holds it to that: no',
      ),
      details: { feature: 'ioMiBps' },
    }),
  );
  assertHeld({ cpus: 0.5 }, rules);
  assertHeld({}, rules);
});

test.each([
  { pids: 15 },
  { pids: 1e9 },
  { cpuShares: 1 },
  { diskMiB: 65_537 },
  { memoryMiB: 1.5 },
  { memoryMiB: Number.NaN },
  { cpus: 0.01 },
  { cpus: Number.POSITIVE_INFINITY },
  { ioMiBps: 0.5 },
])('O-9 %j is no maximum', (maxima) => {
  const code = 'invalid-argument';
  expect(() => hostResources(maxima)).toThrow(expect.objectContaining({ code }));
});
