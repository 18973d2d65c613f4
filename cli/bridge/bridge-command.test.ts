import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BridgeFlags, parseBridgeCommand } from './bridge-command.ts';
import { checkBridgeFlags } from './check-bridge-flags.ts';

const usual: BridgeFlags = {
  folder: '/srv/coppice',
  host: '127.0.0.1',
  port: 7070,
  tlsFiles: undefined,
  snapshots: undefined,
  isolation: 'auto',
  allowNested: false,
  reattachMs: 60_000,
  oneId: false,
  allowedOrigins: [],
  allowedHosts: [],
  connectionsOfAddress: 256,
  gitHosts: [],
  network: { allow: [] },
  maxima: {},
  images: [],
  tokenFile: undefined,
  makesToken: true,
};

const parse = (line: string, environment: Record<string, string> = {}) =>
  parseBridgeCommand(line === '' ? [] : line.split(' '), { COPPICE_ROOT: '/srv/coppice', ...environment });

describe('npm run bridge', () => {
  test.each<[string, Partial<BridgeFlags>]>([
    ['', {}],
    ['--host :: --port 0 --root /x', { host: '::', port: 0, folder: '/x' }],
    ['--tls-cert /c --tls-key /k', { tlsFiles: { cert: '/c', key: '/k' } }],
    ['--host=localhost --snapshots copy', { host: 'localhost', snapshots: 'copy' }],
    [
      '--allow-origin http://localhost:8086 --allow-origin https://a.example',
      { allowedOrigins: ['http://localhost:8086', 'https://a.example'] },
    ],
    ['--allow-origin chrome-extension://abcdef', { allowedOrigins: ['chrome-extension://abcdef'] }],
    ['--reattach-seconds 0', { reattachMs: 0 }],
    ['--reattach-seconds=300', { reattachMs: 300_000 }],
    ['--allow-host a.example:8443 --allow-host [::1]', { allowedHosts: ['a.example:8443', '[::1]'] }],
    ['--connections-per-address 1024', { connectionsOfAddress: 1024 }],
    ['--git-host a.example --git-host b.example:8443', { gitHosts: ['a.example', 'b.example:8443'] }],
    ['--network off', { network: 'off' }],
    [
      '--network-allow 10.1.2.0/24 --network-allow 10.9.9.9',
      { network: { allow: ['10.1.2.0/24', '10.9.9.9'] } },
    ],
    ['--max pids=99 --max memoryMiB=4096', { maxima: { pids: 99, memoryMiB: 4096 } }],
    ['--image git --token-file /t --no-token', { images: ['git'], tokenFile: '/t', makesToken: false }],
    ['--isolation landlock', { isolation: 'landlock' }],
    ['--allow-nested --one-id', { allowNested: true, oneId: true }],
  ])('%j', (line, flags) => expect(parse(line)).toEqual({ ...usual, ...flags }));

  test('reads from the environment what is not on the line, and is told to help', () => {
    const environment = { COPPICE_GIT_HOSTS: 'a.example, b.example,' };
    expect(parse('', environment)?.gitHosts).toEqual(['a.example', 'b.example']);
    expect(parse('--git-host c.example', environment)?.gitHosts).toEqual(['c.example']);
    expect(parse('', { COPPICE_ISOLATION: 'landlock' })?.isolation).toBe('landlock');
    expect(parse('', { COPPICE_BACKEND: 'copy', COPPICE_SNAPSHOTS: 'overlay' })?.snapshots).toBe('copy');
    expect(parse('', { COPPICE_SNAPSHOTS: 'overlay' })?.snapshots).toBe('overlay');
    expect(parse('--snapshots btrfs', { COPPICE_BACKEND: 'copy' })?.snapshots).toBe('btrfs');
    expect(parse('--isolation namespace', { COPPICE_ISOLATION: 'landlock' })?.isolation).toBe('namespace');
    expect(parse('', { COPPICE_NETWORK: 'off', COPPICE_NETWORK_ALLOW: '10.0.0.0/8' })?.network).toBe('off');
    const allow = { COPPICE_NETWORK_ALLOW: '10.0.0.0/8, 10.1.1.1,' };
    expect(parse('', allow)?.network).toEqual({ allow: ['10.0.0.0/8', '10.1.1.1'] });
    expect(parse('--network-allow 10.2.2.2', allow)?.network).toEqual({ allow: ['10.2.2.2'] });
    expect(parse('--port x --help')).toBeUndefined();
  });

  test.each([
    ['--prot 1', /'--prot'; --help says/],
    [
      '--isolation none',
      /--isolation is "none", which is none of auto, namespace, landlock: without walls only coppice run/,
    ],
    ['surplus', /'surplus'; --help says/],
    ['--port', /'--port <value>' argument missing; --help says/],
    ['--port 65536', /--port is "65536", .*0 to 65535/],
    ['--port 0x10', /--port is "0x10"/],
    ['--host http://0.0.0.0', /--host is .* as 127.0.0.1/],
    ['--tls-cert /c', /--tls-cert needs --tls-key beside it/],
    ['--tls-key /k', /--tls-key needs --tls-cert/],
    ['--snapshots zfs', /--snapshots is "zfs", .*btrfs, overlay, copy/],
    ['--allow-origin https://a.example/', /; give https:\/\/a.example$/],
    ['--allow-origin https://a.example:443', /; give https:\/\/a.example$/],
    ['--allow-origin a.example', /as https:\/\/example.org$/],
    ['--allow-origin null', /no origin of a page/],
    ['--allow-host https://a.example:8443/x', /; give a.example:8443$/],
    ['--allow-host *', /as bridge.example.org$/],
    ['--git-host https://git.example.org/team', /; give git.example.org$/],
    ['--git-host 10.0.0.1', /as git.example.org$/],
    ['--network none', /--network is "none", which is none of public, off$/],
    ['--network-allow intranet', /--network-allow: "intranet" is no range of addresses, as 10.1.2.0\/24/],
    ['--network off --network-allow 10.0.0.1', /opens nothing where --network is off/],
    ['--max memory=1', /--max is "memory=1", which is not as memoryMiB=4096/],
    ['--max memoryMiB=4G', /--max is "memoryMiB=4G"/],
    ['--max pids=3', /--max: The most pids of a sandbox cannot be 3: .* 16 to /],
    ['--connections-per-address 0', /--connections-per-address is "0", which is no number from 8 to 1024/],
    ['--reattach-seconds soon', /no number of seconds from 0 to 86400/],
  ])('O-9 %s is refused with what to give instead', (line, message) => {
    const refusal = { code: 'invalid-argument', message: expect.stringMatching(message) };
    expect(() => parse(line)).toThrow(expect.objectContaining(refusal));
  });

  test('a variable that is wrong is named', () => {
    expect(() => parse('', { COPPICE_GIT_HOSTS: '10.0.0.1' })).toThrow('COPPICE_GIT_HOSTS is "10.0.0.1"');
    expect(() => parse('', { COPPICE_BACKEND: 'zfs' })).toThrow('COPPICE_BACKEND is "zfs"');
    expect(() => parse('', { COPPICE_SNAPSHOTS: 'zfs' })).toThrow('COPPICE_SNAPSHOTS is "zfs"');
  });

  test('says what is wrong before it makes anything, with status 2', () => {
    const script = join(import.meta.dirname, '../../scripts/bridge.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--one-id', '--image', 'none'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^--image is "none": There is no image "none"; there are .*debian.*\n$/),
    });
  });
});

describe('what this machine has to have', () => {
  const command = 'npm run bridge --';
  const here = { ...usual, folder: import.meta.dirname, port: 0 };

  test('is there', async () => {
    await checkBridgeFlags({ ...here, folder: join(import.meta.dirname, 'a/b') }, { command });
  });

  test('or is taken: a port, of which another is offered', async () => {
    await using server = createServer().listen(0, here.host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(checkBridgeFlags({ ...here, port }, { command })).rejects.toMatchObject({
      code: 'busy',
      message: `Port ${port} is in use; try: npm run bridge -- --port ${port + 1}`,
    });
  });

  test.each<[string, Partial<BridgeFlags>, string]>([
    ['an image', { images: ['none'] }, '--image is "none"'],
    ['a folder', { folder: join(import.meta.filename, 'below') }, '--root is '],
    ['a folder for the token', { tokenFile: '/absent/token' }, 'no folder /absent that'],
    // Of a block that nobody has (RFC 1112).
    ['an address', { host: '240.0.0.1' }, 'no address of this machine; give one, or 0.0.0.0'],
  ])('is told when it is not: %s', async (_, flags, message) => {
    await expect(checkBridgeFlags({ ...here, ...flags }, { command })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(message),
    });
  });
});
