import { NpmError } from '../npm-error.ts';

/** Strongest first, by the names of Subresource Integrity and of WebCrypto. */
const algorithms = [
  ['sha512', 'SHA-512'],
  ['sha384', 'SHA-384'],
  ['sha256', 'SHA-256'],
  ['sha1', 'SHA-1'],
] as const;

/** The hash that a lock has of an archive: `sha512-` and base64. */
export async function integrityOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha512-${await digest('SHA-512', bytes)}`;
}

/**
 * Compares an archive with the hashes that were announced, of which the strongest kind counts
 * (https://www.w3.org/TR/SRI/). @throws NpmError EINTEGRITY, also where no known hash was announced
 */
export async function verifyIntegrity(
  bytes: Uint8Array<ArrayBuffer>,
  { integrity, what }: { readonly integrity: string; readonly what: string },
): Promise<void> {
  const hashes = integrity.split(/\s+/).map((hash) => hash.split('?')[0] ?? '');
  for (const [prefix, algorithm] of algorithms) {
    const wanted = hashes.filter((hash) => hash.startsWith(`${prefix}-`));
    if (wanted.length === 0) continue;
    const found = `${prefix}-${await digest(algorithm, bytes)}`;
    if (wanted.includes(found)) return;
    throw new NpmError(
      'EINTEGRITY',
      `${what} is not what was announced: wanted ${wanted.join(' or ')}, got ${found}`,
    );
  }
  throw new NpmError(
    'EINTEGRITY',
    `Nothing was announced to compare ${what} with: the registry has no hash of it`,
  );
}

/** The `shasum` of old packages, 40 hexadecimal digits, as Subresource Integrity writes it. */
export function integrityOfShasum(shasum: string): string | undefined {
  if (!/^[0-9a-f]{40}$/i.test(shasum)) return undefined;
  const bytes = shasum.match(/../g)?.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))) ?? [];
  return `sha1-${btoa(bytes.join(''))}`;
}

async function digest(algorithm: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
  if (!subtle)
    throw new NpmError(
      'EUNSUPPORTED',
      'Cannot compare hashes: serve the page of the host by https or from localhost',
    );
  const hash = new Uint8Array(await subtle.digest(algorithm, bytes));
  return btoa(String.fromCharCode(...hash));
}
