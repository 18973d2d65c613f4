import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { CrashGuard } from './crash-guard.ts';

const crash = new SandboxError('connection-lost', 'The worker died');

test('H-8 a crash rejects what waits and what will, and is told once to who listens', async () => {
  const guard = new CrashGuard();
  const told: unknown[] = [];
  guard.onCrash((error) => told.push(error));
  guard.onCrash(() => told.push('stopped listening'))();
  const waiting = guard.wait(new Promise(() => undefined));
  guard.crash(crash);
  guard.crash(new SandboxError('internal', 'a second one'));
  await expect(waiting).rejects.toBe(crash);
  await expect(guard.wait(Promise.resolve(1))).rejects.toBe(crash);
  guard.onCrash((error) => told.push(error));
  expect(told).toEqual([crash, crash]);
});

test('without a crash the outcome comes through, a failure as a SandboxError', async () => {
  const guard = new CrashGuard();
  expect(await guard.wait(Promise.resolve(1))).toBe(1);
  await expect(guard.wait(Promise.reject(new TypeError('odd')))).rejects.toMatchObject({
    code: 'internal',
    message: 'odd',
  });
});
