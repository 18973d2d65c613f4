import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTestCli, type TestCli } from '../test-context.ts';

/** Runs commands of which each has to succeed; resolves to what the last one printed. */
async function runAll(cli: TestCli, ...lines: readonly (readonly string[])[]): Promise<string> {
  let stdout = '';
  for (const line of lines) {
    const result = await cli.run(...line);
    expect(result, line.join(' ')).toMatchObject({ code: 0 });
    stdout = result.stdout;
  }
  return stdout;
}

function bash(script: string): readonly string[] {
  return ['exec', '--', 'bash', '-c', script];
}

test('R-4 R-5 commit, tag, checkout and back again, by names', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['commit', '-m', 'first'], ['tag', 'good']);
  await runAll(cli, bash('echo two > ~/file'));
  const gone = await cli.run('checkout', 'good');
  expect(gone.stdout).toMatch(/^HEAD is [0-9a-f]{12} now: first\n$/);
  expect(gone.stderr).toBe('The way back: coppice checkout -\n');
  expect(await runAll(cli, bash('cat ~/file'))).toBe('one\n');
  await runAll(cli, ['checkout', '-']);
  expect(await runAll(cli, bash('cat ~/file'))).toBe('two\n');
  await runAll(cli, ['checkout', '-']);
  expect(await runAll(cli, bash('cat ~/file'))).toBe('one\n');
  const tags = (await runAll(cli, ['tag'])).trim().split('\n');
  expect(tags).toEqual([
    expect.stringMatching(/^ORIG_HEAD {2}[0-9a-f]{12} {2}/),
    expect.stringMatching(/^good {7}[0-9a-f]{12} {2}first$/),
  ]);
  await runAll(cli, ['tag', '--delete', 'good']);
  expect(await cli.run('tag', '--delete', 'good')).toMatchObject({
    code: 3,
    stderr: 'coppice: There is no tag good: coppice tag lists those that there are\n',
  });
});

test('R-4 a message that is given for a reference names the snapshots that have it, and the command that was meant', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['commit', '-m', 'so far']);
  await runAll(cli, bash('echo two > ~/file'));
  const refused = await cli.run('checkout', '--discard', 'so far');
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  const [, meant = ''] = /\ncoppice: that is coppice (checkout .*)\n$/.exec(refused.stderr) ?? [];
  expect(meant).toMatch(/^checkout --discard [0-9a-f]{12}$/);
  expect(await runAll(cli, meant.split(' '))).toContain('so far');
  await runAll(cli, bash('echo three > ~/file'), ['commit', '-m', 'so far']);
  const several = await cli.run('merge', 'so far');
  expect(several.stderr).toMatch(/it is the message of [0-9a-f]{12}, [0-9a-f]{12}: give that id\n$/);
});

test('R-5 without an earlier checkout there is nothing to go back to', async () => {
  await using cli = await openTestCli();
  const { code, stderr } = await cli.run('checkout', '-');
  expect(code).toBe(3);
  expect(stderr).toContain('There is nothing to go back to');
});

test('R-4 X-3 log says what ran, how it ended and what it changed, as text and as JSON', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['tag', 'good']);
  await cli.run('exec', '--', 'bash', '-c', 'rm ~/file; exit 3');
  const [last, first] = (await runAll(cli, ['log'])).split('\n');
  expect(last).toMatch(
    /^\* [0-9a-f]{12} {2}\S+( s)? +\(HEAD\) .*bash -c 'rm ~\/file; exit 3' {2}exit 3 {2}-1$/,
  );
  expect(first).toMatch(/\(tag: good\) .*bash -c 'echo one > ~\/file' {2}\+1$/);
  const [head, ...others] = (await runAll(cli, ['log', '-n', '1', '--json'])).trim().split('\n');
  expect(others).toEqual([]);
  expect(JSON.parse(head ?? '')).toMatchObject({
    isHead: true,
    takenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    commands: [{ argv: ['bash', '-c', 'rm ~/file; exit 3'], exitCode: 3 }],
    changes: { deleted: 1 },
  });
  const shown = await runAll(cli, ['show']);
  expect(shown).toMatch(/command +bash -c 'rm ~\/file; exit 3' \(exec, exit 3 after \d+/);
  expect(shown).toMatch(/files +yes\n/);
  expect(shown).toMatch(/processes +no: /);
  expect(shown).toContain('D  /home/user/file');
});

