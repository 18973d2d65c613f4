import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openTestCli } from '../test-context.ts';

const bare = ['run', '--isolation', 'none'];

test('S-5 without walls a command runs on this host in a folder that is gone afterwards, and one sentence says what is given up', async () => {
  await using cli = await openTestCli();
  const run = cli.start(
    ...bare,
    'pwd; cat; echo $PATH; echo why >&2; mkdir closed; touch closed/in; chmod 500 closed; exit 7',
  );
  run.stdin.end('typed\n');
  const { code, stdout, stderr } = await run.ended;
  const [folder = '', typed, path] = stdout.split('\n');
  expect([code, typed, path]).toEqual([7, 'typed', process.env.PATH]);
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(join(folder, '..'))).toBe(false);
  expect(stderr).toMatch(/^coppice: Without isolation: [^.\n]+ are not bounded\nwhy\n$/);
  expect(await cli.run(...bare, '--quiet', 'true')).toMatchObject({ code: 0, stderr: '' });
  expect((await cli.backend.list()).map(({ name }) => name)).toEqual(['default']);
});

test('S-5 without walls a result has what the command changed, and not what was copied in', async () => {
  await using cli = await openTestCli();
  await mkdir(join(cli.folder, 'src/below'), { recursive: true });
  await writeFile(join(cli.folder, 'src/below/file'), 'here\n');
  await writeFile(join(cli.folder, 'src/other'), 'other\n');
  const copies = ['--mount-in', 'src', '--mount-in', 'src/below:src/more'];
  const script = 'cat below/file more/file; echo $A > new; echo >> other; rm below/file; exit 3';
  const { code, stdout } = await cli.run(
    ...[...bare, '--json', '--env', 'A=b', ...copies, '--workdir', 'src', script],
  );
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    exitCode: 3,
    reason: 'exited',
    stdout: 'here\nhere\n',
    runtime: 'folder',
    isolation: 'none',
    files: { created: ['/src/new'], modified: ['/src/other'], deleted: ['/src/below/file'] },
  });
  expect(readFileSync(join(cli.folder, 'src/other'), 'utf8')).toBe('other\n');
});

test('S-5 without walls time, output and files have limits, and a script runs where it is', async () => {
  await using cli = await openTestCli();
  const json = await cli.run(...bare, '--json', '--timeout', '50ms', 'sleep 60');
  expect(JSON.parse(json.stdout)).toMatchObject({ reason: 'timeout', limit: 'time' });
  const capped = await cli.run(...bare, '--output-cap', '3', 'echo 123456');
  expect(capped).toMatchObject({ code: 0, stdout: '123' });
  const full = await cli.run(...bare, '--file-size', '64K', 'head -c 100000 /dev/zero > f; wc -c < f');
  expect(full).toMatchObject({ code: 0, stdout: '65536\n' });
  await writeFile(join(cli.folder, 'say.sh'), '#!/bin/bash -e\necho "$0 $1"; false; echo no\n');
  const said = await cli.run(...bare, 'say.sh', 'a');
  expect(said).toMatchObject({ code: 1, stdout: `${join(cli.folder, 'say.sh')} a\n` });
  expect(await cli.run(...bare, '--', 'no-such-program')).toMatchObject({ code: 3 });
  expect(await cli.run(...bare, 'kill -TERM $$')).toMatchObject({ code: 143 });
});

test('S-5 without walls what a command leaves behind ends with it: at its end, past its time, and when it is interrupted', async () => {
  await using cli = await openTestCli();
  const leave = 'setsid sleep 1000 & echo "pid $!"; sleep 1000 & echo "pid $!"';
  const ended = await cli.run(...bare, leave);
  expect(ended.code).toBe(0);
  const late = await cli.run(...bare, '--timeout', '2s', `${leave}; sleep 1000`);
  expect(late.code).toBe(124);
  expect(late.stderr).toContain('--timeout gives it longer');
  const run = cli.start(...bare, `trap "echo caught; exit 9" INT; ${leave}; echo ready; wait`);
  await run.says('ready');
  run.signal('SIGINT');
  const interrupted = await run.ended;
  expect(interrupted).toMatchObject({ code: 9, stdout: expect.stringContaining('caught') });
  const results = [ended, late, interrupted].map(({ stdout }) => pidsIn(stdout));
  expect(results.map(({ length }) => length)).toEqual([2, 2, 2]);
  expect(results.flat().filter(isRunning)).toEqual([]);
});

test('S-5 without walls an interrupted result leaves nothing', async () => {
  await using cli = await openTestCli();
  const pipe = join(cli.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const said = readFile(pipe, 'utf8');
  const run = cli.start(...bare, '--json', `setsid sleep 1000 & echo "pid $!" > ${pipe}; wait`);
  const pids = pidsIn(await said);
  run.signal('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect(pids.length).toBe(1);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('S-5 without walls a place for temporary files that cannot be had is told with what names another', async () => {
  await using cli = await openTestCli();
  try {
    vi.stubEnv('TMPDIR', join(cli.folder, 'missing'));
    const refused = await cli.run(...bare, '--quiet', 'true');
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(
      /^coppice: Cannot make a working folder in .*missing: it is not there\. TMPDIR .*\n$/,
    );
  } finally {
    vi.unstubAllEnvs();
  }
});

test('S-5 without walls what a sandbox would have is refused by name, and so are bridges', async () => {
  await using cli = await openTestCli();
  for (const [flags, code, says] of [
    [['--memory', '64M'], 2, '--memory'],
    [['--cpus', '1'], 2, '--cpus'],
    [['--pids', '9'], 2, '--pids'],
    [['--disk', '64M'], 2, '--disk'],
    [['--network', 'off'], 2, '--network'],
    [['--allow', 'example.org'], 2, '--allow'],
    [['--image', 'debian'], 2, '--image'],
    [['--user', 'user'], 2, '--user'],
    [['--runtime', 'shell'], 2, '--runtime'],
    [['--keep', 'name'], 2, '--keep'],
    [['--tty'], 2, '--tty'],
    [['--sandbox', 'default'], 2, 'sandbox default'],
    [['--workdir', '/etc'], 2, '/etc is not below the working folder'],
    [['--mount-in', '.:../up'], 2, '../up is not below the working folder'],
    [['--mount-in', 'nowhere'], 3, 'no folder'],
    [['--bridge', 'http://127.0.0.1:1'], 6, 'a bridge serves others'],
  ] as const) {
    const refused = await cli.run(...bare, ...flags, 'true');
    expect(refused, flags.join(' ')).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(says);
  }
  cli.environment.COPPICE_BRIDGE = 'http://127.0.0.1:1';
  expect((await cli.run(...bare, 'true')).stderr).toContain('a bridge serves others');
});

function pidsIn(text: string): readonly number[] {
  return [...text.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
}

/** One that has ended may still wait for its parent to ask how. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
