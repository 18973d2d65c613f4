import { expect, onTestFinished, test, vi } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTestCli } from '../test-context.ts';

test('R-6 a supervised program ends with its own exit code, and what it has changed is in the history', async () => {
  await using cli = await openTestCli();
  const result = await cli.run(
    'supervise',
    '--',
    'bash',
    '-c',
    'echo hello; echo oops >&2; echo kept > ~/file; exit 7',
  );
  expect(result).toEqual({ code: 7, stdout: 'hello\n', stderr: 'oops\n' });
  const [info] = await cli.backend.list();
  await using sandbox = await Sandbox.open(info?.id ?? '', { backend: cli.backend });
  expect(await sandbox.files.read('/home/user/file', { at: await sandbox.history.head() })).toBe('kept\n');
});

test('R-6 R-7 after a checkout from outside the program is started again from the files of then', async () => {
  await using cli = await openTestCli();
  const script =
    'echo start $(cat ~/state 2>/dev/null); read -r line; echo "$line" > ~/state; echo wrote; read -r line';
  const agent = cli.start('supervise', '--', 'bash', '-c', script);
  await agent.says('start\n');
  expect((await cli.run('ctl', 'tag', 'before')).code).toBe(0);
  agent.stdin.write('one\n');
  await agent.says('wrote');
  const committed = JSON.parse((await cli.run('ctl', 'commit', 'one is written')).stdout);
  expect(committed).toMatchObject({ cause: { label: 'one is written' } });
  const gone = JSON.parse((await cli.run('ctl', 'checkout', 'before')).stdout);
  expect(gone.previousHead).toBe(committed.id);
  await agent.says('the program starts again: a checkout', 'stderr');
  // As any checkout, that one is taken back by its name.
  expect((await cli.run('checkout', '-')).code).toBe(0);
  await agent.says('start one\n');
  const { server } = JSON.parse((await cli.run('ctl', 'status')).stdout);
  expect(server.supervised).toMatchObject({
    state: 'running',
    restarts: [{ why: 'a checkout' }, { why: 'a checkout' }],
  });
  agent.stdin.write('two\nend\n');
  expect(await agent.ended).toMatchObject({ code: 0, stdout: 'start\nwrote\nstart\nstart one\nwrote\n' });
});

test('R-6 signals go to the program, whose end by one is ours', async () => {
  await using cli = await openTestCli();
  const agent = cli.start(
    'supervise',
    '--',
    'bash',
    '-c',
    'trap "echo interrupted" INT; echo ready; while read -r l; do :; done',
  );
  await agent.says('ready');
  agent.signal('SIGTERM');
  expect(await agent.ended).toMatchObject({ code: 143 });
});

test('R-6 without its sandbox nothing is started, and one learns how to make it', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const { code, stderr } = await cli.run('supervise', '--', 'true');
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: 'coppice: There is no sandbox default: there is none yet; coppice init makes one\n',
  });
  expect((await cli.run('ctl', 'status')).stderr).toContain(
    'start coppice supervise or coppice daemon first',
  );
  // Nor is a flag that would do nothing.
  expect((await cli.run('supervise', '--with-image', '--', 'true')).stderr).toContain('needs --record FILE');
});

test('R-6 a folder that is supervised is refused to another supervisor, which learns who holds it', async () => {
  await using cli = await openTestCli();
  const first = cli.start('supervise', '--', 'bash', '-c', 'echo ready; read -r line');
  await first.says('ready');
  const { code, stderr } = await cli.run('supervise', '--', 'true');
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringMatching(
      new RegExp(`process ${process.pid} holds it, and answers at .*control.sock`),
    ),
  });
  first.stdin.end('\n');
  expect((await first.ended).code).toBe(0);
});

test('R-6 H-4 a clock that jumps, back and far ahead, neither reorders the history nor loses of it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const [now, day] = [Date.now(), 86_400_000];
  await using cli = await openTestCli();
  const script =
    'echo start $(cat ~/state 2>/dev/null); while read -r n; do echo $n > ~/state; echo wrote $n; done';
  const agent = cli.start('supervise', '--', 'bash', '-c', script);
  await agent.says('start\n');
  for (const [n, atMs] of [now, now - day, now + 3_650 * day, now - day].entries()) {
    vi.setSystemTime(atMs);
    agent.stdin.write(`${n}\n`);
    await agent.says(`wrote ${n}\n`);
    expect((await cli.run('ctl', 'commit', `state ${n}`)).code).toBe(0);
  }
  const log: { cause: { label?: string } }[] = JSON.parse((await cli.run('ctl', 'log')).stdout);
  const labels = log.flatMap(({ cause }) => cause.label ?? []);
  expect(labels).toEqual(['state 3', 'state 2', 'state 1', 'state 0']);
  await cli.run('undo');
  await agent.says('start 2\n');
  agent.signal('SIGTERM');
  await agent.ended;
});
