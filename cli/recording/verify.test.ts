import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { FollowedFile } from '../../test/demos/followed-file.ts';
import { openTestCli, type TestCli } from '../test-context.ts';

/** A session in a shell of the test's folder, as a file. */
async function record(
  cli: TestCli,
  name: string,
  session: (sandbox: Sandbox, file: FollowedFile) => Promise<unknown>,
): Promise<void> {
  const { backend } = cli;
  await using sandbox = await Sandbox.create({ backend });
  await sandbox.files.write('/home/user/before', 'from before\n');
  await sandbox.createSnapshot();
  await using recording = await sandbox.record();
  const file = new FollowedFile(recording);
  await session(sandbox, file);
  await sandbox.history.settle();
  await recording.stop({ exitCode: 0 });
  await writeFile(join(cli.folder, name), Buffer.concat(await file.whole));
}

test('P-4 a session runs again as it was, with noise tolerated; a planted divergence is found, and the first is told', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  await record(cli, 'work.cast', async (sandbox, file) => {
    await sandbox.run('cat before; mkdir -p src && echo one > src/a; wc -c < src/a');
    // A snapshot that the file has after the next two commands would be of none of them.
    await sandbox.history.settle();
    await file.shows(await sandbox.history.head());
    await sandbox.run('date +%H:%M:%S; echo wrong >&2; exit 3');
    await sandbox.run(['cat', 'before']);
  });
  const same = await cli.run('recording', 'verify', 'work.cast', '--json');
  expect({ code: same.code, stderr: same.stderr }).toEqual({ code: 0, stderr: '' });
  const told = JSON.parse(same.stdout);
  expect(told).toMatchObject({ runtime: 'shell', counts: { major: 0, halt: 0 } });
  expect(told.counts.exact + told.counts.minor).toBeGreaterThanOrEqual(3);

  expect((await cli.run('recording', 'convert', 'work.cast', 'site', '--to', 'folder')).code).toBe(0);
  expect((await cli.run('recording', 'verify', 'site')).code).toBe(0);
  const text = await readFile(join(cli.folder, 'work.cast'), 'utf8');
  // The command now does something else than what was recorded of it.
  const planted = text.replaceAll('echo one', 'echo two').replaceAll('exit 3', 'exit 4');
  expect(planted).not.toBe(text);
  await writeFile(join(cli.folder, 'planted.cast'), planted);
  const other = await cli.run('recording', 'verify', 'planted.cast');
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('/home/user/src/a is modified');
  expect(other.stdout).not.toContain('3. cat before');
  const all = JSON.parse((await cli.run('recording', 'verify', 'planted.cast', '--all', '--json')).stdout);
  expect(all.level).toBe('major');
  expect(all.steps.map(({ level }: { level: string }) => level)).toContain('major');
  expect(JSON.stringify(all.steps)).toContain('"recorded":"3","now":"4"');
});

test('P-4 going back is done again; commits that differ in their dates alone are noise, and another message is not', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  onTestFinished(() => void vi.useRealTimers());
  // What is recorded was long ago.
  vi.useFakeTimers({ now: Date.UTC(2024, 1, 29), toFake: ['Date'] });
  await record(cli, 'work.cast', async (sandbox, file) => {
    await using shell = await sandbox.shell();
    const settled = async (command: string) => {
      expect((await shell.run(command)).exitCode).toBe(0);
      await sandbox.history.settle();
      const head = await sandbox.history.head();
      await file.shows(head);
      return head;
    };
    await settled(
      'git init -q plot && cd plot && git config user.name Ada && git config user.email a@example.org',
    );
    const first = await settled(
      'echo beans > plan && git add plan && git commit -q -m beans && git log --oneline',
    );
    await settled(
      'echo peas >> plan && git commit -q -am peas && git tag -a -m ripe ripe && git rev-parse HEAD',
    );
    await sandbox.checkout(first);
    await settled('cat plan && echo leeks >> plan && git commit -q -am leeks && git log --oneline');
  });
  vi.useRealTimers();
  const same = await cli.run('recording', 'verify', 'work.cast', '--json');
  expect({ ...same, stdout: JSON.parse(same.stdout) }).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: { level: 'minor', counts: { exact: 1, minor: 3 } },
  });

  const text = await readFile(join(cli.folder, 'work.cast'), 'utf8');
  await writeFile(join(cli.folder, 'planted.cast'), text.replaceAll('-am peas', '-am pears'));
  const { code, stdout } = await cli.run('recording', 'verify', 'planted.cast', '--json');
  const { first } = JSON.parse(stdout);
  expect({ code, command: first.text }).toEqual({ code: 1, command: expect.stringContaining('-am pears') });
  expect(first.differences).toContainEqual(
    expect.objectContaining({ level: 'major', what: 'tree', path: '/home/user/plot/.git/refs/heads/main' }),
  );
});

test('P-4 what cannot be run again is told, and a recording without files is refused', async () => {
  await using cli = await openTestCli({ isEmpty: true });
  await record(cli, 'work.cast', (sandbox) => sandbox.run('echo fine'));
  const text = await readFile(join(cli.folder, 'work.cast'), 'utf8');
  await writeFile(
    join(cli.folder, 'secret.cast'),
    text.replaceAll('echo fine', 'echo <secret:token:1a2b3c4d>'),
  );
  const halted = await cli.run('recording', 'verify', 'secret.cast');
  expect(halted).toMatchObject({ code: 1, stdout: expect.stringContaining('a secret in it was replaced') });
  await writeFile(
    join(cli.folder, 'foreign.cast'),
    '{"version":3,"term":{"cols":80,"rows":24}}\n[1,"o","a"]\n',
  );
  const refused = await cli.run('recording', 'verify', 'foreign.cast');
  expect(refused).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('it has no files that it begins with'),
  });
});
