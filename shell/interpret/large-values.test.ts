// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { expect, test } from 'vitest';
import { runScript } from '../fixtures/run-script.ts';

test('A list of very many words is a command, a loop, a call and an array', async () => {
  const script = `mapfile -t a < <(seq 150000)
f() { echo $#; }
f "\${a[@]}"
set -- "\${a[@]}"; f "$@"
for x in "\${a[@]}"; do :; done; echo $x
declare b=1 "\${a[@]/#/v}"; echo $? $v150000
b=("\${a[@]}"); echo \${#b[@]}`;
  expect((await runScript(script)).stdout).toBe('150000\n150000\n150000\n0\n150000\n');
});

test('The longest value is changed in reasonable time, and does not become longer', async () => {
  const script = `x=' '; for i in {1..24}; do x=$x$x; done
y=\${x// /b}; echo \${#y}; y=\${x%' '*}; echo \${#y}
y=\${x// /bb}; echo no`;
  expect(await runScript(script)).toMatchObject({
    stdout: '16777216\n16777215\n',
    limit: 'valueLength',
  });
});

test('A pattern that would be looked for in all of a text from each of its places ends at the limit', async () => {
  const script = `x=a; for i in {1..22}; do x=$x$x; done; y=\${x:0:2000000}b; echo "\${x#*$y}"`;
  expect(await runScript(script)).toMatchObject({ limit: 'patternWork' });
});

test('A regular expression that goes many ways in a long text ends at the limit', async () => {
  const script = `x=a; for i in {1..20}; do x=$x$x; done; [[ $x =~ a*b ]]; echo $?
[[ $x =~ (a|aa)+(a{1,200})b ]]; echo no`;
  expect(await runScript(script)).toMatchObject({ stdout: '1\n', limit: 'patternWork' });
});

test('A loop that starts one coprocess after another does not use up the descriptors', async () => {
  const result = await runScript('for ((i = 0; i < 600; i++)); do coproc read x; done; echo ${COPROC[0]}');
  expect(result.stdout).toBe('63\n');
});
