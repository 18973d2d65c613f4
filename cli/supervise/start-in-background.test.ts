import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';
import { daemonArguments } from './start-in-background.ts';

test('R-7 a daemon in the background is told all that the one who starts it was told', async () => {
  const options = { root: '/folder', sandbox: 'work', isolation: 'namespace', backend: 'copy' };
  expect(daemonArguments({ ...options, networkAllow: ['10.1.2.0/24', '10.9.0.1'] })).toEqual([
    ...['daemon', '--json', '--root', '/folder', '--sandbox', 'work'],
    ...['--backend', 'copy', '--isolation', 'namespace'],
    ...['--network-allow', '10.1.2.0/24', '--network-allow', '10.9.0.1'],
  ]);
});

test('R-7 a bridge is refused in the background as it is in the foreground', async () => {
  await using cli = await openTestCli();
  const refused = await cli.run('daemon', '--background', '--bridge', 'http://localhost:1');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out --bridge') });
});
