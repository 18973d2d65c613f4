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

test('members are chosen by pattern, and listed with the names of their owners and the time that they were given', async () => {
  const machine = new MemoryMachine(programs, { 'p/a': 'a', 'p/s/b.c': 'b' });
  await machine.run(['tar', '--mtime=2020-01-02', '--owner=0', '--group=0', '-cf', 'a.tar', 'p']);
  expect((await machine.run(['tar', '--wildcards', '-tf', 'a.tar', '*.c'])).stdout).toBe('p/s/b.c\n');
  expect((await machine.run(['tar', '-tvf', 'a.tar', 'p/a'])).stdout).toMatch(
    /^-rw-r--r-- root\/root +1 2020-01-02 00:00 p\/a\n$/,
  );
  expect((await machine.run(['tar', '--numeric-owner', '-tvf', 'a.tar', 'p/a'])).stdout).toMatch(/ 0\/0 /);
  expect(await machine.run(['tar', '--mtime=never', '-cf', 'b.tar', 'p'])).toMatchObject({
    exitCode: 2,
    stderr: 'tar: Invalid time: never\n',
  });
});

test.each([
  ['--append', ['-rf', 'a.tar', 'f']],
  ['--append', ['rf', 'a.tar', 'f']],
  ['--update', ['-uf', 'a.tar', 'f']],
  ['--concatenate', ['-Af', 'a.tar', 'b.tar']],
  ['--compare', ['-df', 'a.tar']],
  ['--delete', ['--delete', '-f', 'a.tar', 'f']],
])('refuses %s by name, says what to do and leaves the archive as it is', async (name, args) => {
  const machine = new MemoryMachine(programs, { f: 'text' });
  await machine.run(['tar', '-cf', 'a.tar', 'f']);
  const before = await machine.run(['cat', 'a.tar']);
  expect(await machine.run(['tar', ...args])).toMatchObject({
    exitCode: 2,
    stderr: `tar: ${name} is not supported: extract the archive, change the files and create it again\n`,
  });
  expect(await machine.run(['cat', 'a.tar'])).toEqual(before);
});
