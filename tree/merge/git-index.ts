import { type ByteString, readByteString } from '../content/byte-string.ts';

/** `gitformat-index`: header, then entries of which the first 62 bytes have one form where ids are SHA-1. */
const format = {
  signature: 0x44495243,
  headerBytes: 12,
  modeAt: 24,
  idAt: 40,
  idBytes: 20,
  fixedBytes: 62,
  extendedFlag: 0x4000,
  checksumBytes: 20,
} as const;

/** Whether a path is that of the index of a repository. */
export function isGitIndex(path: ByteString): boolean {
  return path.endsWith('/.git/index');
}

/** Whether a path is that of an object of a repository, which is named by its content, or of a directory for such. */
export function isGitObject(path: ByteString): boolean {
  return /\/\.git\/objects(?:\/|$)/.test(path);
}

/**
 * Whether two indexes have the same entries. `git status` writes it anew with the times and numbers that files have now: that is a cache of the working tree, and
 * no change of anybody's work. False where one of them cannot be read.
 */
export function isSameGitIndex(one: Uint8Array, other: Uint8Array): boolean {
  const [entries, others] = [entriesOf(one), entriesOf(other)];
  if (!entries || !others || entries.length !== others.length) return false;
  return entries.every((entry, at) => entry === others[at]);
}

/** What git decides by: mode, id, flags and path of each. */
function entriesOf(bytes: Uint8Array): ByteString[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { signature, headerBytes, checksumBytes } = format;
  const end = bytes.length - checksumBytes;
  if (end < headerBytes || view.getUint32(0) !== signature) return undefined;
  const [version, count] = [view.getUint32(4), view.getUint32(8)];
  if (version < 2 || version > 4) return undefined;
  const entries: ByteString[] = [];
  let path = '';
  for (let at: number = headerBytes; entries.length < count; ) {
    const flagsAt = at + format.idAt + format.idBytes;
    if (at + format.fixedBytes > end) return undefined;
    const isExtended = version > 2 && (view.getUint16(flagsAt) & format.extendedFlag) !== 0;
    let nameAt = at + format.fixedBytes + (isExtended ? 2 : 0);
    if (version === 4) {
      const stripped = varint(bytes, nameAt);
      if (stripped.value > path.length) return undefined;
      path = path.slice(0, path.length - stripped.value);
      nameAt = stripped.end;
    } else path = '';
    const nul = bytes.indexOf(0, nameAt);
    if (nul < 0 || nul > end) return undefined;
    path += readByteString(bytes, nameAt, nul - nameAt);
    // Up to the name: mode, then id and flags.
    const kept = [
      readByteString(bytes, at + format.modeAt, 4),
      readByteString(
        bytes,
        at + format.idAt,
        at + format.fixedBytes + (isExtended ? 2 : 0) - (at + format.idAt),
      ),
    ];
    entries.push(`${kept.join('')}${path}`);
    at = version === 4 ? nul + 1 : at + ((nul - at + 8) & ~7);
  }
  return entries;
}

/** An offset of git's: seven bits in each byte, the most significant first, each further one counted up. */
function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80 && value < 0x1_0000) {
    byte = bytes[at++] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: at };
}
