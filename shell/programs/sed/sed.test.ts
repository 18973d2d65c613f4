import { expect, test } from 'vitest';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

test.each([
  // Files, and what is in them afterwards, as GNU's sed leaves them.
  [['-i', '1q'], 0, ['1\n', '1\n2\n3\n']],
  [['-i', '1q5'], 5, ['1\n', '1\n2\n3\n']],
  [['-i', '2Q'], 0, ['1\n', '1\n2\n3\n']],
  [['-i', '4q'], 0, ['1\n2\n3\n', '1\n2\n3\n']],
  [['-i', 'N;s/\\n/-/'], 0, ['1-2\n3\n', '1-2\n3\n']],
  [['-i', '2,/x/d'], 0, ['1\n', '1\n']],
  [['-i', '$!N;P;D'], 0, ['1\n2\n3\n', '1\n2\n3\n']],
])('sed edits files one by one: %j', async (args, exitCode, contents) => {
  const machine = new MemoryMachine(programs, { a: '1\n2\n3\n', b: '1\n2\n3\n' });
  expect((await machine.run(['sed', ...args, 'a', 'b'])).exitCode).toBe(exitCode);
  expect(
    await Promise.all(['a', 'b'].map(async (name) => (await machine.run(['cat', name])).stdout)),
  ).toEqual(contents);
});

test('a file that cannot be read counts where the script quits without a status', async () => {
  const machine = new MemoryMachine(programs, { a: '1\n2\n' });
  expect(await machine.run(['sed', '-i', 'q', 'missing', 'a'])).toMatchObject({ exitCode: 2 });
  expect(await machine.run(['sed', 'N', 'missing', 'a'])).toMatchObject({ exitCode: 2, stdout: '1\n' });
});
