import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { openTestCli } from '../test-context.ts';

test('S-3 run passes input and output through, ends with the exit code, and leaves nothing', async () => {
  await using cli = await openTestCli();
  const run = cli.start(
    'run',
    '--',
    'bash',
    '-c',
    'cat; printf "\\xff\\x00" | od -An -tx1; echo why >&2; exit 7',
  );
  run.stdin.end('typed\n');
  expect(await run.ended).toEqual({ code: 7, stdout: 'typed\n ff 00\n', stderr: 'why\n' });
  expect((await cli.backend.list()).map(({ name }) => name)).toEqual(['default']);
});

test('S-3 run takes text for bash, a script of this host, standard input, and a program with its arguments', async () => {
  await using cli = await openTestCli();
  await writeFile(join(cli.folder, 'say.sh'), '#!/bin/bash -e\necho "$0 $2 $1"; false; echo no\n');
  expect(await cli.run('run', 'echo hello | tr h j')).toMatchObject({ code: 0, stdout: 'jello\n' });
  expect(await cli.run('run', 'say.sh', 'a', 'b')).toMatchObject({ code: 1, stdout: '/tmp/say.sh b a\n' });
  expect(await cli.run('run', 'echo', 'a  b')).toMatchObject({ code: 0, stdout: 'a  b\n' });
  expect(await cli.run('run', '-c', 'echo "$1"', 'x')).toMatchObject({ code: 0, stdout: 'x\n' });
  const run = cli.start('run', '-', 'last');
  run.stdin.end('echo "$1"; read -r line || echo nothing to read');
  expect(await run.ended).toMatchObject({ code: 0, stdout: 'last\nnothing to read\n' });
  expect(await cli.run('run')).toMatchObject({ code: 2 });
});

test('S-3 run has a limit on time, output and files, a directory and variables', async () => {
  await using cli = await openTestCli();
  const late = await cli.run('run', '--timeout', '50ms', 'echo begun; sleep 60');
  expect(late).toMatchObject({ code: 124, stdout: 'begun\n' });
  expect(late.stderr).toContain('--timeout');
  const capped = await cli.run('run', '--output-cap', '3', 'echo 123456; echo abc >&2');
  expect(capped).toMatchObject({ code: 0, stdout: '123' });
  expect(capped.stderr).toBe('abccoppice: 5 bytes of output were dropped\n');
  const placed = await cli.run('run', '--workdir', '/tmp', '--env', 'A=b=c', 'pwd; echo $A');
  expect(placed.stdout).toBe('/tmp\nb=c\n');
  expect(await cli.run('run', '--memory', 'much', 'true')).toMatchObject({ code: 2 });
});

test('S-2 S-6 run --json prints the whole result, with what changed and why it ended', async () => {
  await using cli = await openTestCli();
  const run = cli.start('run', '--json', '--keep', 'kept', 'cat > new; echo out; exit 3');
  run.stdin.end('text');
  const { code, stdout } = await run.ended;
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    exitCode: 3,
    reason: 'exited',
    stdout: 'out\n',
    files: { created: ['/home/user/new'] },
    runtime: 'shell',
    sandbox: { name: 'kept' },
  });
  const limited = await cli.run('run', '--json', '--limit', 'loopIterations=3', 'while :; do echo x; done');
  expect(limited.code).toBe(126);
  expect(JSON.parse(limited.stdout)).toMatchObject({ limit: 'loopIterations', stdout: 'x\nx\nx\n' });
  expect(limited.stderr).toContain('--limit loopIterations=NUMBER');
  expect(await cli.run('run', '--limit', 'loops=3', 'true')).toMatchObject({ code: 2 });
  const again = await cli.run('run', '--sandbox', 'kept', 'cat new');
  expect(again).toMatchObject({ code: 0, stdout: 'text' });
  const late = await cli.run('run', '--json', '--timeout', '50ms', 'sleep 60');
  expect(late.code).toBe(124);
  expect(JSON.parse(late.stdout)).toMatchObject({ reason: 'timeout', limit: 'time' });
});