test('R-4 log draws all branches, and branches lists their ends', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['commit', '-m', 'base'], ['tag', 'base']);
  await runAll(cli, bash('echo two > ~/file'), ['commit', '-m', 'left'], ['checkout', 'base']);
  await runAll(cli, bash('echo three > ~/file'), ['commit', '-m', 'right']);
  const all = await runAll(cli, ['log', '--all']);
  expect(all).toContain('|/');
  expect(all).toMatch(/left/);
  expect(await runAll(cli, ['log'])).not.toMatch(/left/);
  const branches = (await runAll(cli, ['branches'])).trimEnd().split('\n');
  expect(branches.filter((line) => line.startsWith('* '))).toEqual([expect.stringContaining('right')]);
  expect(branches.some((line) => line.startsWith('  ') && line.endsWith('left'))).toBe(true);
});

test('H-9 what a sandbox says in names and labels cannot steer the terminal', async () => {
  await using cli = await openTestCli();
  const hostile = 'x\x1b[2J\u202ey';
  await runAll(cli, ['commit', '-m', hostile], bash("touch ~/$'a\\e[31mb\\nc'"));
  for (const line of [['log'], ['show'], ['diff', 'HEAD~'], ['status'], ['branches'], ['tag']] as const) {
    const { stdout, stderr } = await cli.run(...line);
    for (const unsafe of ['\x1b', '\u202e']) expect(stdout + stderr).not.toContain(unsafe);
  }
  expect((await cli.run('log')).stdout).toContain('x\\x1b[2J\\u{202e}y');
});

test('R-4 diff lists what differs, narrows to paths, and says so by its exit code', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('mkdir ~/d; echo 1 > ~/d/a; echo 1 > ~/b; echo 1 > ~/c'), ['tag', 'base']);
  await runAll(cli, bash('echo 2 > ~/d/a; rm ~/b; chmod 600 ~/c; echo new > ~/new'), [
    'commit',
    '-m',
    'after',
  ]);
  expect((await runAll(cli, ['diff', 'base', 'HEAD'])).trim().split('\n').toSorted()).toEqual([
    'A  /home/user/new',
    'D  /home/user/b',
    'M  /home/user/d/a',
    'm  /home/user/c',
  ]);
  expect(await runAll(cli, ['diff', 'base', '/home/user/d'])).toBe('M  /home/user/d/a\n');
  expect(await cli.run('diff', 'base', '--exit-code')).toMatchObject({ code: 1 });
  expect(await cli.run('diff', '--exit-code')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await cli.run('diff', 'a', 'b', 'c')).toMatchObject({ code: 2 });
  const [change] = (await runAll(cli, ['diff', 'base', '/home/user/d', '--json'])).split('\n');
  expect(JSON.parse(change ?? '')).toMatchObject({ type: 'modified', path: '/home/user/d/a' });
});

