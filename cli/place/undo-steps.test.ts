import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openProject, type TestProject } from '../test-project.ts';

/** A call of an agent, as its hooks tell of it. */
async function call(project: TestProject, command: string, work: () => Promise<unknown>): Promise<void> {
  const tell = async (hook_event_name: string) => {
    const run = project.cli.start('hook', 'claude');
    const tool_input = { command };
    run.stdin.end(JSON.stringify({ hook_event_name, tool_name: 'Bash', tool_input, cwd: project.folder }));
    expect((await run.ended).stderr).toBe('');
  };
  await tell('PreToolUse');
  await work();
  await tell('PostToolUse');
}

/** Real git, in a folder; without the newline at the end. */
const gitIn =
  (project: TestProject) =>
  (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
      cwd: project.folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();

const readAll = async (project: TestProject) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(project.folder)).map(async (name) => [name, await readFile(project.at(name), 'utf8')]),
    ),
  );

test('R-12 undo takes back one step, in a folder without an agent too, and asked for more than there are it does nothing', async () => {
  await using project = await openProject({ a: '0' });
  for (const name of ['f1', 'f2', 'f3']) {
    await writeFile(project.at(name), name);
    await project.run('commit');
  }
  const undone = await project.run('undo');
  expect(undone.stdout).toMatch(/^Undone: changed \/f3\nD {2}\/f3\nHEAD is \w+ now: changed \/f2\n$/);
  expect(await readAll(project)).toEqual({ a: '0', f1: 'f1', f2: 'f2' });
  const refused = await project.run('undo', '99');
  expect(refused).toMatchObject({ code: 3 });
  expect(refused.stderr).toContain('Cannot undo 99 steps: there are only 2');
  expect(await readAll(project)).toEqual({ a: '0', f1: 'f1', f2: 'f2' });
  expect((await project.run('redo', '2')).stderr).toContain('there is only one');
  await project.run('redo');
  expect(await readAll(project)).toEqual({ a: '0', f1: 'f1', f2: 'f2', f3: 'f3' });
});

test('R-12 undo names the commit whose changes it takes back, and not a later one that had none', async () => {
  await using project = await openProject({ a: '0' });
  await writeFile(project.at('made'), 'made');
  await project.run('commit', '-m', 'first');
  await project.run('commit', '-m', 'nothing new');
  expect((await project.run('undo')).stdout).toMatch(/^Undone: first\nD {2}\/made\n/);
  await project.run('redo');
  expect(await readAll(project)).toEqual({ a: '0', made: 'made' });
});

test('R-12 what a person has changed between and after the steps of an agent stays, and redo brings back all that undo took', async () => {
  await using project = await openProject({ text: 'one\ntwo\nthree\nfour\nfive\n' });
  const at = (path: string) => project.at(path);
  await call(project, 'touch s1', () => writeFile(at('s1'), 'agent'));
  await writeFile(at('between'), 'mine');
  await call(project, 'edit', async () => {
    await writeFile(at('s2'), 'agent');
    await writeFile(at('text'), 'ONE\ntwo\nthree\nfour\nfive\n');
  });
  await writeFile(at('after'), 'mine');
  await writeFile(at('text'), 'ONE\ntwo\nthree\nfour\nFIVE\n');
  const before = await readAll(project);
  const undone = await project.run('undo', '2');
  expect(undone).toMatchObject({ code: 0 });
  expect(undone.stdout).toMatch(
    /^Undone: Bash: edit\nUndone: Bash: touch s1\nD {2}\/s1\nD {2}\/s2\nM {2}\/text\nHEAD is \w+ now: before the first step, with what was changed since\n$/,
  );
  expect(await readAll(project)).toEqual({
    between: 'mine',
    after: 'mine',
    text: 'one\ntwo\nthree\nfour\nFIVE\n',
  });
  expect((await project.run('undo')).stderr).toContain('Nothing to undo');
  await project.run('redo');
  expect(await readAll(project)).toMatchObject({ s1: 'agent', after: 'mine' });
  await writeFile(at('later'), 'mine');
  const redone = await project.run('redo');
  expect(redone.stdout).toContain('Done again: Bash: edit');
  expect(await readAll(project)).toEqual({ ...before, later: 'mine' });
  expect((await project.run('redo')).code).toBe(3);
});

test('R-12 a step that cannot be taken back without what was changed since is refused with the paths, or asked about', async () => {
  await using project = await openProject({ text: '0\n' });
  await call(project, 'edit', () => writeFile(project.at('text'), 'agent\n'));
  await writeFile(project.at('text'), 'mine\n');
  const refused = await project.run('undo');
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('content  /text');
  expect(refused.stderr).toContain('--take-all');
  expect(await readFile(project.at('text'), 'utf8')).toBe('mine\n');
  const taken = await project.run('undo', '--take-all');
  expect(taken.stdout).toContain('Lost with it, and in the history:\ncontent  /text');
  expect(await readFile(project.at('text'), 'utf8')).toBe('0\n');
  await project.run('checkout', '-');
  expect(await readFile(project.at('text'), 'utf8')).toBe('mine\n');
});

