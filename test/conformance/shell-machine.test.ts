import { describe, expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { skipByName } from './sandbox/named-skips.ts';
import { sandboxSuite } from './sandbox/sandbox-suite.ts';
import { shellLacks, shellSkips } from './sandbox/shell-skips.ts';

const backend = shellBackend();

describe('a shell in this process', () => {
  skipByName(shellSkips);
  sandboxSuite(() => Sandbox.create({ backend }), undefined, { lacks: shellLacks });
});

test('S-3 a sandbox that is closed ends the runs that wait for their input', async () => {
  const sandbox = await Sandbox.create({ backend });
  const shell = await sandbox.shell();
  const reads = await shell.run('cat', { background: true, stdin: true });
  await sandbox.close();
  expect(await reads.wait()).toMatchObject({ stdout: '', reason: 'machine-failed' });
});

test('S-3 a sandbox that is opened again has its shells, without the environment of the sandbox', async () => {
  const sandbox = await Sandbox.create({ backend, envs: { TOKEN: 'secret', KEPT: 'given' } });
  const shell = await sandbox.shell({ envs: { OWN: 'own' } });
  const { stdout } = await shell.run(
    'echo "$TOKEN"; KEPT=changed; f() { echo "$TOKEN $KEPT $OWN"; }; cd /tmp',
  );
  expect(stdout).toBe('secret\n');
  await sandbox.close();
  await using again = await Sandbox.open(sandbox.id, { backend });
  const [head] = (await again.history.get()).snapshots.slice(-1);
  expect(head?.extensions?.shells?.objects).toHaveLength(2);
  expect(await again.shells()).toMatchObject([{ id: shell.id, cwd: '/tmp' }]);
  const other = await again.shell({ id: shell.id });
  expect((await other.run('f; pwd')).stdout).toBe('secret changed own\n/tmp\n');
  // One that was only opened is there too.
  const fresh = await again.shell({ cwd: '/usr' });
  const [fork] = await again.fork();
  if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
  await using twin = fork;
  expect(await (await twin.shell({ id: fresh.id })).info()).toMatchObject({ cwd: '/usr' });
});

test('S-1 B-8 a program that it has not is not found, so that scripts can look for it', async () => {
  await using sandbox = await Sandbox.create({ backend });
  const names = 'python3 node curl mkfifo';
  const { stdout } = await sandbox.run(`for name in ${names}; do command -v $name || echo "no $name"; done`);
  expect(stdout).toBe('no python3\nno node\nno curl\nno mkfifo\n');
  const missing = await sandbox.run('python3 -c 1');
  expect(missing).toMatchObject({
    exitCode: 127,
    stderr: expect.stringContaining('python3: command not found\n'),
  });
});
