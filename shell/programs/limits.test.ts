import { expect, test } from 'vitest';
import { startProgramWorker } from '../node/start-program-worker.ts';
import { createPrograms } from './create-programs.ts';
import { MemoryMachine } from './fixtures/memory-call.ts';

const programs = createPrograms({ startWorker: startProgramWorker });
const lines = '\n'.repeat(4_100_000);
const backReference = String.raw`s/^(a*)*\1$/x/`;

test.each([
  ['sort', ['sort', 'half', 'half'], 'lines'],
  ['tac', ['tac', 'lines'], 'lines'],
  ['diff', ['diff', 'lines', 'half'], 'lines'],
  ['shuf', ['shuf', 'lines'], 'lines'],
  ['shuf of a range', ['shuf', '-i', '1-999999999999'], 'lines'],
  ['the spaces of sed', ['sed', ':a;G;h;ba', 'a'], 'valueLength'],
  ['what sed makes of one space', ['sed', `s/./${'x'.repeat(1000)}/g`, 'long'], 'valueLength'],
  ['what sed puts into a file', ['sed', '-i', ':a;p;ba', 'kilobyte'], 'captureBytes'],
  ['an expression with back references', ['sed', '-E', backReference, 'as'], 'pattern'],
  ['a Perl expression', ['grep', '-P', '(a|aa)+$', 'as'], 'pattern'],
  ['a large expression', ['grep', '-E', '(((a{1,255}){1,255}){1,255}|b)*c', 'as'], 'pattern'],
  ['expressions within each other', ['find', '.', ...Array<string>(50_000).fill('!'), '-true'], 'depth'],
])('%s: there is a bound', async (_, argv, limit) => {
  const machine = new MemoryMachine(programs, {
    a: 'a\n',
    as: `${'a'.repeat(60)}!\n`,
    kilobyte: 'x'.repeat(1_000_000),
    long: 'x'.repeat(70_000),
    lines,
    half: lines.slice(lines.length / 2),
  });
  await expect(machine.run(argv)).rejects.toMatchObject({ limit });
});

const nines = '9'.repeat(90_000);
const runtimeError = 'Runtime error (func=(main), adr=3)';

test.each([
  ['a product', ['expr', nines, '*', nines], '', 'expr: a number has more than 100000 digits\n'],
  [
    'a long sum',
    ['expr', ...Array.from({ length: 401 }, (_, index) => (index % 2 ? '+' : nines))],
    '',
    'expr: the expression takes too long\n',
  ],
  ['a square', ['bc'], 'x=10^60000; y=x*x\n', `${runtimeError}: number too long\n`],
  [
    'many numbers',
    ['bc'],
    'b=10^80000\nwhile (1) a[i++]=b\n',
    `${runtimeError}: the variables take too much memory\n`,
  ],
  ['parentheses', ['bc'], `${'('.repeat(100_000)}1\n`, '(standard_in) 1: expression nested too deep\n'],
  ['a set', ['tr', 'a', '[b*65536]'.repeat(20)], '', 'tr: a set is too long\n'],
])('numbers and sets have a bound: %s', async (_, argv, stdin, stderr) => {
  const machine = new MemoryMachine(programs);
  expect((await machine.run(argv, { stdin })).stderr).toBe(stderr);
});

test('more arguments, patterns and lines of a hunk than a call takes are no problem', async () => {
  const many = Array<string>(200_000).fill('x');
  const machine = new MemoryMachine(programs, {
    names: many.join('\n'),
    old: 'x\n',
    'large.patch': `--- old\n+++ old\n@@ -1 +1,200001 @@\n x\n${'+y\n'.repeat(200_000)}`,
  });
  expect((await machine.run(['shuf', '-n0', '-e', '--', ...many])).exitCode).toBe(0);
  expect((await machine.run(['grep', '-cF', '-f', 'names', 'old'])).stdout).toBe('1\n');
  expect((await machine.run(['patch', '-i', 'large.patch'])).stdout).toBe('patching file old\n');
  expect((await machine.run(['wc', '-l', 'old'])).stdout).toBe('200001 old\n');
});

test.each([
  [['sort', '--sort=constructor'], "sort: invalid argument 'constructor' for '--sort'"],
  [['dd', 'conv=constructor'], "dd: invalid conversion: 'constructor'"],
  [['ps', '-o', 'constructor'], ''],
])('a word that is a name of objects is nothing special: %j', async (argv, message) => {
  const machine = new MemoryMachine(programs);
  const { stdout, stderr } = await machine.run(argv);
  expect(stderr.split('\n')[0]).toBe(message);
  expect(stdout).not.toContain('function');
});
