import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

test('O-8 on a Mac sandboxes of a folder are shells, with their history, and one sentence says why', async () => {
  await using cli = await openTestCli({ isEmpty: true, platform: 'darwin' });
  const made = await cli.run('init');
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toMatch(/It is a shell: No jails run here, as jails are Linux's, and this is darwin\./);
  expect(existsSync(join(cli.folder, 'sandboxes'))).toBe(true);
  await cli.run('exec', '--', 'bash', '-c', 'echo one > file');
  expect(await cli.run('commit', '-m', 'first')).toMatchObject({ code: 0 });
  await cli.run('exec', '--', 'bash', '-c', 'echo two > file');
  const [, first = ''] = /([0-9a-f]{12}).* first/.exec((await cli.run('log')).stdout) ?? [];
  expect(await cli.run('checkout', first)).toMatchObject({ code: 0 });
  const shell = cli.start('shell');
  shell.stdin.end('cat file\n');
  expect((await shell.ended).stdout).toContain('one\n');
});

test('O-8 run says that it runs in a shell where jails cannot be, and a jail that is asked for is refused with the remedy', async () => {
  await using cli = await openTestCli({ isEmpty: true, platform: 'darwin' });
  const ran = await cli.run('run', '--runtime', 'auto', 'echo hello');
  expect(ran).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect(ran.stderr).toMatch(/^coppice: It runs in a shell\. No jails run here, .*coppice doctor/);
  expect(await cli.run('run', '--quiet', 'echo hello')).toMatchObject({ code: 0, stderr: '' });
  for (const flags of [
    ['--runtime', 'jail'],
    ['--isolation', 'namespace'],
  ]) {
    const refused = await cli.run('run', ...flags, 'echo hello');
    expect(refused, flags.join(' ')).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toContain('coppice doctor');
  }
  expect(JSON.parse((await cli.run('list', '--json')).stdout || '[]')).toEqual([]);
});

test('O-8 create makes a shell where jails cannot be, and says why unless a shell was asked for', async () => {
  await using cli = await openTestCli({ isEmpty: true, platform: 'darwin' });
  const made = await cli.run('create', 'tests', '--runtime', 'auto', '--json');
  expect(made).toMatchObject({ code: 0 });
  expect(JSON.parse(made.stdout)).toMatchObject({ name: 'tests', runtime: 'shell' });
  expect(made.stderr).toMatch(/^coppice: It is a shell: No jails run here, .*coppice doctor/);
  expect(await cli.run('create', 'other', '--runtime', 'shell')).toMatchObject({ code: 0, stderr: '' });
  expect(await cli.run('create', 'third', '--runtime', 'jail')).toMatchObject({ code: 6, stdout: '' });
});

test('O-8 doctor on a Mac says what works there', async () => {
  await using cli = await openTestCli({ isEmpty: true, platform: 'darwin' });
  const { code, stdout } = await cli.run('doctor');
  expect(code).toBe(0);
  expect(stdout).toMatch(/ok +shells in this process: /);
  expect(stdout).toMatch(/ok +bridges: /);
  expect(stdout).toMatch(/missing +jails: .*on darwin use shells, or a bridge/);
});
