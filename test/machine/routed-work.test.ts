import { expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { RoutedShell } from '../../sdk/routing/routed-shell.ts';
import { machineBackend } from './machine-backend.ts';

test('B-8 S-3 a shell goes on in the tab’s machine with its files and state, and back there with a checkout', async () => {
  await using routed = await RoutedShell.open({
    places: [
      { backend: shellBackend(), runtime: 'shell' },
      { name: 'the tab', backend: await machineBackend(), runtime: 'v86' },
    ],
  });
  await routed.run('mkdir -m 700 ~/work; cd ~/work; ln -s "a b" link; say() { echo "said $1 $A"; }');
  await routed.run('shopt -s expand_aliases; alias shout="say LOUD"; mkdir /tmp/mine');
  const moved = await routed.run('echo x >> "a b"; A=2; shout; mkfifo pipe');
  expect(moved).toMatchObject({
    ...{ stdout: 'said LOUD 2\n', stderr: '', exitCode: 0 },
    choice: { place: { name: 'the tab' }, why: 'shell has no mkfifo' },
  });
  const { id } = await routed.sandbox.createSnapshot({ label: 'there' });
  await routed.run('rm -r ~/work /tmp/mine; cd /; unset -f say');
  await routed.sandbox.checkout(id);
  const { stdout } = await routed.run('pwd; cat link; stat -c "%a %U %F" . pipe /tmp/mine; say it');
  expect(stdout).toBe(
    '/home/user/work\nx\n700 user directory\n644 user fifo\n755 user directory\nsaid it 2\n',
  );
});
