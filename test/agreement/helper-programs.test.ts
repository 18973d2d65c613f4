import { expect, test } from 'vitest';
import { MemoryMachine } from '../../shell/programs/fixtures/memory-call.ts';
import { helperPrograms, isKnownPython } from './helper-programs.ts';

const machine = new MemoryMachine(helperPrograms);

test.each([
  [['argv.py'], '[]\n'],
  [['argv.py', 'a b', "it's", '"', `'"`, '\\'], `['a b', "it's", '"', '\\'"', '\\\\']\n`],
  [['argv.py', '\t\n\r\x01\x7f', 'μ', '\udcff'], "['\\t\\n\\r\\x01\\x7f', '\\xce\\xbc', '\\xff']\n"],
  [['printenv.py', 'HERE', 'EMPTY', 'NOWHERE'], 'x y\n\nNone\n'],
  [['python2', '-c', 'print("a\\tb\\x41\\n")'], 'a\tbA\n\n'],
  [['python2', '-c', 'import sys; print repr(sys.argv[1])', 'é'], "'\\xc3\\xa9'\n"],
])('%j prints what Python 2 prints', async (argv, stdout) => {
  expect(await machine.run(argv, { environment: { HERE: 'x y', EMPTY: '' } })).toMatchObject({
    stdout,
    exitCode: 0,
  });
});

test('stdout_stderr.py writes to both and exits as told', async () => {
  expect(await machine.run(['stdout_stderr.py', 'out', 'error', '3'])).toMatchObject({
    stdout: 'out\n',
    stderr: 'error\n',
    exitCode: 3,
  });
});

test.each([
  ['print("\\"quoted\\"")', true],
  ["print 'plain'", true],
  ['print("echo " + "X"*9000 + " >out.txt")', false],
  ['import os; print(os.getcwd())', false],
])('python2 -c %j is known: %s', (source, expected) => {
  expect(isKnownPython(source)).toBe(expected);
});
