import { expect, test } from 'vitest';
import { concernsBash, parseSpecFile } from './spec-file.ts';

const file = `## compare_shells: dash bash-4.4 mksh
## oils_failures_allowed: 2

# A comment.

#### first case
# left out

echo one

echo two  # kept
  # left out too
echo three
## status: 1
## STDOUT:
one
## END
## OK dash/mksh STDOUT:

#### second case
## stdout-json: ""
cat <<END
## N-I dash status: 2

#### third case
## code: echo -n hi
## stdout: hi
`;

test('a file is its metadata and its cases, whose code is without expected values and comments', () => {
  const { metadata, cases } = parseSpecFile(file);
  expect([...metadata]).toEqual([
    ['compare_shells', 'dash bash-4.4 mksh'],
    ['oils_failures_allowed', '2'],
  ]);
  expect(cases).toEqual([
    { index: 0, line: 6, description: 'first case', code: 'echo one\n\necho two  # kept\necho three\n' },
    { index: 1, line: 20, description: 'second case', code: 'cat <<END\n' },
    { index: 2, line: 25, description: 'third case', code: 'echo -n hi' },
  ]);
});

test.each([
  [
    'a line with an unknown ##',
    '#### a\necho\n## What is this\n',
    'Line 3 begins with ## and is no metadata',
  ],
  ['code after the expected values', '#### a\necho\n## status: 1\necho\n', 'Line 4 is part of no case'],
  ['code before the first case', 'echo\n', 'Line 1 is part of no case'],
  ['an END without a block', '#### a\necho\n## END\n', 'Line 3 is part of no case'],
  ['a case without code', '#### a\n\n#### b\necho\n', 'The case of line 1 has no code'],
])('%s is an error', (_, source, message) => {
  expect(() => parseSpecFile(source)).toThrow(new SyntaxError(message));
});

test.each([
  ['bash', true],
  ['dash bash-4.4 mksh', true],
  ['dash mksh zsh', false],
  ['bash-completion', false],
])('a file that compares %s concerns bash: %s', (shells, expected) => {
  expect(concernsBash(parseSpecFile(`## compare_shells: ${shells}\n#### a\n:\n`))).toBe(expected);
});

test('a file without compare_shells, or of a disabled suite, does not concern bash', () => {
  expect(concernsBash(parseSpecFile('## our_shell: ysh\n#### a\n:\n'))).toBe(false);
  expect(concernsBash(parseSpecFile('## compare_shells: bash\n## suite: disabled\n#### a\n:\n'))).toBe(false);
});
