import { expect, test } from 'vitest';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { adviseOnGit, whatGitReaches, whereSignInGoes } from './advise-on-git.ts';

const here = { through: undefined, host: undefined, isShell: true };

test.each([
  ['https://git.example.org', here, /^What you enter goes to that server only\.$/],
  ['https://git.example.org', { ...here, through: 'one:7070' }, /through one:7070, which can read it\.$/],
  ['https://git.example.org', { ...here, isShell: false, host: 'one:7070' }, /to the sandbox on one:7070/],
  ['http://git.example.org', here, /without encryption/],
  ['http://localhost.example.org', here, /without encryption/],
  ['http://localhost:8080', here, /^What you enter goes to that server only\.$/],
  ['http://127.0.0.1:8080', here, /^What you enter goes to that server only\.$/],
])('B-7 a sign-in for %s says who gets it', (origin, way, said) => {
  expect(whereSignInGoes(origin, way)).toMatch(said);
});

test('B-7 a server that a page cannot read is reached through a host, if the page knows one', () => {
  const error = {
    code: 'asset-unavailable',
    message: 'Cannot reach it',
    details: { needs: 'proxy', remedy: 'x' },
  } as const;
  const adviceOf = (hosts: readonly string[], isThrough = false) =>
    adviseOnGit(error, { hosts, isThrough }).advice;
  expect(adviceOf([])).toMatch(/add a host whose bridge forwards/);
  expect(adviceOf(['one:7070'])).toMatch(/reach them through one:7070/);
  expect(adviceOf(['one:7070'], true)).toMatch(/--git-host/);
  const other = { ...error, details: { remedy: 'Name a `proxy`.' } };
  expect(adviseOnGit(other, { hosts: [], isThrough: false }).advice).toBe('Name a `proxy`.');
});

test('B-7 a push that the server refuses is not blamed on a token of a bridge', () => {
  const error = { code: 'forbidden', message: 'Cannot push', details: {} } as const;
  expect(adviseOnGit(error, { hosts: [], isThrough: false }).advice).toBe(
    'Ask whoever owns the repository, or use a copy there that is yours.',
  );
});

test('B-7 which servers git reaches is said where that is not all', () => {
  const reach = (info: Partial<SandboxInfo>, isThrough = false) =>
    whatGitReaches(info as SandboxInfo, isThrough);
  expect(reach({ runtime: 'shell' })).toMatch(/servers that let pages read/);
  expect(reach({ runtime: 'shell' }, true)).toMatch(/that the bridge lists/);
  expect(reach({ runtime: 'v86', network: 'isolated' })).toMatch(/has no network/);
  expect(reach({ runtime: 'jail', network: 'full' })).toBe('');
});
