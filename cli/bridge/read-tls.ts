import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { SandboxError } from '../../protocol/errors.ts';
import type { TlsFiles } from './bridge-command.ts';

/** What a server proves itself with, as PEM, and whom it proves itself to be. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** The first of the chain in `cert`: the server's own. */
  readonly certificate: X509Certificate;
}

/** Reads both, and tries whether they belong together. @throws invalid-argument, naming the flag that is wrong */
export async function readTls(files: TlsFiles): Promise<TlsIdentity> {
  const [cert, key] = await Promise.all([readText('cert', files.cert), readText('key', files.key)]);
  const certificate = parseCertificate(cert, files);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const why = (cause as Error).message;
    throw refuse(`--tls-key is "${files.key}", which is no key for ${files.cert}: ${why}`, cause);
  }
  return { cert, key, certificate };
}

async function readText(name: 'cert' | 'key', path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw refuse(`--tls-${name} is "${path}", which cannot be read: ${(cause as Error).message}`, cause);
  }
}

function parseCertificate(cert: string, files: TlsFiles): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (cause) {
    throw refuse(
      `--tls-cert is "${files.cert}", which is no certificate as PEM, the server's own first`,
      cause,
    );
  }
}

function refuse(message: string, cause: unknown): SandboxError {
  return new SandboxError('invalid-argument', message, { cause });
}