test('R-4 a patch is what git apply and patch take, to the byte', async () => {
  await using cli = await openTestCli();
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\nlast';
  await using sandbox = await Sandbox.open((await cli.backend.list())[0]?.id ?? '', { backend: cli.backend });
  await sandbox.files.write('/home/user/text', before);
  await sandbox.files.write('/home/user/latin', Uint8Array.of(0xe9, 0x0a));
  await sandbox.files.write('/home/user/binary', Uint8Array.of(0, 1, 2));
  await sandbox.files.write('/home/user/binary2', Uint8Array.of(0));
  await sandbox.createSnapshot({ label: 'base' });
  await sandbox.history.setTag('base', await sandbox.history.head());
  await sandbox.files.write('/home/user/text', before.replace('d', 'D').replace('last', 'last\n'));
  await sandbox.files.write('/home/user/latin', Uint8Array.of(0xe8, 0x0a));
  await sandbox.files.write('/home/user/binary', Uint8Array.of(0, 1, 3));
  await sandbox.run('touch -d 2001-01-01 ~/binary2');
  await sandbox.files.write('/home/user/with "quotes"', 'new\n');
  await sandbox.files.write('/home/user/with blanks', 'new\n');
  await sandbox.createSnapshot({ label: 'after' });
  const patch = await runAll(cli, ['diff', 'base', 'HEAD', '--patch']);
  expect(patch).toContain(
    [
      'diff --git a/home/user/text b/home/user/text',
      'index 5e8c7c1a4dc0..e9fa6dfbfcf7 100644',
      '--- a/home/user/text',
      '+++ b/home/user/text',
      '@@ -1,9 +1,9 @@',
      ' a',
      ' b',
      ' c',
      '-d',
      '+D',
      ' e',
      ' f',
      ' g',
      ' h',
      '-last',
      '\\ No newline at end of file',
      '+last',
      '',
    ].join('\n'),
  );
  expect(patch).toContain('Binary files a/home/user/binary and b/home/user/binary differ\n');
  expect(patch).toContain(
    'diff --git "a/home/user/with \\"quotes\\"" "b/home/user/with \\"quotes\\""\nnew file mode 100644\n',
  );
  const repository = join(cli.folder, 'repository/home/user');
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, 'text'), before);
  execFileSync('git', ['apply', '--exclude', 'home/user/binary', '--exclude', 'home/user/latin', '-'], {
    cwd: join(cli.folder, 'repository'),
    input: patch,
  });
  expect(await readFile(join(repository, 'text'), 'utf8')).toBe(await sandbox.files.read('/home/user/text'));
  for (const name of ['with "quotes"', 'with blanks'])
    expect(await readFile(join(repository, name), 'utf8')).toBe('new\n');
  const stat = await runAll(cli, ['diff', 'base', 'HEAD', '--stat']);
  expect(stat).toMatch(/\/home\/user\/text +\| \+2 -2\n/);
  expect(stat).toMatch(/\/home\/user\/binary +\| 3 B -> 3 B\n/);
});

test('R-4 status tells in one screen where the sandbox stands', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['commit', '-m', 'first']);
  const status = await runAll(cli, ['status']);
  expect(status).toMatch(/^sandbox +default {2}/);
  expect(status).toMatch(/\nruns in +shell/);
  expect(status).toMatch(/\nhead +[0-9a-f]{12} {2}first\n +taken .*, at the end of its branch\n/);
  expect(status).toMatch(/\nnot saved +nothing\n/);
  expect(JSON.parse(await runAll(cli, ['status', '--json']))).toMatchObject({
    info: { name: 'default', runtime: 'shell' },
    branches: 1,
    pending: { paths: [] },
  });
});

test('R-7 while somebody serves the folder, commands go through them, and status says who and what runs', async () => {
  await using cli = await openTestCli();
  const agent = cli.start('supervise', '--', 'bash', '-c', 'echo one > ~/file; echo ready; read -r line');
  await agent.says('ready');
  await runAll(cli, ['commit', '-m', 'beside it']);
  expect(await runAll(cli, ['status'])).toMatch(/served by process \d+\nsupervised +bash -c .*: running\n/);
  expect(await runAll(cli, ['log', '-n', '1'])).toContain('beside it');
  expect(await runAll(cli, ['diff', '--stat', 'HEAD', 'now'])).toBe('');
  agent.stdin.end('end\n');
  expect(await agent.ended).toMatchObject({ code: 0 });
});

test('sandboxes are made, forked, renamed, listed and deleted by name', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['create', 'other', '--label', 'team=a']);
  expect(await cli.run('create', 'other')).toMatchObject({ code: 4 });
  await runAll(cli, ['fork', 'attempt'], ['rename', 'attempt', 'tried']);
  expect(await cli.run('fork', 'tried')).toMatchObject({ code: 4 });
  expect(await runAll(cli, ['fork', '--count', '2'])).toMatch(
    /^default-fork-1 {2}.*\ndefault-fork-2 {2}.*\n$/,
  );
  await runAll(cli, ['rm', 'default-fork-1', 'default-fork-2', '--yes']);
  expect(await runAll(cli, ['exec', '-s', 'tried', '--', 'cat', '/home/user/file'])).toBe('one\n');
  const names = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name);
  expect(names(await runAll(cli, ['ls', '--json']))).toEqual(['default', 'other', 'tried']);
  expect(await cli.run('delete', 'other')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('give --yes'),
  });
  expect(await cli.run('rm', 'other', 'nobody', '--yes')).toMatchObject({ code: 3 });
  await runAll(cli, ['rm', 'other', 'tried', '--yes']);
  expect(names(await runAll(cli, ['list', '--json']))).toEqual(['default']);
});

