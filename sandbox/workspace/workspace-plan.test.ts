import { expect, test } from 'vitest';
import type { WorkspaceOptions } from '../../protocol/sandbox/backend.ts';
import { planWorkspace } from './workspace-plan.ts';

const full = { network: 'full' } as const;

test('I-3 a workspace is at /workspace, of the branch that the repository chose', () => {
  expect(planWorkspace({ git: 'https://example.org/a/b.git' }, full)).toEqual({
    url: 'https://example.org/a/b.git',
    scheme: 'https',
    protocols: 'https',
    path: '/workspace',
    ref: undefined,
    commit: undefined,
  });
});

test.each([
  ['http://example.org:8080/a', 'http:https'],
  ['ssh://git@example.org/a', 'ssh'],
  ['file:///srv/a', 'file'],
])('I-3 takes %s', (git, protocols) => {
  expect(planWorkspace({ git, ref: 'feature/größe_1.0' }, full)).toMatchObject({ protocols });
});

test.each<[string, Partial<WorkspaceOptions>]>([
  ['a transport that runs a program', { git: 'ext::sh -c touch% /tmp/x' }],
  ['an unknown scheme', { git: 'git://example.org/a' }],
  ['what Object has anyway', { git: 'constructor://example.org/a' }],
  ['an option', { git: '--upload-pack=touch /tmp/x' }],
  ['a host that is an option', { git: 'ssh://-oProxyCommand=x/a' }],
  ['a user that is an option', { git: 'ssh://-oProxyCommand=x@host/a' }],
  ['a name without a scheme', { git: 'git@example.org:a/b' }],
  ['a path', { git: '/srv/a' }],
  ['a file of another host', { git: 'file://host/a' }],
  ['no host', { git: 'https:///a' }],
  ['a password', { git: 'https://user:secret@example.org/a' }],
  ['a token', { git: 'https://secret@example.org/a' }],
  ['a password of ssh', { git: 'ssh://git:secret@example.org/a' }],
  ['a query', { git: 'https://example.org/a?token=secret' }],
  ['a space', { git: 'https://example.org/a b' }],
  ['a line break', { git: 'https://example.org/a\nb' }],
  ['what hides', { git: 'https://example.org/a\u202eb' }],
  ['a URL that is too long', { git: `https://example.org/${'a'.repeat(1_024)}` }],
  ['a ref that is an option', { ref: '--upload-pack=x' }],
  ['a ref of no name', { ref: '' }],
  ['a ref with a space', { ref: 'a b' }],
  ['a short commit', { commit: 'abc123' }],
  ['a commit that is none', { commit: '--detach' }],
  ['both', { ref: 'main', commit: 'a'.repeat(40) }],
  ['a relative path', { path: 'work' }],
  ['a path that climbs', { path: '/home/../etc' }],
  ['the root', { path: '/' }],
  ['a slash at the end', { path: '/workspace/' }],
  ['a path with a NUL', { path: '/a\0b' }],
  ['a name that is too long', { path: `/${'ä'.repeat(121)}` }],
])('I-3 refuses %s', (_what, options) => {
  expect(() => planWorkspace({ git: 'https://example.org/a', ...options }, full)).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  );
});

test.each([{ network: 'isolated' } as const, {}])(
  'I-3 H-10 without a network, a URL that needs one is unsupported',
  (info) => {
    expect(() => planWorkspace({ git: 'https://example.org/a' }, info)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message:
          'Cannot clone "https://example.org/a": the sandbox has no network; create it with network "full" on a host that ' +
          'has one, or upload an archive of the repository',
      }),
    );
    expect(planWorkspace({ git: 'file:///srv/a' }, info).url).toBe('file:///srv/a');
  },
);

test('I-3 how to sign in and submodules go with what is to be cloned', () => {
  const credentials = { origin: 'https://example.org', username: 'ada', password: 'secret' };
  const options = { git: 'https://example.org/a', credentials, submodules: true };
  expect(planWorkspace(options, full)).toMatchObject({ credentials, submodules: true });
});
