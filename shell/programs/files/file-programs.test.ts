import { expect, test } from 'vitest';
import { decodeText } from '../../text.ts';
import { createPrograms } from '../create-programs.ts';
import { MemoryMachine } from '../fixtures/memory-call.ts';

const programs = createPrograms();

/** All that is in `/w`: links with what they lead to, files with modes and contents. */
function listing(machine: MemoryMachine, directory = '/w', prefix = ''): string[] {
  return [...machine.files.readdir(directory)].sort().flatMap((name) => {
    const path = `${directory}/${name}`;
    const { mode, nlink } = machine.files.lstat(path);
    const type = mode & 0o170000;
    if (type === 0o120000) return [`${prefix}${name} -> ${machine.files.readlink(path)}`];
    const shown = `${prefix}${name} ${(mode & 0o7777).toString(8)}`;
    if (type === 0o040000) return [`${prefix}${name}/`, ...listing(machine, path, `${prefix}${name}/`)];
    return [`${shown} ${nlink} ${JSON.stringify(decodeText(machine.files.readFile(path)))}`];
  });
}

const made = { a: 'one\n', 'd/b': 'two\n' };

test.each<[string, string[][], string[]]>([
  [
    'cp -a keeps links and names of one file',
    [
      ['ln', '-s', 'a', 'l'],
      ['ln', 'd/b', 'd/c'],
      ['cp', '-a', 'l', 'd'],
      ['cp', '-a', 'd', 'x'],
    ],
    [
      'a 644 1 "one\\n"',
      'd/',
      'd/b 644 2 "two\\n"',
      'd/c 644 2 "two\\n"',
      'd/l -> a',
      'l -> a',
      'x/',
      'x/b 644 2 "two\\n"',
      'x/c 644 2 "two\\n"',
      'x/l -> a',
    ],
  ],
  [
    'cp without -a follows links',
    [
      ['ln', '-s', 'a', 'l'],
      ['cp', 'l', 'x'],
    ],
    ['a 644 1 "one\\n"', 'd/', 'd/b 644 1 "two\\n"', 'l -> a', 'x 644 1 "one\\n"'],
  ],
  [
    'mv of a directory moves all of it',
    [
      ['mv', 'd', 'e'],
      ['mv', 'a', 'e'],
    ],
    ['e/', 'e/a 644 1 "one\\n"', 'e/b 644 1 "two\\n"'],
  ],
  [
    'ln -sfn replaces a link to a directory',
    [
      ['ln', '-s', 'd', 'l'],
      ['ln', '-sfn', 'a', 'l'],
    ],
    ['a 644 1 "one\\n"', 'd/', 'd/b 644 1 "two\\n"', 'l -> a'],
  ],
  [
    'install makes directories and sets modes',
    [['install', '-D', '-m', '750', 'a', 'bin/tool']],
    ['a 644 1 "one\\n"', 'bin/', 'bin/tool 750 1 "one\\n"', 'd/', 'd/b 644 1 "two\\n"'],
  ],
  ['rm -rf leaves nothing and says nothing', [['rm', '-rf', 'd', 'a', 'missing']], []],
  [
    'sed -i keeps the mode and its backup',
    [
      ['chmod', '600', 'a'],
      ['sed', '-i.bak', 's/one/1/', 'a'],
      ['rm', '-r', 'd'],
    ],
    ['a 600 1 "1\\n"', 'a.bak 600 1 "one\\n"'],
  ],
  [
    'split -d numbers its pieces',
    [
      ['split', '-d', '-b', '2', 'a', 'p'],
      ['rm', '-r', 'd', 'a'],
    ],
    ['p00 644 1 "on"', 'p01 644 1 "e\\n"'],
  ],
  [
    'tar puts back what it took',
    [
      ['ln', 'a', 'd/a2'],
      ['ln', '-s', '../a', 'd/l'],
      ['tar', 'czf', 't.tgz', 'a', 'd'],
      ['rm', '-r', 'a', 'd'],
      ['tar', 'xf', 't.tgz'],
      ['rm', 't.tgz'],
    ],
    ['a 644 2 "one\\n"', 'd/', 'd/a2 644 2 "one\\n"', 'd/b 644 1 "two\\n"', 'd/l -> ../a'],
  ],
  [
    'gzip and gunzip',
    [
      ['gzip', 'a', 'd/b'],
      ['gunzip', 'a.gz', 'd/b.gz'],
    ],
    ['a 644 1 "one\\n"', 'd/', 'd/b 644 1 "two\\n"'],
  ],
  [
    'find -delete and -exec',
    [
      ['find', '.', '-name', 'b', '-delete'],
      ['find', '.', '-type', 'f', '-exec', 'cp', '{}', '{}.copy', ';'],
    ],
    ['a 644 1 "one\\n"', 'a.copy 644 1 "one\\n"', 'd/'],
  ],
])('%s', async (_, commands, after) => {
  const machine = new MemoryMachine(programs, made);
  for (const argv of commands) {
    expect((await machine.run(argv)).stderr, argv.join(' ')).toBe('');
  }
  expect(listing(machine)).toEqual(after);
});

test('xargs -P and -n run a command for each argument', async () => {
  const machine = new MemoryMachine(programs);
  const { exitCode } = await machine.run(['xargs', '-P', '4', '-n', '1', 'touch'], {
    stdin: 'p q "r s" t\\ u\n',
  });
  expect(exitCode).toBe(0);
  expect([...machine.files.readdir('/w')].sort()).toEqual(['p', 'q', 'r s', 't u']);
});

test('timeout ends a command and says so by 124', async () => {
  const machine = new MemoryMachine(programs);
  expect((await machine.run(['timeout', '0.02', 'sleep', '10'])).exitCode).toBe(124);
});

test('mktemp makes a file that only its owner may read', async () => {
  const machine = new MemoryMachine(programs);
  const { stdout } = await machine.run(['mktemp']);
  expect(stdout).toMatch(/^\/tmp\/tmp\.[A-Za-z0-9]{10}\n$/);
  expect(machine.files.stat(stdout.trim()).mode & 0o777).toBe(0o600);
});

test('checksums are checked', async () => {
  const machine = new MemoryMachine(programs, made);
  const sums = (await machine.run(['sha256sum', 'a', 'd/b'])).stdout;
  const checked = await machine.run(['sha256sum', '-c'], { stdin: sums });
  expect(checked.stdout).toBe('a: OK\nd/b: OK\n');
  await machine.run(['truncate', '-s0', 'a']);
  const failed = await machine.run(['sha256sum', '-c', '--quiet'], { stdin: sums });
  expect([failed.stdout, failed.exitCode]).toEqual(['a: FAILED\n', 1]);
});

test('ls -l shows modes, links, owners, sizes and times', async () => {
  const machine = new MemoryMachine(programs, {
    '/etc/passwd': 'root:x:0:0::/root:\nann:x:1000:1000::/home/ann:\n',
    '/etc/group': 'root:x:0:\nann:x:1000:\n',
    a: 'one\n',
  });
  await machine.run(['chown', 'ann:ann', 'a']);
  await machine.run(['touch', '-d', '2001-02-03 04:05', 'a']);
  await machine.run(['ln', '-s', 'a', 'l']);
  const { stdout } = await machine.run(['ls', '-l']);
  expect(stdout).toMatch(
    /^total 4\n-rw-r--r-- 1 ann {2}ann {2}4 Feb {2}3 {2}2001 a\nlrwxrwxrwx 1 root root 1 \w{3} [ \d]\d \d\d:\d\d l -> a\n$/,
  );
});
