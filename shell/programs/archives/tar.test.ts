import { expect, test } from 'vitest';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

test('an archive that ends within a member leaves no file open', async () => {
  const machine = new MemoryMachine(programs, { big: 'x'.repeat(100_000) });
  const { files } = machine;
  await machine.run(['tar', '-cf', 'a.tar', 'big']);
  await machine.run(['truncate', '-s', '50000', 'a.tar']);
  await machine.run(['rm', 'big']);
  const before = files.tree.usage().usedInodes;
  expect(await machine.run(['tar', '-xf', 'a.tar'])).toMatchObject({ exitCode: 2 });
  await machine.run(['rm', 'big']);
  expect(files.tree.usage().usedInodes).toBe(before);
});

test('-P keeps the slash that names begin with', async () => {
  const machine = new MemoryMachine(programs, { '/d/f': 'text' });
  expect(await machine.run(['tar', '-cPf', 'a.tar', '/d/f'])).toMatchObject({ stderr: '', exitCode: 0 });
  expect((await machine.run(['tar', '-tPf', 'a.tar'])).stdout).toBe('/d/f\n');
  await machine.run(['rm', '/d/f']);
  await machine.run(['tar', '-xPf', 'a.tar']);
  expect((await machine.run(['cat', '/d/f'])).stdout).toBe('text');
  await machine.run(['tar', '-xf', 'a.tar']);
  expect((await machine.run(['cat', 'd/f'])).stdout).toBe('text');
});
