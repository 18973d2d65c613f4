import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

test('R-4 words in place of a message are refused with the option that takes them', async () => {
  await using cli = await openTestCli();
  expect(await cli.run('commit', 'before the migration')).toEqual({
    code: 2,
    stdout: '',
    stderr: "coppice: Cannot commit 'before the migration': did you mean -m 'before the migration'?\n",
  });
  expect((await cli.run('commit', 'so', 'far', '--if-changed')).stderr).toContain(
    "did you mean -m 'so far'?",
  );
  expect((await cli.run('log')).stdout.trim().split('\n')).toHaveLength(1);
});
