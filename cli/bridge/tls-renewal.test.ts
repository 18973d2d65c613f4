import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSelfSigned, type SelfSigned, whatCertificatesLack } from '../../test/http/self-signed.ts';
import { tlsRenewal } from './tls-renewal.ts';

const lack = whatCertificatesLack;

describe.skipIf(lack)(`a certificate that is renewed${lack ? ` (not here: ${lack})` : ''}`, () => {
  let used: SelfSigned;
  let next: SelfSigned;
  beforeEach(async () => {
    [used, next] = await Promise.all([makeSelfSigned(), makeSelfSigned()]);
  });
  afterEach(async () => {
    await used[Symbol.asyncDispose]();
    await next[Symbol.asyncDispose]();
  });

  test('is read from its files again; a pair that does not fit is told, and changes nothing', async () => {
    const given: string[] = [];
    const told: string[] = [];
    const bridge = { renewTls: ({ cert }: { cert: string }) => void given.push(cert) };
    const renew = tlsRenewal({
      files: used.files,
      bridge: Promise.resolve(bridge),
      tell: (text) => told.push(text),
    });
    // As a program that renews them leaves them for a moment.
    await copyFile(next.files.key, used.files.key);
    await renew();
    expect(given).toEqual([]);
    await copyFile(next.files.cert, used.files.cert);
    await renew();
    expect(given).toEqual([next.cert]);
    expect(told).toEqual([
      expect.stringMatching(/^The certificate stays the old one: --tls-key is .*, which is no key for /),
      expect.stringMatching(/^The certificate was read anew. It is valid until \w+ +\d+ [\d:]+ \d+ GMT$/),
    ]);
  });

  test('before the bridge runs waits for that, and one after the other', async () => {
    const given: string[] = [];
    const bridge = Promise.withResolvers<{ renewTls(identity: { cert: string }): void }>();
    const renew = tlsRenewal({ files: used.files, bridge: bridge.promise, tell: () => undefined });
    const both = [renew(), renew()];
    bridge.resolve({ renewTls: ({ cert }) => void given.push(cert) });
    await Promise.all(both);
    expect(given).toEqual([used.cert, used.cert]);
  });
});

test('SIGHUP of a process without a terminal asks for it, and ends nothing', async () => {
  const script = `
    const { listenHangUp } = await import(${JSON.stringify(import.meta.resolve('./tls-renewal.ts'))});
    listenHangUp({ onReload: () => console.log('reload'), onHangUp: () => console.log('hang up') });
    setInterval(() => {}, 1_000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const said = async () => String((await once(child.stdout, 'data'))[0]);
    expect(await said()).toBe('ready\n');
    for (let times = 0; times < 2; times++) {
      const answer = said();
      child.kill('SIGHUP');
      expect(await answer).toBe('reload\n');
    }
  } finally {
    child.kill('SIGKILL');
  }
});
