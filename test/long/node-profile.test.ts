import { expect, test } from 'vitest';
import { openSandbox } from '../machine/open-sandbox.ts';

test('a machine of the node profile runs JavaScript', async () => {
  await using sandbox = await openSandbox({ profile: 'node' });
  await sandbox.files.write(
    '/home/user/answer.js',
    "console.log(6 * 7, process.arch, require('os').userInfo().username)\n",
  );
  const { stdout, stderr, exitCode } = await sandbox.run('node answer.js', { timeoutMs: 400_000 });
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: '42 ia32 user\n', stderr: '', exitCode: 0 });
}, 480_000);
