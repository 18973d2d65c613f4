import { expect, test } from 'vitest';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

test('shuf answers each line once, in an order that changes', async () => {
  const machine = new MemoryMachine(programs);
  const numbers = Array.from({ length: 500 }, (_, index) => `${index + 1}`);
  const stdin = numbers.join('\n');
  const outputs = await Promise.all(
    [['shuf'], ['shuf', '-i', '1-500'], ['shuf', '-e', ...numbers]].map((argv) =>
      machine.run(argv, { stdin }),
    ),
  );
  for (const { stdout } of outputs) {
    const lines = stdout.trimEnd().split('\n');
    expect(lines).not.toEqual(numbers);
    expect(lines.sort((a, b) => Number(a) - Number(b))).toEqual(numbers);
  }
});

test('shuf chooses some of a range that is too large to hold', async () => {
  const machine = new MemoryMachine(programs);
  await machine.run(['shuf', '-n', '100', '-i', '1-9007199254740991', '-o', 'chosen']);
  const { stdout } = await machine.run(['sort', '-u', 'chosen']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(100);
});
