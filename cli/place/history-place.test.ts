import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCli } from '../test-context.ts';
import { openProject } from '../test-project.ts';

async function everything(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode, mtimeMs } = await lstat(path);
    const what = entry.isSymbolicLink()
      ? await readlink(path)
      : entry.isFile()
        ? `${await readFile(path, 'latin1')} ${Math.round(mtimeMs)}`
        : 'directory';
    found[path.slice(folder.length)] = `${(mode & 0o7777).toString(8)} ${what}`;
  }
  return found;
}

test('R-12 a folder of the host goes back to a snapshot, with modes, times, links and what was deleted', async () => {
  await using project = await openProject({
    'a.txt': 'one\n',
    'src/deep/b': 'two',
    'gone/c': 'three',
    swap: 'file',
  });
  await chmod(project.at('src/deep/b'), 0o750);
  await symlink('a.txt', project.at('link'));
  await mkdir(project.at('empty'));
  expect(await project.run('commit', '-m', 'good')).toMatchObject({ code: 0 });
  const before = await everything(project.folder);
  await writeFile(project.at('a.txt'), 'changed\n');
  await rm(project.at('gone'), { recursive: true });
  await rm(project.at('swap'));
  await mkdir(project.at('swap/inside'), { recursive: true });
  await rename(project.at('src/deep/b'), project.at('src/moved'));
  await rm(project.at('link'));
  await symlink('elsewhere', project.at('link'));
  await writeFile(project.at('new'), 'new');
  const changed = await everything(project.folder);
  const back = await project.run('checkout', 'HEAD');
  expect(back.stderr).toContain('coppice checkout -');
  expect(await everything(project.folder)).toEqual(before);
  expect(await project.run('checkout', '-')).toMatchObject({ code: 0 });
  expect(await everything(project.folder)).toEqual(changed);
});

test('R-12 a change that keeps size and time is seen, and one that only looks at files changes nothing', async () => {
  await using project = await openProject({ a: 'one' });
  const { atime, mtime } = await stat(project.at('a'));
  await writeFile(project.at('a'), 'two');
  await utimes(project.at('a'), atime, mtime);
  await project.run('commit', '-m', 'two');
  await project.run('undo');
  expect(await readFile(project.at('a'), 'utf8')).toBe('one');
  const { ino } = await stat(project.at('a'));
  const same = await project.run('commit', '--if-changed', '--json');
  expect(JSON.parse(same.stdout).isHead).toBe(true);
  await project.run('checkout', 'HEAD');
  expect((await stat(project.at('a'))).ino).toBe(ino);
});

test('R-12 what .coppiceignore names is in no snapshot, and stays as it is through a checkout', async () => {
  await using project = await openProject({
    '.coppiceignore': '# not these\nnode_modules/\n/build/*.o\n*.log\n',
    'node_modules/a/index.js': 'dependency',
    'build/x.o': 'object',
    'build/x.c': 'source',
    'deep/run.log': 'log',
  });
  await writeFile(project.at('node_modules/a/index.js'), 'newer dependency');
  await writeFile(project.at('build/x.c'), 'newer source');
  await rm(project.at('deep'), { recursive: true });
  await mkdir(project.at('deep'));
  await writeFile(project.at('deep/run.log'), 'newer log');
  const { stdout } = await project.run('diff');
  expect(stdout).toContain('build/x.c');
  for (const left of ['node_modules', 'x.o', 'log']) expect(stdout).not.toContain(left);
  await project.run('checkout', 'HEAD');
  const read = (path: string) => readFile(project.at(path), 'utf8');
  expect(await Promise.all(['node_modules/a/index.js', 'build/x.c', 'deep/run.log'].map(read))).toEqual([
    'newer dependency',
    'source',
    'newer log',
  ]);
  await writeFile(project.at('.coppiceignore'), '!exception\n');
  expect((await project.run('commit')).stderr).toContain('exceptions');
});

test('R-12 undo takes back steps and redo has them again, until something else is changed', async () => {
  await using project = await openProject({ a: '0' });
  for (const text of ['1', '2', '3']) {
    await writeFile(project.at('a'), text);
    await project.run('commit', '-m', `step ${text}`);
  }
  const text = () => readFile(project.at('a'), 'utf8');
  const undone = await project.run('undo', '2');
  expect(undone.stdout).toMatch(/^Undone: step 3\nUndone: step 2\nM {2}\/a\nHEAD is \w+ now: step 1\n$/);
  expect(undone.stderr).toContain('coppice redo 2');
  expect(await text()).toBe('1');
  await project.run('undo');
  expect(await text()).toBe('0');
  expect((await project.run('undo')).code).toBe(3);
  await project.run('redo', '2');
  expect(await text()).toBe('2');
  await project.run('redo');
  expect(await text()).toBe('3');
  expect((await project.run('redo')).code).toBe(3);
  await project.run('undo');
  await writeFile(project.at('a'), 'other');
  const refused = await project.run('redo');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('coppice checkout undone');
  expect(await text()).toBe('other');
});

