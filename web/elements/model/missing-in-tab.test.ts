import { expect, test } from 'vitest';
import { asksGitServer, missingInShell, missingInTab } from './missing-in-tab.ts';
import { initialState, reduceEvent } from './sandbox-state.ts';

test.each([
  ['sudo apt-get install -y jq', 127],
  ['apt update', 127],
  ['curl https://example.org', 6],
  ['git clone https://example.org/hello.git', 128],
  ['pip install requests', 1],
])('B-8 %s, which ended with %i, wants what a tab has not', (command, exitCode) => {
  expect(missingInTab({ command, exitCode })).toMatch(/host/);
  const { trouble } = reduceEvent(initialState, { seq: 1, type: 'command', command, exitCode });
  expect(trouble).toMatchObject({ command });
});

test.each([
  ['curl --version', 0],
  ['git commit -m push-less', 1],
  ['ping localhost', 130],
  ['aptly', 127],
  ['', 127],
])('B-8 nothing is said of %s, which ended with %i', (command, exitCode) => {
  expect(missingInTab({ command, exitCode })).toBeUndefined();
});

test('B-8 a shell lacks the program that it does not find, and runs no binaries; other failures are the command’s own', () => {
  expect(missingInShell({ command: 'CC=tcc gcc -O2 a.c', exitCode: 127 })).toMatch(
    /^gcc is not in this shell/,
  );
  for (const command of [
    '(cc a.c)',
    'cd src && gcc a.c',
    'for f in *; do cc $f; done',
    'echo a | cc -',
    'time cc a.c',
  ])
    expect(missingInShell({ command, exitCode: 127 })).toMatch(
      /^a program of this command is not in this shell/,
    );
  expect(missingInShell({ command: './a.out', exitCode: 126 })).toMatch(
    /^a shell runs scripts, but no compiled programs/,
  );
  expect(missingInShell({ command: 'grep x y', exitCode: 1 })).toBeUndefined();
  expect(asksGitServer({ command: 'git clone https://git.example.org/one', exitCode: 128 })).toBe(true);
  expect(asksGitServer({ command: 'git commit -m "git push"', exitCode: 1 })).toBe(false);
});