test('B-9 a snapshot leaves as a file and comes back as another sandbox with the same history', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['commit', '-m', 'first']);
  const head = (await runAll(cli, ['head'])).trim();
  await runAll(cli, ['export', 'work.coppice'], ['import', 'work.coppice', '--as', 'copy']);
  expect((await runAll(cli, ['head', '-s', 'copy'])).trim()).toBe(head);
  const bytes = await readFile(join(cli.folder, 'work.coppice'));
  const piped = cli.start('import', '-', '--as', 'piped', '--json');
  piped.stdin.end(bytes);
  expect(await piped.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"piped"') });
  await writeFile(join(cli.folder, 'hostile'), 'not a snapshot');
  expect(await cli.run('import', 'work.coppice', '--as', 'copy')).toMatchObject({ code: 4 });
  expect(await cli.run('rename', 'copy', 'piped')).toMatchObject({ code: 4 });
  expect(await cli.run('import', 'hostile')).toMatchObject({ code: 2 });
  expect(await cli.run('import', 'missing')).toMatchObject({ code: 3 });
  expect(await cli.run('export', 'no/such/folder')).toMatchObject({ code: 3 });
  // Last: the name is of two then.
  const again = await cli.run('import', 'work.coppice');
  expect(again.stderr).toMatch(
    /another sandbox is called default too, .*: coppice rename [0-9a-f-]{36} NAME/,
  );
});

test('S-10 files and directories are copied in and out, also out of a snapshot, and never through links', async () => {
  await using cli = await openTestCli();
  await mkdir(join(cli.folder, 'in/below'), { recursive: true });
  await writeFile(join(cli.folder, 'in/below/a'), 'one\n', { mode: 0o755 });
  await symlink('below/a', join(cli.folder, 'in/link'));
  const before = (await runAll(cli, ['log', '--json'])).trim().split('\n').length;
  await runAll(cli, ['cp', 'in', ':/home/user/'], ['cp', 'in', ':/home/user/new/parent/in'], ['tag', 'base']);
  expect((await runAll(cli, ['log', '--json'])).trim().split('\n')).toHaveLength(before + 2);
  expect(await runAll(cli, bash('cat ~/new/parent/in/link; stat -c %a ~/in/below/a'))).toBe('one\n755\n');
  await runAll(cli, bash('echo two > ~/in/below/a; ln -s /etc ~/in/l'));
  await runAll(
    cli,
    ['cp', 'default:/home/user/in', 'now'],
    ['cp', ':/home/user/in/below/a', '.', '--at', 'base'],
  );
  expect(await readFile(join(cli.folder, 'now/below/a'), 'utf8')).toBe('two\n');
  expect(await readFile(join(cli.folder, 'a'), 'utf8')).toBe('one\n');
  // What a sandbox calls a file may be a link on this host: nothing is written through it.
  await writeFile(join(cli.folder, 'mine'), 'mine\n');
  await mkdir(join(cli.folder, 'trap'));
  await symlink('../mine', join(cli.folder, 'trap/a'));
  expect(await cli.run('cp', ':/home/user/in/below/a', 'trap')).toMatchObject({ code: 2 });
  expect(await readFile(join(cli.folder, 'mine'), 'utf8')).toBe('mine\n');
  // A second copy replaces files and links; what no text can name is left out, and said.
  await runAll(
    cli,
    ['tag', 'named'],
    bash("touch ~/in/$'\\xff'"),
    ['cp', ':/home/user/in', 'now'],
    ['cp', ':/home/user/in', 'now'],
  );
  expect((await cli.run('cp', ':/home/user/in', 'now')).stderr).toMatch(/left out, as it cannot be copied/);
  expect(await runAll(cli, ['diff', 'named', '--patch'])).toMatch(
    /^Files a.* cannot be read by these names\n$/,
  );
  expect(await cli.run('cp', 'a', 'b')).toMatchObject({ code: 2 });
  expect(await cli.run('cp', ':/nothing', '.')).toMatchObject({ code: 3 });
  expect(await cli.run('cp', ':/home/user/in/below/a', '-')).toMatchObject({ code: 2 });
});