test('R-12 undo takes back first what was changed by hand since the last step, and says so', async () => {
  await using project = await openProject({ a: '0' });
  await project.run('commit', '-m', 'before the agent');
  await writeFile(project.at('a'), '1');
  await project.run('commit', '-m', 'Bash: step');
  await writeFile(project.at('mine'), 'by hand');
  const mine = await project.run('undo');
  expect(mine.stdout).toMatch(/^Undone: changed \/mine\nD {2}\/mine\nHEAD is \w+ now: Bash: step\n$/);
  expect((await project.run('undo')).stdout).toContain('Undone: Bash: step');
  expect(await readFile(project.at('a'), 'utf8')).toBe('0');
  expect((await project.run('redo', '2')).stdout).toMatch(
    /^Done again: Bash: step\nDone again: changed \/mine\n/,
  );
  expect(await readFile(project.at('mine'), 'utf8')).toBe('by hand');
});

test('R-12 an undo that is refused leaves HEAD and the folder as they are, and works once nothing is in its way', async () => {
  await using project = await openProject({ a: '0', b: 'b', '.coppiceignore': '*.log\n' });
  await writeFile(project.at('a'), '1');
  await rm(project.at('b'));
  await mkdir(project.at('b'));
  await writeFile(project.at('b/in'), 'in');
  await writeFile(project.at('b/run.log'), 'log');
  await project.run('commit', '-m', 'one');
  const head = (await project.run('head')).stdout;
  const refused = await project.run('undo');
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('at /b is something that is not in the history');
  expect((await project.run('head')).stdout).toBe(head);
  expect(await readdir(project.at('b'))).toEqual(['in', 'run.log']);
  expect(await readFile(project.at('a'), 'utf8')).toBe('1');
  await rm(project.at('b/run.log'));
  expect((await project.run('undo')).stdout).toContain('Undone: one');
  expect(await readFile(project.at('b'), 'utf8')).toBe('b');
  expect((await project.run('redo')).stdout).toContain('Done again: one');
});

test('R-12 a history is found from below its folder, and is none of the sandboxes', async () => {
  await using project = await openProject({ 'src/a': '1' });
  await writeFile(project.at('src/a'), '2');
  await project.cli.run('commit', '-m', 'two', '--in-place', project.at('src'));
  await project.cli.run('undo', '--in-place', project.at('src'));
  expect(await readFile(project.at('src/a'), 'utf8')).toBe('1');
  expect((await project.cli.run('log', '--in-place', tmpdir())).code).toBe(3);
  expect((await project.cli.backend.list()).map(({ name }) => name)).toEqual(['default']);
  const inside = await project.cli.run('init', '--in-place', project.cli.folder);
  expect(inside.stderr).toContain('contain itself');
});

test('R-12 a folder that was removed whole is told how it comes back, also where the shell still stands in it', async () => {
  await using project = await openProject({ 'deep/a': 'one' });
  const { folder, cli, run, ok } = project;
  await rm(folder, { recursive: true });
  const told = `There is no folder ${folder}: its history is there, so make it again with mkdir`;
  expect(await run('undo')).toMatchObject({ code: 3, stderr: expect.stringContaining(told) });
  const script = `mkdir ${folder}; cd ${folder}; rmdir ${folder}; exec ${process.execPath} ${resolve('cli/main.ts')} undo`;
  const env = { ...process.env, COPPICE_ROOT: cli.folder };
  const { status, stderr } = spawnSync('sh', ['-ec', script], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining(told) });
  await mkdir(folder);
  await ok('undo');
  expect(await readFile(project.at('deep/a'), 'utf8')).toBe('one');
});

