import { expect, test } from 'vitest';
import { gitFailure, gitStepFailure } from './git-failure.ts';

test.each([
  ["fatal: unable to access 'https://h/': Could not resolve host: h", 'asset-unavailable'],
  [
    'warning: Could not find remote branch x\nfatal: Remote branch x not found in upstream origin',
    'not-found',
  ],
  ["fatal: '/srv/a' does not appear to be a git repository\nfatal: Could not read from remote", 'not-found'],
  ["fatal: repository 'https://h/a/' not found", 'not-found'],
  ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'forbidden'],
  ['git@h: Permission denied (publickey).\nfatal: Could not read from remote', 'forbidden'],
  ["fatal: detected dubious ownership in repository at '/a'", 'forbidden'],
  ['fatal: write error: No space left on device', 'storage-full'],
  ["fatal: transport 'ext' not allowed", 'invalid-argument'],
  ["error: Untracked working tree file '.git/config' would be overwritten by merge.", 'invalid-argument'],
  ['error: cannot run ssh: No such file or directory\nfatal: unable to fork', 'unsupported'],
  ['', 'asset-unavailable'],
])('I-3 what git says has a code: %j', (said, code) => {
  expect(gitFailure('https://h/a', said).code).toBe(code);
});

test('I-3 the remedy is one for git, and not for what its code means elsewhere', () => {
  const remedyOf = (said: string) => gitFailure('https://h/a', said).details.remedy;
  expect(remedyOf("fatal: could not read Username for 'https://h': terminal prompts disabled")).toBe(
    'Upload an archive of a repository that is not public.',
  );
  expect(remedyOf("fatal: unable to access 'https://h/': Could not resolve host: h")).toMatch(
    /reaches that server: one without `"network": "full"` reaches none/,
  );
});

test('I-3 H-9 of what git says one line is told, without what moves a cursor', () => {
  const said = 'remote: \x1b[2Jhello\nReceiving objects: 1%\rfatal: repository \x1b]0;x\x07gone\nmore';
  expect(gitFailure('https://h/a', said).message).toBe(
    'Cannot clone "https://h/a": fatal: repository ]0;x gone',
  );
});

test('I-3 a commit without an author says so to a client that can ask for one', () => {
  const said =
    'Author identity unknown\n\n*** Please tell me who you are.\nfatal: unable to auto-detect email address';
  expect(gitStepFailure('Cannot commit', said)).toMatchObject({
    code: 'invalid-argument',
    details: { needs: 'author' },
  });
});
