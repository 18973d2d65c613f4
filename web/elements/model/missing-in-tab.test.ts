import { expect, test } from 'vitest';
import { asksGitServer, lackOf } from './missing-in-tab.ts';
import { initialState, reduceEvent } from './sandbox-state.ts';

test.each([
  ['sudo apt-get install -y jq', 127, 'other'],
  ['apt update', 127, 'other'],
  ['curl https://example.org', 6, 'same'],
  ['git clone https://example.org/hello.git', 128, 'same'],
  ['pip install requests', 1, 'same'],
])(
  'B-8 %s, which ended with %i, wants what a tab has not, and no machine of it',
  (command, exitCode, onHost) => {
    for (const isShell of [false, true]) {
      const lack = lackOf({ command, exitCode }, isShell);
      expect(lack).toMatchObject({ reason: expect.stringContaining('host'), inMachine: false, onHost });
    }
    const { trouble } = reduceEvent(initialState, { seq: 1, type: 'command', command, exitCode });
    expect(trouble).toMatchObject({ command });
  },
);

test('B-8 of a program that no tab has it is said what there is instead, and only a host that has it is named', () => {
  const lacks = [
    'gcc -o a a.c',
    'vim a.c',
    'man ls',
    'node a.js',
    'ping localhost',
    'wget http://localhost',
  ].map((command) => lackOf({ command, exitCode: 127 }, false));
  expect(lacks.map((lack) => lack?.reason)).toEqual([
    'gcc is not in this machine; it has tcc, a C compiler',
    'vim is not in this machine; it has nano and vi',
    'man is not in this machine; most programs say what they do with --help',
    'node is not in this machine; a site can have an image with Node.js, “node”',
    'ping is not in this machine; it has no network but its own',
    'wget is not in this machine; it has curl, and no network but its own',
  ]);
  expect(lacks.map((lack) => lack?.onHost)).toEqual(['other', 'none', 'none', 'other', 'none', 'none']);
  expect(lacks.some((lack) => lack?.inMachine)).toBe(false);
  expect(lackOf({ command: 'gcc a.c', exitCode: 127 }, true)).toMatchObject({
    reason: 'gcc is not in this shell, nor in a machine of this tab; it has tcc, a C compiler',
    inMachine: false,
  });
});

test('B-8 a suggestion goes with the next command', () => {
  const offer = { command: 'gcc a.c', reasons: ['gcc is not in this machine'] };
  const event = { seq: 2, type: 'command', command: 'tcc a.c', exitCode: 0 } as const;
  expect(reduceEvent({ ...initialState, offer }, event).offer).toBeUndefined();
});

test.each([
  ['curl --version', 0],
  ['git commit -m push-less', 1],
  ['ping localhost', 130],
  ['aptly', 127],
  ['', 127],
])('B-8 nothing is said of %s, which ended with %i', (command, exitCode) => {
  expect(lackOf({ command, exitCode }, false)).toBeUndefined();
});

test('B-8 a shell lacks the program that it does not find, and runs no binaries; other failures are the command’s own', () => {
  const missingInShell = (end: { command: string; exitCode: number }) => lackOf(end, true)?.reason;
  expect(lackOf({ command: 'CC=tcc tcc -O2 a.c', exitCode: 127 }, true)).toEqual({
    reason: 'tcc is not in this shell; a machine may have it',
    inMachine: true,
    onHost: 'same',
  });
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
