import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

test('init makes the sandbox that commands are about, once, and says how to replace it', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const made = await cli.run('init', '--json', '--quiet');
  expect(made.code).toBe(0);
  const { id } = JSON.parse(made.stdout);
  expect((await cli.run('exec', '--', 'pwd')).code).toBe(0);
  const again = await cli.run('init', '--quiet');
  expect(again).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/already: .*--sandbox.*--force\n$/),
  });
  expect(again.code).toBe((await cli.run('init', '--quiet', '--image', 'none')).code);
  expect(JSON.parse((await cli.run('init', '--json', '--force')).stdout).id).not.toBe(id);
  expect((await cli.backend.list()).map(({ name }) => name)).toEqual(['default']);
});

test('a new sandbox that cannot be made leaves the old one', async () => {
  await using cli = await openTestCli();
  const [before] = await cli.backend.list();
  expect((await cli.run('init', '--force', '--image', 'none')).code).not.toBe(0);
  expect(await cli.backend.list()).toEqual([before]);
});

test('init of files refuses what no sandbox may have before it reads any', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const refused = await cli.run('init', '--quiet', '--from', './missing', '--disk', '100G');
  expect(refused).toMatchObject({ code: (await cli.run('create', 'x', '--disk', '100G')).code, stdout: '' });
  expect(refused.stderr).toMatch(/Cannot make a sandbox with diskMiB 102400: 16384 is the most here/);
});

test.each([
  [['--from', '.', '--image', 'debian'], /one of --image and --from/],
  [['--from', '.', '--sha256', 'a'.repeat(64)], /--sha256 goes with --tarball/],
  [['--exclude', 'x'], /go with --from/],
  [['--from', './missing'], /no such folder/],
  [['--from', './missing', '--disk', '1M'], /diskMiB is 1, not an integer from 64/],
])('init %j is refused before anything is made', async (args, message) => {
  await using cli = await openTestCli({ isEmpty: true });
  const { code, stderr } = await cli.run('init', '--quiet', ...args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  expect(await cli.backend.list()).toEqual([]);
});