test('S-3 run copies folders in, and refuses by name what it cannot do', async () => {
  await using cli = await openTestCli();
  await mkdir(join(cli.folder, 'src/below'), { recursive: true });
  await writeFile(join(cli.folder, 'src/below/file'), 'here\n');
  const copied = await cli.run(
    'run',
    '--mount-in',
    'src',
    '--mount-in',
    'src:/tmp/other',
    'cat src/below/file; ls /tmp/other',
  );
  expect(copied).toMatchObject({ code: 0, stdout: 'here\nbelow\n' });
  const within = await cli.run('run', '--mount-in', 'src', '--workdir', 'src/below', 'pwd; cat file');
  expect(within).toMatchObject({ code: 0, stdout: '/home/user/src/below\nhere\n' });
  await mkdir(join(cli.folder, 'a:b'));
  expect(await cli.run('run', '--mount-in', 'a:b', 'ls')).toMatchObject({ code: 0, stdout: 'a:b\n' });
  for (const [flags, code, says] of [
    [['--isolation', 'nothing'], 2, 'Allowed choices'],
    [['--allow', 'example.org'], 6, 'Cannot set network'],
    [['--allow', 'example.org', '--network', 'off'], 2, '--network off'],
    [['--sandbox', 'default', '--allow', 'example.org'], 2, '--allow'],
    [['--sandbox', 'default', '--memory', '64M'], 2, '--memory'],
    [['--mount-in', 'nowhere'], 3, 'no folder'],
    [['--memory', '1M'], 2, 'memoryMiB is --memory, in MiB'],
    [['--workdir', 'nowhere'], 3, "the user's home has no such directory"],
  ] as const) {
    const refused = await cli.run('run', ...flags, 'true');
    expect(refused, flags.join(' ')).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(says);
  }
  expect((await cli.backend.list()).length).toBe(1);
});

test('S-3 SIGINT goes to the command, a second one kills it, and its sandbox is deleted', async () => {
  await using cli = await openTestCli();
  const run = cli.start('run', 'trap "echo caught" INT; echo begun; while :; do sleep 0.01; done');
  await run.says('begun');
  run.signal('SIGINT');
  run.signal('SIGINT');
  expect((await run.ended).code).toBe(137);
  expect((await cli.backend.list()).length).toBe(1);
});

test('S-3 a terminal that is closed while run prepares leaves no sandbox, and one that is killed has an end', async () => {
  await using cli = await openTestCli();
  const ends = vi.spyOn(cli.backend as Required<typeof cli.backend>, 'setTimeout');
  const run = cli.start('run', 'touch never; echo never');
  ends.mockImplementation(async () => {
    run.signal('SIGHUP');
    throw new SandboxError('unsupported', 'Nothing ends here');
  });
  expect(await run.ended).toMatchObject({ stdout: '', stderr: expect.stringContaining('aborted') });
  expect(ends.mock.calls[0]?.[0]).toMatchObject({ timeoutMs: limits.runOrphanMs });
  expect((await cli.backend.list()).map(({ name }) => name)).toEqual(['default']);
});

test('S-3 S-12 run and shell work through whoever serves the folder', async () => {
  await using cli = await openTestCli();
  const daemon = cli.start('daemon');
  await daemon.says('answers at');
  expect(await cli.run('run', 'echo through; exit 4')).toMatchObject({ code: 4, stdout: 'through\n' });
  const shell = cli.start('shell');
  shell.stdin.end('cd /tmp; echo 1 > a\n%snapshot one\nrm a\n%reset\npwd\n');
  const { code, stdout } = await shell.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/\] one\nHEAD is .*\n\/home\/user\n$/);
  daemon.signal('SIGTERM');
  await daemon.ended;
});
