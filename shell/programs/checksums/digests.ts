import { blake2b } from '@noble/hashes/blake2.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';

/** A digest that is computed from pieces. */
interface RunningDigest {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface DigestKind {
  /** As `--tag` has it. */
  readonly label: string;
  readonly bytes: number;
  create(): RunningDigest;
}

/** Names of programs. */
export type DigestName =
  | 'md5sum'
  | 'sha1sum'
  | 'sha224sum'
  | 'sha256sum'
  | 'sha384sum'
  | 'sha512sum'
  | 'b2sum';

export const digests: Readonly<Record<DigestName, DigestKind>> = {
  md5sum: { label: 'MD5', bytes: 16, create: () => md5.create() },
  sha1sum: { label: 'SHA1', bytes: 20, create: () => sha1.create() },
  sha224sum: { label: 'SHA224', bytes: 28, create: () => sha224.create() },
  sha256sum: { label: 'SHA256', bytes: 32, create: () => sha256.create() },
  sha384sum: { label: 'SHA384', bytes: 48, create: () => sha384.create() },
  sha512sum: { label: 'SHA512', bytes: 64, create: () => sha512.create() },
  b2sum: { label: 'BLAKE2b', bytes: 64, create: () => blake2b.create({ dkLen: 64 }) },
};

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
