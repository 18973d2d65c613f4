import { expect, test, vi } from 'vitest';
import { openTestCli } from '../test-context.ts';

test.each([
  ['run', ['true']],
  ['create', ['other']],
  ['init', ['--sandbox', 'other']],
])('S-8 %s --allow asks for a network that reaches this only', async (command, rest) => {
  await using cli = await openTestCli();
  const create = vi.spyOn(cli.backend, 'create');
  const refused = await cli.run(command, '--network', 'off', '--allow', 'pypi.org', ...rest);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--network off') });
  expect(create).not.toHaveBeenCalled();
  // Shells have no network, and say so.
  const flags = ['--allow', 'pypi.org', '--allow', '*.debian.org:443'];
  expect((await cli.run(command, ...flags, ...rest)).code).toBe(6);
  const asked = { network: 'full', allow: ['pypi.org', '*.debian.org:443'] };
  expect(create).toHaveBeenCalledWith(expect.objectContaining(asked), expect.anything());
});
