import { expect, test } from 'vitest';
import { readShellContext } from '../sdk/shell-context.ts';
import { Sandbox } from './index.ts';

test('B-9 a shell at a terminal says where it is, what it exports and its functions, without a trace in the history', async () => {
  await using sandbox = await Sandbox.create();
  const { promise: isTyped, resolve: onTyped } = Promise.withResolvers<void>();
  const onData = (bytes: Uint8Array): void => {
    if (new TextDecoder().decode(bytes).includes('done-typing')) onTyped();
  };
  const terminal = await sandbox.pty.create({ columns: 80, rows: 24, onData });
  const line = `cd /srv; export A='x y'; NOT=1; f() { echo "f $1"; }; echo done-"typing"\n`;
  await terminal.sendInput(new TextEncoder().encode(line));
  await isTyped;
  const before = await sandbox.createSnapshot();
  const context = await readShellContext(sandbox.connection, terminal.pid);
  expect(context).toMatchObject({
    cwd: '/srv',
    envs: { A: 'x y', 'BASH_FUNC_f%%': expect.stringContaining('echo "f $1"') },
  });
  expect(context.envs).not.toHaveProperty('NOT');
  expect((await sandbox.createSnapshot({ ifChanged: true })).id).toBe(before.id);
  await expect(readShellContext(sandbox.connection, terminal.pid + 1_000)).rejects.toThrow(/not there/);
});