test('R-12 names of any bytes are kept, and sockets, pipes and what links lead to are left alone', async () => {
  await using project = await openProject({ 'dir/in': '1' });
  const odd = Buffer.concat([Buffer.from(`${project.folder}/`), Buffer.from([0x0a, 0xff, 0x27])]);
  await writeFile(odd, 'odd');
  execFileSync('mkfifo', [project.at('pipe')]);
  await symlink('/etc/passwd', project.at('outside'));
  await symlink('dir', project.at('to-dir'));
  await using server = createServer();
  await once(server.listen(project.at('socket')), 'listening');
  expect(await project.run('commit', '-m', 'odd')).toMatchObject({ code: 0, stderr: '' });
  await rm(odd);
  await rm(project.at('outside'));
  await rm(project.at('dir'), { recursive: true });
  const back = await project.run('checkout', 'HEAD');
  expect(back.code).toBe(0);
  expect(await readFile(odd, 'utf8')).toBe('odd');
  expect(await readlink(project.at('outside'))).toBe('/etc/passwd');
  expect(await readFile(project.at('to-dir/in'), 'utf8')).toBe('1');
  expect((await lstat(project.at('pipe'))).isFIFO()).toBe(true);
  expect((await lstat(project.at('socket'))).isSocket()).toBe(true);
});

test('R-12 hooks that run side by side wait for each other, and none is lost', async () => {
  await using project = await openProject({});
  const { cli, folder } = project;
  const calls = Array.from({ length: 4 }, async (_, index) => {
    await writeFile(project.at(`file${index}`), 'text');
    const run = cli.start('hook', 'claude');
    const tool_input = { file_path: `file${index}` };
    run.stdin.end(
      JSON.stringify({ hook_event_name: 'PostToolUse', tool_name: 'Write', tool_input, cwd: folder }),
    );
    return run.ended;
  });
  expect((await Promise.all(calls)).map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
  const { stdout } = await project.run('log', '--json');
  const steps = stdout.match(/"label":"Write/g)?.length ?? 0;
  await project.run('undo', `${steps}`);
  expect(await readdir(folder)).toEqual([]);
});

test('R-12 nothing runs in a folder, and a command about a sandbox says so', async () => {
  await using project = await openProject({ a: '1' });
  const { stdout } = await project.run('status');
  expect(stdout).toContain('no sandbox: programs work in the folder itself');
  expect(await project.run('init')).toMatchObject({
    code: 0,
    stdout: `${project.folder} has a history already\n`,
  });
});

test('R-12 a sparse file is read and written without its holes', async () => {
  await using project = await openProject({ a: 'one' });
  const { at, ok } = project;
  const sizeBytes = 3 * 2 ** 30;
  await writeFile(at('sparse'), '');
  await truncate(at('sparse'), sizeBytes);
  const write = async (text: string, position: number) => {
    await using file = await open(at('sparse'), 'r+');
    await file.write(text, position);
  };
  await write('in the midst', 2 ** 30);
  await ok('commit');
  await write('changed', 2 ** 30);
  await write('later', 2 ** 31);
  await ok('commit');
  await rm(at('sparse'));
  await ok('checkout', 'HEAD~1');
  const { size, blocks } = await stat(at('sparse'));
  expect(size).toBe(sizeBytes);
  expect(blocks * 512).toBeLessThan(2 ** 20);
  await using file = await open(at('sparse'));
  const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 2 ** 30);
  expect(buffer.toString()).toBe('in the midst');
  const { buffer: hole } = await file.read(Buffer.alloc(5), 0, 5, 2 ** 31);
  expect(hole.equals(Buffer.alloc(5))).toBe(true);
});

test('R-12 times before 1970 stay', async () => {
  await using project = await openProject({});
  const { at, ok } = project;
  const times = ['-1.250000000', '-0.250000000', '-86400.000000000', '12.500000000'];
  for (const [index, time] of times.entries()) {
    await writeFile(at(`f${index}`), 'old');
    await lutimes(at(`f${index}`), time, time);
  }
  const told = async () =>
    Promise.all(times.map(async (_, index) => (await lstat(at(`f${index}`), { bigint: true })).mtimeNs));
  const before = await told();
  expect(before[0]).toBe(-1_250_000_000n);
  await ok('commit');
  for (const index of times.keys()) await writeFile(at(`f${index}`), 'new');
  await ok('checkout', 'HEAD');
  expect(await told()).toEqual(before);
});

test('R-12 init says how many files and directories it found, and the history how many changed', async () => {
  await using cli = await openTestCli();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-many-'));
  try {
    for (let index = 0; index < 104; index++) {
      await mkdir(join(folder, `d${index}`));
      await Promise.all(
        Array.from({ length: 100 }, (_, file) => writeFile(join(folder, `d${index}/f${file}`), '')),
      );
    }
    const begun = await cli.run('init', '--in-place', folder);
    expect(begun.stdout).toContain('of 10504 files and directories');
    const log = await cli.run('log', '--in-place', folder, '--json');
    expect(JSON.parse(log.stdout.split('\n')[0] ?? '').changes.created).toBe(10_400);
  } finally {
    await rm(folder, { recursive: true });
  }
});
