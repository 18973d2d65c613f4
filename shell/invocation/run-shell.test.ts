// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { expect, test } from 'vitest';
import { createSandbox, run } from '../fixtures/run-script.ts';

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Scripts on standard input, and what bash 5.2 prints for them. */
test.each([
  ['read x\nhello\necho "$x"\n', 'hello\n'],
  ['f() {\n cat <<A\n1\nA\n cat <<-B\n\tx}\n\tB\n}\nf\nread x\nhello\necho "$x"\n', '1\nx}\nhello\n'],
  ['while read y; do\n echo "<$y>"\ndone <<E\na\nb\nE\nread x\nhello\necho "$x"\n', '<a>\n<b>\nhello\n'],
  ['x=$(\n echo a\n echo b)\nread y\nhello\necho $x $y\n', 'a b hello\n'],
  ['echo "a\nb" \\\n c\nread y\nhello\necho $y\n', 'a\nb c\nhello\n'],
  ['if false; then\n :\nelif true; then\n echo elif\nfi; read x\nhello\necho $x\n', 'elif\nhello\n'],
  ['case x in\nx) echo 1\n echo 2;;\nesac; read x\nhello\necho $x\n', '1\n2\nhello\n'],
  ['cat <<A; cat <<B\na\nA\nb\nB\nread x\nhello\necho $x\n', 'a\nb\nhello\n'],
  [
    "shopt -s expand_aliases\nalias say='echo '\n{\nsay a\nsay b\n}; read x\nhello\nsay $x\n",
    'a\nb\nhello\n',
  ],
  ['[[ a == a\n&& b == b ]]; read x\nhello\necho $? $x\n', '0 hello\n'],
])('%j runs each command as soon as it is complete', async (stdin, stdout) => {
  expect(await run(createSandbox(), ['bash'], { stdin })).toMatchObject({ stdout, stderr: '' });
});

test.each([
  [
    'a function',
    `f() {\n${lines(3000, (index) => `echo "line ${index} \${x}"`)}\n}\nf | tail -n 1`,
    'line 2999 \n',
  ],
  [
    'loops within each other',
    `for i in 1; do\n${lines(1500, () => 'if :; then\n:\nfi')}\ndone\necho done`,
    'done\n',
  ],
  ['a case', `case 2999 in\n${lines(3000, (index) => `${index})\necho ${index}\n;;`)}\nesac`, '2999\n'],
  ['a here-document', `cat <<X | wc -l\n${lines(50_000, String)}\nX`, '50000\n'],
  ['a here-document in a function', `f() {\ncat <<X | wc -l\n${lines(50_000, String)}\nX\n}\nf`, '50000\n'],
  ['a quoted text', `x="\n${lines(50_000, String)}"\necho \${#x}`, '288890\n'],
  ['an array', `a=(\n${lines(50_000, String)}\n)\necho \${#a[@]}`, '50000\n'],
])('%s of many lines takes as long as they are', async (_, stdin, stdout) => {
  expect(await run(createSandbox(), ['bash'], { stdin: `${stdin}\n` })).toMatchObject({ stdout });
});
