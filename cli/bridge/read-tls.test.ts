import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSelfSigned, type SelfSigned, whatCertificatesLack } from '../../test/http/self-signed.ts';
import { readTls } from './read-tls.ts';

const lack = whatCertificatesLack;

describe.skipIf(lack)(`the files of --tls-cert and --tls-key${lack ? ` (not here: ${lack})` : ''}`, () => {
  let own: SelfSigned;
  let other: SelfSigned;
  beforeAll(async () => {
    [own, other] = await Promise.all([makeSelfSigned(), makeSelfSigned()]);
  });
  afterAll(async () => {
    await own[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  test('are read, and tell whose they are', async () => {
    const { cert, key, certificate } = await readTls(own.files);
    expect({ cert, key }).toEqual({ cert: own.cert, key: own.key });
    expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
  });

  test('that are wrong are refused by name', async () => {
    const wrong = [
      { ...own.files, key: other.files.key },
      { ...own.files, key: own.files.cert },
      { ...own.files, cert: own.files.key },
      { ...own.files, cert: '/absent/cert.pem' },
      { ...own.files, key: '/absent/key.pem' },
    ];
    const told = await Promise.all(wrong.map((files) => readTls(files).catch((error) => error.message)));
    expect(told).toEqual([
      expect.stringMatching(/^--tls-key is .*, which is no key for .*: .*key values mismatch/),
      expect.stringMatching(/^--tls-key is .*, which is no key for /),
      expect.stringMatching(/^--tls-cert is .*, which is no certificate as PEM/),
      expect.stringMatching(/^--tls-cert is "\/absent\/cert.pem", which cannot be read: ENOENT/),
      expect.stringMatching(/^--tls-key is "\/absent\/key.pem", which cannot be read: ENOENT/),
    ]);
  });
});
