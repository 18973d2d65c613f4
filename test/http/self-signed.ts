import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no certificate can be made here; `undefined` where one can. */
export const whatCertificatesLack: string | undefined =
  spawnSync('openssl', ['version']).status === 0 ? undefined : 'no openssl';

/** A certificate for `localhost` and `127.0.0.1` that signs itself, with its key; its files go when it is disposed. */
export interface SelfSigned extends AsyncDisposable {
  readonly files: { readonly cert: string; readonly key: string };
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** Makes one with openssl. @throws Error with what openssl said */
export async function makeSelfSigned(): Promise<SelfSigned> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-tls-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-days', '1', '-subj', '/CN=localhost'],
      ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', files.key, '-out', files.cert],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl makes no certificate: ${stderr}`);
  return {
    files,
    cert: await readFile(files.cert, 'utf8'),
    key: await readFile(files.key, 'utf8'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