test('R-10 keep says what a policy would forget before it does', async () => {
  await using cli = await openTestCli();
  for (const text of ['one', 'two', 'three', 'four']) await runAll(cli, bash(`echo ${text} > ~/file`));
  const before = (await runAll(cli, ['log', '--json'])).trim().split('\n').length;
  const dry = await cli.run('keep', '--last', '2', '--dry-run');
  expect(dry.stderr).toMatch(/snapshots? would be forgotten/);
  expect((await runAll(cli, ['log', '--json'])).trim().split('\n')).toHaveLength(before);
  await runAll(cli, ['commit', '-m', 'release 1']);
  for (const text of ['five', 'six', 'seven']) await runAll(cli, bash(`echo ${text} > ~/file`));
  const asked = await cli.run('keep', '--last', '2');
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 of them with a name, such as "release 1"'),
  });
  expect(await runAll(cli, ['log'])).toContain('release 1');
  await runAll(cli, ['keep', '--last', '2', '--yes']);
  expect((await runAll(cli, ['log', '--json'])).trim().split('\n').length).toBeLessThan(before);
  expect(await runAll(cli, ['keep'])).toContain('the last 2');
  await runAll(cli, ['keep', '--usual'], ['gc']);
  expect(await runAll(cli, ['keep'])).toContain('thinning out by itself');
});

test('X-7 merge brings two branches together, or lists conflicts and changes nothing', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('printf "1\\n2\\n3\\n4\\n5\\n" > ~/file'), ['tag', 'base']);
  await runAll(cli, bash('sed -i s/1/one/ ~/file'), ['tag', 'left'], ['checkout', 'base']);
  await runAll(cli, bash('sed -i s/5/five/ ~/file'), ['merge', 'left', '-m', 'both']);
  expect(await runAll(cli, bash('cat ~/file'))).toBe('one\n2\n3\n4\nfive\n');
  expect(await runAll(cli, ['log'])).toContain('|\\');
  await runAll(cli, ['checkout', 'base'], bash('sed -i s/1/eins/ ~/file'));
  const refused = await cli.run('merge', 'left');
  expect(refused).toMatchObject({ code: 4, stdout: 'content  /home/user/file\n' });
  expect(await runAll(cli, bash('head -1 ~/file'))).toBe('eins\n');
});

test('R-4 undo takes back the last change, also after snapshots that only name it, and redo leads to the last of those', async () => {
  await using cli = await openTestCli();
  const content = async () => (await runAll(cli, bash('cat ~/file'))).trim();
  await runAll(cli, bash('echo one > ~/file'), bash('echo two > ~/file'));
  await runAll(cli, ['commit', '-m', 'named'], ['commit', '-m', 'named again']);
  const head = await runAll(cli, ['head']);
  expect(await runAll(cli, ['undo'])).toContain('Undone: named again');
  expect(await content()).toBe('one');
  await runAll(cli, ['redo']);
  expect(await runAll(cli, ['head'])).toBe(head);
  await runAll(cli, ['undo', '2']);
  expect(await cli.run(...bash('cat ~/file'))).toMatchObject({ code: 1 });
});

test('R-10 merge --from brings in what was done in a fork, once', async () => {
  await using cli = await openTestCli();
  await runAll(cli, bash('echo one > ~/file'), ['fork', 'tried']);
  await runAll(cli, ['exec', '-s', 'tried', '--', 'bash', '-c', 'echo more > ~/other']);
  await runAll(cli, ['merge', '--from', 'tried']);
  expect(await runAll(cli, bash('cat ~/other'))).toBe('more\n');
  expect(await runAll(cli, ['merge', '--from', 'tried'])).toContain('Nothing to do');
  expect(await cli.run('merge', '--from', 'default')).toMatchObject({ code: 2 });
  expect(await cli.run('merge')).toMatchObject({ code: 2 });
});
