import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';

const ended = 'Every process in it has ended; a supervised one starts again\n';

test('R-5 undo, redo and checkout say that what ran has ended, where something could have run', async () => {
  await using cli = await openTestCli();
  await cli.run('exec', '--', 'bash', '-c', 'echo one > ~/file');
  expect((await cli.run('undo')).stderr).toBe('The way back: coppice redo\n');
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  expect((await cli.run('redo')).stderr).toBe(ended);
  expect((await cli.run('undo')).stderr).toBe(`${ended}The way back: coppice redo\n`);
  expect((await cli.run('checkout', '-')).stderr).toBe(`${ended}The way back: coppice checkout -\n`);
  expect((await cli.run('checkout', '-', '--quiet')).stderr).toBe('');
  expect((await cli.run('redo', '--json')).stderr).toBe('');
  daemon.signal('SIGTERM');
  await daemon.ended;
});
