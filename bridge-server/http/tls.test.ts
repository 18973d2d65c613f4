import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { limits } from '../../protocol/limits.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeSelfSigned, type SelfSigned, whatCertificatesLack } from '../../test/http/self-signed.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';
import { serveSockets } from '../main/serve-sockets.ts';

const lack = whatCertificatesLack;
const usualAuthorities = getCACertificates('default');

describe.skipIf(lack)(`S-6 a bridge with TLS${lack ? ` (not here: ${lack})` : ''}`, () => {
  let tls: SelfSigned;
  let sessions: WireSessions;
  let there: TestBridge;
  beforeAll(async () => {
    tls = await makeSelfSigned();
  });
  afterAll(() => tls[Symbol.asyncDispose]());
  beforeEach(async () => {
    setDefaultCACertificates([...usualAuthorities, tls.cert]);
    sessions = new WireSessions();
    const { cert, key } = tls;
    there = await openTestBridge({ tls: { cert, key }, onSocket: serveSockets(sessions) });
  });
  afterEach(async () => {
    setDefaultCACertificates(usualAuthorities);
    await sessions[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
  });

  test('answers requests, and the SDK over a WebSocket', async () => {
    const { url } = there.bridge;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect((await there.request('/v1/sandboxes')).status).toBe(200);
    await using backend = await connect({ url, token: testTokens.all });
    const sandbox = await Sandbox.open('box-1', { backend });
    expect(await sandbox.files.read('/etc/hostname')).toBe('toy\n');
    expect((await backend.tokens.list()).map(({ name }) => name)).toContain('all');
  });

  test('lets its own pages in as https, and not as http', async () => {
    const { host } = new URL(there.bridge.url);
    const statusOf = async (origin: string) =>
      (await there.request('/health', { headers: { origin } })).status;
    expect([await statusOf(`https://${host}`), await statusOf(`http://${host}`)]).toEqual([200, 403]);
  });

  test('is nobody to a client that does not know its certificate, and hears no plain HTTP', async () => {
    setDefaultCACertificates(usualAuthorities);
    await expect(fetch(`${there.bridge.url}/health`)).rejects.toMatchObject({
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    const token = testTokens.all;
    await expect(connect({ url: there.bridge.url, token })).rejects.toMatchObject({
      code: 'connection-lost',
    });
    const plain = plainRequest(there.bridge.url.replace('https', 'http'));
    plain.end();
    const [error] = await once(plain, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  test('proves itself with a renewed certificate to whoever connects from then on, and keeps its connections', async () => {
    await using renewed = await makeSelfSigned();
    await using backend = await connect({ url: there.bridge.url, token: testTokens.all });
    const shown = () => shownCertificate(there.bridge.url);
    expect(await shown()).toBe(fingerprint(tls));
    there.bridge.renewTls(renewed);
    expect(await shown()).toBe(fingerprint(renewed));
    expect(await backend.list()).toHaveLength(2);
    // One that does not fit changes nothing.
    const mixed = { cert: tls.cert, key: renewed.key };
    expect(() => there.bridge.renewTls(mixed)).toThrow(
      /^Cannot renew the certificate: .*key values mismatch/,
    );
    expect(await shown()).toBe(fingerprint(renewed));
  });

  test('closes the oldest of too many that do not shake hands, and none with a token', async () => {
    const { cert, key } = tls;
    await using own = await openTestBridge({ tls: { cert, key }, connectionsOfAddress: 4 });
    const { host, port } = new URL(own.bridge.url);
    const protocols = ['coppice.v1', `coppice.token.${testTokens.one}`];
    const client = new WebSocket(`wss://${host}/v1/connect`, protocols);
    await once(client, 'open');
    const silent: Socket[] = [];
    for (let count = 0; count < 6; count++) {
      const socket = connectPlain(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      silent.push(socket.resume());
    }
    await Promise.all(silent.slice(0, 2).map((socket) => socket.destroyed || once(socket, 'close')));
    expect([silent.map(({ destroyed }) => destroyed), client.readyState]).toEqual([
      [true, true, false, false, false, false],
      WebSocket.OPEN,
    ]);
    for (const socket of silent) socket.destroy();
    client.terminate();
  });

  test('stops at once, with a socket open and connections idle', async () => {
    const protocols = ['coppice.v1', `coppice.token.${testTokens.all}`];
    const url = `${there.bridge.url.replace('https', 'wss')}/v1/connect`;
    const socket = new WebSocket(url, protocols, { ca: tls.cert });
    await once(socket, 'open');
    await (await there.request('/health')).text();
    const closed = once(socket, 'close');
    const startedMs = performance.now();
    await there.bridge[Symbol.asyncDispose]();
    expect(performance.now() - startedMs).toBeLessThan(limits.stopTimeoutMs);
    expect((await closed)[0]).toBe(1001);
  });
});

/** The fingerprint of what a new connection is shown. */
async function shownCertificate(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

function fingerprint({ cert }: SelfSigned): string {
  return new X509Certificate(cert).fingerprint256;
}
