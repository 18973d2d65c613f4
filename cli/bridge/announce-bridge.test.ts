import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSelfSigned, type SelfSigned, whatCertificatesLack } from '../../test/http/self-signed.ts';
import { type Announcement, announceBridge } from './announce-bridge.ts';
import { reachableUrls } from './reachable-urls.ts';

const addresses = ['127.0.0.1', '::1', '192.0.2.2', 'fd00::2', 'fe80::1', '169.254.3.4'];
const names = ['bridge.example', 'other.example:8443'];
const page = (url: string) => ({ url, fromPages: true });
const program = (url: string) => ({ url, fromPages: false });

describe('where a bridge is reached that listens', () => {
  test.each([
    ['on the loopback', 'http://127.0.0.1:7070', [page('http://127.0.0.1:7070')]],
    // The policy of a page cannot name [::1].
    [
      'on the loopback of IPv6',
      'http://[::1]:7070',
      [page('http://localhost:7070'), program('http://[::1]:7070')],
    ],
    ['at one address', 'http://192.0.2.2:7070', [program('http://192.0.2.2:7070')]],
    [
      'at all of IPv4',
      'http://0.0.0.0:7070',
      [page('http://127.0.0.1:7070'), program('http://192.0.2.2:7070')],
    ],
    [
      'everywhere',
      'http://[::]:7070',
      [page('http://127.0.0.1:7070'), program('http://192.0.2.2:7070'), program('http://[fd00::2]:7070')],
    ],
  ])('%s', (_, url, expected) => expect(reachableUrls(url, { addresses, names })).toEqual(expected));

  test('on a machine of many networks: at some of them', () => {
    const many = Array.from({ length: 99 }, (_, at) => `10.0.0.${at}`);
    expect(reachableUrls('http://0.0.0.0:7070', { addresses: many, names: [] })).toHaveLength(9);
  });
});

const usual: Announcement = {
  urls: [page('http://127.0.0.1:7070')],
  snapshots: 'overlay',
  isolation: { isolation: 'namespace', why: 'the strongest that works here' },
  networkLack: undefined,
  limitsLack: undefined,
  origins: ['https://pages.example'],
  token: { text: 'cpc_a' },
  certificate: undefined,
  traces: undefined,
};

describe('what a bridge says when it has started', () => {
  test('is where it is, a token, and a link for each page', () => {
    expect(announceBridge(usual)).toBe(
      [
        '',
        '  The bridge is ready at http://127.0.0.1:7070, with overlay snapshots',
        '  Token: cpc_a',
        '  From a page: https://pages.example/#bridge=http%3A%2F%2F127.0.0.1%3A7070&token=cpc_a',
        '',
      ].join('\n'),
    );
    const token = { file: '/srv/token', isNew: true };
    expect(announceBridge({ ...usual, token })).toMatch(/snapshots\n {2}Token: made, in \/srv\/token\n$/);
  });

  test('H-10 is also why sandboxes have no network, where they could have one', () => {
    const networkLack = 'rules of nf_tables: Protocol not supported';
    expect(announceBridge({ ...usual, networkLack })).toContain(
      '\n  Sandboxes have no network: rules of nf_tables: Protocol not supported.\n',
    );
  });

  test('O-9 is also which limits nothing holds sandboxes to', () => {
    const limitsLack = 'no control group that this process may use';
    expect(announceBridge({ ...usual, limitsLack })).toContain(
      '\n  Nothing holds sandboxes to memoryMiB, pids and cpuShares: no control group that this process may use.\n',
    );
  });

  test('C-3 says where traces go', () => {
    const traces = 'http://collector.example:4318/v1/traces';
    expect(announceBridge({ ...usual, traces })).toContain(`\n  Traces go to ${traces}\n`);
  });

  test('S-5 says what sandboxes lack where the usual walls are missing', () => {
    const isolation = {
      isolation: 'landlock',
      why: 'no namespace: not permitted; the strongest that works here',
    } as const;
    expect(announceBridge({ ...usual, isolation })).toMatch(
      /\n {2}Sandboxes are isolated by landlock, not by namespaces: no namespace: not permitted; .*\n {2}What they lack: .*no \/proc.*\n/,
    );
  });

  test('has links only to where a page may connect, and says why there are no others', () => {
    const urls = [page('http://127.0.0.1:7070'), program('http://192.0.2.2:7070')];
    const told = announceBridge({ ...usual, urls });
    expect(told.match(/From a page: .*/g)).toHaveLength(1);
    expect(told).toContain('Also at http://192.0.2.2:7070\n');
    expect(told).toContain('Pages do not connect to http://192.0.2.2:7070: their policy allows TLS only');
    expect(told).toContain('Give --tls-cert and --tls-key');
    const loopback = [page('http://localhost:7070'), program('http://[::1]:7070')];
    expect(announceBridge({ ...usual, urls: loopback })).not.toContain('Pages do not connect');
  });
});

const lack = whatCertificatesLack;

describe.skipIf(lack)(`with a certificate for localhost${lack ? ` (not here: ${lack})` : ''}`, () => {
  let own: SelfSigned;
  let certificate: X509Certificate;
  beforeAll(async () => {
    own = await makeSelfSigned();
    certificate = new X509Certificate(own.cert);
  });
  afterAll(() => own[Symbol.asyncDispose]());

  test('a bridge is where the certificate is for', () => {
    const at = (url: string, names: string[]) => reachableUrls(url, { addresses, names, certificate });
    expect(at('https://[::]:7070', names)).toEqual([
      page('https://127.0.0.1:7070'),
      page('https://localhost:7070'),
    ]);
    expect(at('https://[::1]:443', [])).toEqual([page('https://localhost')]);
    expect(at('https://0.0.0.0:7070', ['localhost:8443'])[0]).toEqual(page('https://localhost:8443'));
  });

  test('one that it is for nowhere is told with whom it is for', () => {
    const urls = reachableUrls('https://192.0.2.2:7070', { addresses, names, certificate });
    expect(urls.map(({ url }) => url)).toEqual([
      'https://bridge.example:7070',
      'https://other.example:8443',
      'https://192.0.2.2:7070',
    ]);
    const told = announceBridge({ ...usual, urls, certificate });
    expect(told).toContain('it is for DNS:localhost, IP Address:127.0.0.1. Give its name with --allow-host.');
    expect(announceBridge({ ...usual, certificate })).not.toContain('refuse');
  });
});