test("R-12 what a call has done that was ended amid its work is a step, and a person's label is no call", async () => {
  await using project = await openProject({ a: '0' });
  await project.run('commit', '-m', 'before lunch');
  await writeFile(project.at('a'), '1');
  await project.run('commit');
  await project.run('undo');
  expect(await readFile(project.at('a'), 'utf8')).toBe('0');
  await call(project, 'ls', () => writeFile(project.at('b'), 'agent'));
  await writeFile(project.at('mine'), 'mine');
  const run = project.cli.start('hook', 'claude');
  run.stdin.end(
    JSON.stringify({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'rm a' },
      cwd: project.folder,
    }),
  );
  await run.ended;
  await rm(project.at('a'));
  expect((await project.run('undo')).stdout).toMatch(/^Undone: changed \/a\nA {2}\/a\n/);
  expect(await readAll(project)).toEqual({ a: '0', b: 'agent', mine: 'mine' });
});

test('R-12 git status is no step, and does not break redo', async () => {
  await using project = await openProject({ a: '0' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
      cwd: project.folder,
    });
  const past = new Date(1_700_000_000_000);
  await utimes(project.at('a'), past, past);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  await project.run('commit', '-m', 'repository');
  await mkdir(project.at('d'));
  await writeFile(project.at('d/b'), 'b');
  await project.run('commit', '-m', 'step');
  await using held = new AsyncDisposableStack();
  /** The index remembers the number of a file's inode, too, which no snapshot has. The old one stays open, or the new one may get its number. */
  const refresh = async () => {
    held.use(await open(project.at('a')));
    await copyFile(project.at('a'), project.at('.git/a'));
    await utimes(project.at('.git/a'), past, past);
    await rename(project.at('.git/a'), project.at('a'));
    const before = await readFile(project.at('.git/index'));
    git('status');
    expect(before.equals(await readFile(project.at('.git/index')))).toBe(false);
  };
  await refresh();
  await project.run('commit', '-m', 'status');
  await refresh();
  expect((await project.run('undo')).stdout).toContain('Undone: step');
  expect(await readdir(project.folder)).not.toContain('d');
  await refresh();
  expect((await project.run('redo')).stdout).toContain('Done again: step');
  expect(await readFile(project.at('d/b'), 'utf8')).toBe('b');
});

test('R-12 a branch that a person has made from the commit of an agent is whole after the undo of that call', async () => {
  await using project = await openProject({ a: '0' });
  const git = gitIn(project);
  git('init', '-qb', 'main');
  git('add', '.');
  git('commit', '-qm', 'one');
  await call(project, 'commit on a branch', async () => {
    git('checkout', '-qb', 'agents');
    await writeFile(project.at('b'), 'b');
    git('add', '.');
    git('commit', '-qm', 'two');
  });
  git('branch', 'mine', 'agents');
  expect(await project.run('undo')).toMatchObject({ code: 0 });
  expect(git('branch').replaceAll(' ', '')).toBe('*main\nmine');
  expect(git('show', 'mine:b')).toBe('b');
  expect(git('fsck', '--no-dangling')).toBe('');
});

test('R-12 undo and redo of a commit leave git its objects, which a commit that is made meanwhile may need', async () => {
  await using project = await openProject({ a: '0' });
  const git = gitIn(project);
  git('init', '-qb', 'main');
  git('commit', '-qm', 'one', '--allow-empty');
  await project.run('commit', '-m', 'first');
  git('commit', '-qm', 'two', '--allow-empty');
  const two = git('rev-parse', 'HEAD');
  await project.run('commit', '-m', 'second');
  expect(await project.run('undo')).toMatchObject({ code: 0 });
  expect(git('log', '--format=%s')).toBe('one');
  expect(git('cat-file', '-t', two)).toBe('commit');
  expect(await project.run('redo')).toMatchObject({ code: 0 });
  expect(git('rev-parse', 'HEAD')).toBe(two);
  // Nothing is left to take back but the two steps.
  expect(await project.run('undo', '2')).toMatchObject({ code: 0 });
  expect((await project.run('undo')).stderr).toContain('Nothing to undo');
});

test('R-12 what a person saves while an undo begins stays, and redo brings back what was undone and no more', async () => {
  await using project = await openProject({ file: '0' });
  await writeFile(project.at('file'), '1');
  await project.ok('commit', '-m', 'step');
  const { applyChanges } = Sandbox.prototype;
  const spy = vi.spyOn(Sandbox.prototype, 'applyChanges');
  onTestFinished(() => spy.mockRestore());
  spy.mockImplementationOnce(async function (this: Sandbox, ...given) {
    await writeFile(project.at('mine'), 'saved');
    return applyChanges.apply(this, given);
  });
  const undone = await project.ok('undo');
  expect(undone.stdout).toMatch(
    /^Undone: step\nM {2}\/file\nHEAD is \w+ now: .*, with what was changed since\n$/,
  );
  expect(await readAll(project)).toEqual({ file: '0', mine: 'saved' });
  expect((await project.ok('redo')).stdout).toContain('Done again: step');
  expect(await readAll(project)).toEqual({ file: '1', mine: 'saved' });
  expect((await project.run('redo')).code).toBe(3);
});
