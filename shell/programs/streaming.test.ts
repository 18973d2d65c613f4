import { expect, test } from 'vitest';
import { startProgramWorker } from '../node/start-program-worker.ts';
import { encodeText } from '../text.ts';
import { createPrograms } from './create-programs.ts';
import { MemoryMachine } from './fixtures/memory-call.ts';

const programs = createPrograms({ startWorker: startProgramWorker });

test.each([
  ['yes', ['yes']],
  ['seq', ['seq', '1', '1', 'inf']],
  ['cat', ['cat', '/dev/zero']],
  ['tr', ['tr', 'a', 'b']],
  ['sed', ['sed', 'p']],
  ['grep', ['grep', '-v', 'x']],
])('%s ends when nobody reads what it prints', async (_, argv) => {
  const machine = new MemoryMachine(programs);
  const stdin = 'line\n'.repeat(200_000);
  const { exitCode } = await machine.run(argv, { breaksAt: 300_000, stdin });
  expect(exitCode).toBe(141);
});

test('head takes no more of a long input than it needs', async () => {
  const machine = new MemoryMachine(programs);
  const { stdout, exitCode } = await machine.run(['head', '-n1'], {
    stdin: 'x\n'.repeat(500_000),
    endsReadingAt: 200_000,
  });
  expect([stdout, exitCode]).toEqual(['x\n', 0]);
});

test('a program that waits ends at once when it is killed', async () => {
  const machine = new MemoryMachine(programs);
  const killer = new AbortController();
  const run = machine.run(['sleep', 'infinity'], { signal: killer.signal });
  killer.abort('SIGTERM');
  await expect(run).rejects.toBe('SIGTERM');
});

test.each([
  ['a loop of sed', ['sed', ':a;s/x/y/;s/y/x/;ba']],
  ['factors of a large number', ['factor', '1000000000000128000000000003367']],
  ['a long sort', ['sort', '-n', 'numbers']],
])('others get the thread during %s', async (_, argv) => {
  const numbers = Array.from({ length: 300_000 }, (__, index) => `${(index * 7919) % 1_000_003}\n`).join('');
  const machine = new MemoryMachine(programs, { numbers });
  const killer = new AbortController();
  const run = machine.run(argv, { signal: killer.signal, stdin: 'x\n' });
  let isOver = false;
  const end = run.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  const hadThread = !isOver;
  killer.abort('SIGKILL');
  await end;
  expect(hadThread).toBe(true);
});

test.each([
  ['many searches of sed in one line', ['sed', '-E', 's/ * *b| /x/g', 'blanks']],
  ['many matches of grep in one line', ['grep', '-oE', ' * *b| ', 'blanks']],
  ['the search for the place of a hunk', ['patch', '-F3', '-i', 'unplaced.patch']],
  ['reversing lines', ['tac', 'newlines']],
  ['many commands of xargs', ['xargs', '-a', 'ones', '-n1', '-P64', 'true']],
  ['digits of pi', ['bc', '-l', 'pi']],
])('a kill ends it before it is through: %s', async (_, argv) => {
  const machine = new MemoryMachine(programs, {
    blanks: `${' '.repeat(20_000)}\n`,
    newlines: '\n'.repeat(3_000_000),
    ones: '1\n'.repeat(1_000_000),
    'unplaced.patch': `--- ones\n+++ ones\n@@ -1,30001 +1,30000 @@\n${' 1\n'.repeat(30_000)}-2\n`,
    pi: 'scale=10000\n4*a(1)\n',
  });
  const killer = new AbortController();
  const { signal } = killer;
  setTimeout(() => killer.abort('SIGKILL'), 50);
  // Without looks at the signal these take from 6 s to minutes, and come to their end.
  await expect(machine.run(argv, { signal })).rejects.toBe('SIGKILL');
});

test.each([[['bc', 'program']], [['grep', '-f', 'program', 'other']]])(
  'a kill ends it while it reads its program: %j',
  async (argv) => {
    const machine = new MemoryMachine(programs, { program: '1\n', other: '1\n' });
    const killer = new AbortController();
    const run = machine.run(argv, { signal: killer.signal });
    killer.abort('SIGKILL');
    await expect(run).rejects.toBe('SIGKILL');
  },
);

test.each([
  [['grep', '-E', '^(a+)+$', 'evil']],
  [['grep', '-E', '(a|aa)+b', 'evil']],
  [['sed', '-E', 's/(x+x+)+y/z/', 'evil']],
  [['grep', '(a*)*b', '-E', 'evil']],
])('an expression that would take for ever elsewhere ends: %j', async (argv) => {
  const machine = new MemoryMachine(programs, { evil: `${'a'.repeat(5000)}!\n${'x'.repeat(3000)}\n` });
  await machine.run(argv);
});

test('bytes that are not UTF-8 pass through text programs unchanged', async () => {
  const bytes = Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xc3, 0x0a);
  const machine = new MemoryMachine(programs, { odd: bytes });
  for (const argv of [
    ['cat', 'odd'],
    ['sed', '', 'odd'],
    ['sort', '-s', '-k2', 'odd'],
    ['grep', '-a', '', 'odd'],
    ['cut', '-b1-', 'odd'],
    ['head', 'odd'],
  ]) {
    expect((await machine.run(argv)).bytes, argv.join(' ')).toEqual(bytes);
  }
});

test('the engine reads standard input only where it must', async () => {
  const machine = new MemoryMachine(programs, { 'a.json': '{"a":1}', '/usr/bin/other': '' });
  const { stdout } = await machine.run(['jq', '-c', '.a', 'a.json'], { stdin: encodeText('left alone') });
  expect(stdout).toBe('1\n');
  expect((await machine.run(['jq', '-n', '--arg', 'x', '1', '$x'])).stdout).toBe('"1"\n');
  expect((await machine.run(['awk', '{print $2}'], { stdin: 'a b\n' })).stdout).toBe('b\n');
});
