import { expect, test } from 'vitest';
import { createSandbox, run, runScript } from '../fixtures/run-script.ts';

/** Scripts, and what bash 5.2 prints for them. */
test.each([
  [
    `printf 'ab\\\\\\ncdéfg' | { read -n 4 x; read -n 2 y; read -N 3 z; echo "$? $x $y $z"; }`,
    '1 abcd éf g\n',
  ],
  [`printf 'a\\\\bcd' | { read -N 3 x; echo "$x"; cat; }`, 'abc\nd'],
  [`printf 'ab\\ncd' | { read -n 5 x; echo "$? $x"; cat; }`, '0 ab\ncd'],
  [`printf 'a\\\\' | { read -n 5 x; echo "$? $x"; }`, '1 a\n'],
  [`printf 'a\\\\;b;c' | { read -d ';' x; echo "$x"; }`, 'a;b\n'],
  [`printf 'a\\\\\\nb\\\\\\\\\\nc' | { read x; echo "$x"; cat; }`, 'ab\\\nc'],
  [`read -t 0 </dev/zero; echo $?; read -t 0 </dev/null; echo $?; sleep 1 | read -t 0; echo $?`, '0\n0\n1\n'],
  [`read -t 0.05 -N 60000000 x </dev/zero; echo $?`, '142\n'],
])('%s', async (script, stdout) => {
  expect((await runScript(script)).stdout).toBe(stdout);
});

test.each([
  'read x </dev/zero',
  'mapfile </dev/zero',
  'read -N 60000000 x < <(yes)',
  'read x < <(yes | tr -d "\\n")',
])('%s keeps no more than a value may have', async (script) => {
  expect(await runScript(script)).toMatchObject({ exitCode: 126, limit: 'valueLength' });
});

test('A shell that reads an endless line ends', async () => {
  expect(await runScript('bash </dev/zero; echo $?')).toMatchObject({ stdout: '126\n' });
});

test('A read that finds no character can be ended', async () => {
  const script = '{ sleep 0.1; kill $$; } & read -N 1 x </dev/zero';
  expect(await run(createSandbox(), ['bash', '-c', script])).toMatchObject({ signal: 'SIGTERM' });
});
