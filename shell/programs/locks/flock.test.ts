import { expect, test } from 'vitest';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

test('who waits for a lock gets it when the holder has ended', async () => {
  const machine = new MemoryMachine(programs);
  const first = machine.run(['flock', 'l', 'sleep', '0.05']);
  const second = machine.run(['flock', 'l', 'echo', 'after']);
  expect((await machine.run(['flock', '-n', 'l', 'true'])).exitCode).toBe(1);
  expect((await first).exitCode).toBe(0);
  expect((await second).stdout).toBe('after\n');
  expect((await machine.run(['flock', '-n', 'l', 'true'])).exitCode).toBe(0);
});

test('a lock ends with the process that has it', async () => {
  const machine = new MemoryMachine(programs);
  const killer = new AbortController();
  const run = machine.run(['flock', 'l', 'sleep', 'infinity'], { signal: killer.signal });
  expect((await machine.run(['flock', '-n', 'l', 'true'])).exitCode).toBe(1);
  killer.abort('SIGKILL');
  await expect(run).rejects.toBe('SIGKILL');
  expect((await machine.run(['flock', '-n', 'l', 'true'])).exitCode).toBe(0);
});

test('who waits for ever can be killed', async () => {
  const machine = new MemoryMachine(programs);
  const killer = new AbortController();
  const { signal } = killer;
  const holder = machine.run(['flock', 'l', 'sleep', 'infinity'], { signal });
  const waiting = machine.run(['flock', 'l', 'true'], { signal });
  killer.abort('SIGTERM');
  await expect(holder).rejects.toBe('SIGTERM');
  await expect(waiting).rejects.toBe('SIGTERM');
});
