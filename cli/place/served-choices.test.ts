import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

test('H-4 R-7 a command is refused that asks for another network than the daemon gives, and what only the daemon can be told', async () => {
  await using cli = await openTestCli();
  const daemon = cli.start('daemon', '--network-allow', '10.1.2.0/24');
  await daemon.says('answers at');
  const exec = (...flags: string[]) => cli.run('exec', ...flags, '--', 'true');
  expect(await exec()).toMatchObject({ code: 0, stderr: '' });
  expect(await exec('--network-allow', '10.1.2.0/24')).toMatchObject({ code: 0 });
  for (const flags of [
    ['--network-allow', '10.9.9.9'],
    ['--backend', 'copy'],
    ['--isolation', 'namespace'],
  ]) {
    const refused = await exec(...flags);
    expect(refused.code, flags.join(' ')).toBe(2);
    expect(refused.stderr).toContain(
      `${flags[0]} cannot be followed by the process that serves ${cli.folder}`,
    );
  }
  cli.environment.COPPICE_NETWORK = 'off';
  const refused = await exec();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('off is asked for, and it gives public and 10.1.2.0/24');
  daemon.signal('SIGTERM');
  await daemon.ended;
});

test('O-9 a sandbox that a daemon makes of a shell is not given the memory of a machine', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  const made = await cli.run('init', '-s', 'work', '--json');
  expect(made).toMatchObject({ code: 0 });
  const usual = JSON.parse((await cli.run('create', 'usual', '--json')).stdout);
  expect(JSON.parse(made.stdout).limits).toMatchObject({
    memoryMiB: usual.memoryMiB,
    diskMiB: usual.diskMiB,
  });
  daemon.signal('SIGTERM');
  await daemon.ended;
});

test('H-4 a bridge is not asked for a network or walls by a command', async () => {
  await using cli = await openTestCli();
  for (const flags of [
    ['--network-allow', '10.9.9.9'],
    ['--isolation', 'namespace'],
  ]) {
    const refused = await cli.run('exec', '--bridge', 'http://127.0.0.1:1', ...flags, '--', 'true');
    expect(refused.code, flags.join(' ')).toBe(2);
    expect(refused.stderr).toContain('cannot be followed by the bridge');
  }
});
