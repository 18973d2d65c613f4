import { describe, expect, test } from 'vitest';
import { parseGitHost, parseGitTarget } from './git-target.ts';

const refs = '/info/refs?service=git-upload-pack';

test('the four requests of git are known, each for what it is', () => {
  const at = { host: 'git.example', name: 'git.example', port: 443 };
  const service = 'git-upload-pack';
  const home = '/git/git.example/a/b.git';
  expect(parseGitTarget({ method: 'GET', url: `${home}${refs}` })).toEqual({
    ...at,
    service,
    method: 'GET',
    path: `/a/b.git${refs}`,
  });
  const push = '/info/refs?service=git-receive-pack';
  expect(parseGitTarget({ method: 'GET', url: home + push }).service).toBe('git-receive-pack');
  expect(parseGitTarget({ method: 'POST', url: `${home}/git-upload-pack` })).toEqual({
    ...at,
    service,
    method: 'POST',
    path: '/a/b.git/git-upload-pack',
  });
  expect(parseGitTarget({ method: 'POST', url: `${home}/git-receive-pack` }).service).toBe(
    'git-receive-pack',
  );
});

test('hosts are names, with a port unless it is the usual one', () => {
  expect(parseGitHost('Git.Example:8443')).toEqual({
    host: 'git.example:8443',
    name: 'git.example',
    port: 8_443,
  });
  expect(parseGitHost('git.example:443')?.host).toBe('git.example');
});

describe('B2-30 S-6 is refused by the git proxy', () => {
  test.each([
    '',
    'ada@git.example',
    'ada:secret@git.example',
    'git.example:0',
    'git.example:65536',
    'git.example:443:443',
    'git.example:',
    'git.example.',
    '.git.example',
    'git..example',
    '-git.example',
    'git_hub.example',
    'git%2eexample',
    'git.example%00',
    'gïthub.example',
    '127.0.0.1',
    '127.1',
    '0',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '2130706433',
    '1.1.1.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '::1',
    'fe80::1%25eth0',
    'example.0x10',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])('the host %j', (host) => {
    expect(parseGitHost(host)).toBeUndefined();
    expect(() => parseGitTarget({ method: 'GET', url: `/git/${host}/a/b${refs}` })).toThrow();
  });

  test.each([
    '/git/git.example/../b',
    '/git/git.example/a/./b',
    '/git/git.example/a/%2e%2e/b',
    '/git/git.example/a/.%2e/b',
    '/git/git.example/a/%252e%252e/b',
    '/git/git.example/a%2fb',
    '/git/git.example/a%5cb',
    '/git/git.example/a\\b',
    '/git/git.example/a%00b',
    '/git/git.example/a%0d%0aHost:x/b',
    '/git/git.example/a b',
    '/git/git.example/a%zz',
    '/git/git.example/%ff',
    '/git/git.example//b',
    '/git/git.example/a//b',
    '/git/git.example',
    '/git//a/b',
    '/git/https://git.example/a',
    '/git/git.example/a?x=/b',
    '/git/git.example/a#/b',
  ])('the path %j', (path) => {
    expect(() => parseGitTarget({ method: 'GET', url: path + refs })).toThrow();
    expect(() => parseGitTarget({ method: 'POST', url: `${path}/git-upload-pack` })).toThrow();
  });

  test.each([
    ['GET', '/a/b/HEAD'],
    ['GET', '/a/b/objects/info/packs'],
    ['GET', '/a/b/info/refs'],
    ['GET', '/a/b/info/refs?service=git-upload-archive'],
    ['GET', '/a/b/info/refs?service=git-upload-pack&x=1'],
    ['GET', '/a/b/info/refs?service=git-upload-pack#x'],
    ['GET', '/a/b/git-upload-pack'],
    ['HEAD', `/a/b${refs}`],
    ['POST', `/a/b${refs}`],
    ['PUT', '/a/b/git-receive-pack'],
    ['POST', '/a/b/git-upload-pack?x'],
    ['POST', '/a/b/git-upload-archive'],
    ['POST', '/a/b/info/lfs/objects/batch'],
  ])('%s %s, which git does not ask', (method, path) => {
    const parse = () => parseGitTarget({ method, url: `/git/git.example${path}` });
    expect(parse).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});
