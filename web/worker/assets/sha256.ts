import { bytesToHex } from '@noble/hashes/utils.js';

/** In hexadecimal, by the browser's own code on another thread. */
export async function sha256(content: BufferSource): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', content)));
}
