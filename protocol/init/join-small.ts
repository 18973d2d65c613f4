import { joinBytes } from '../../tree/join-bytes.ts';

/** Output that waits is joined up to this. */
const mostBytes = 1_024;

/**
 * Both as one piece, where they are small: output that is printed byte by byte would take a hundred times its size. A piece
 * of no bytes stays by itself: it is the end of a connection (IP-18).
 */
export function joinSmall(before: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  if (before.length === 0 || bytes.length === 0) return undefined;
  const sizeBytes = before.length + bytes.length;
  return sizeBytes > mostBytes ? undefined : joinBytes([before, bytes], sizeBytes);
}
