import { limits } from '../../../protocol/limits.ts';

/** A file's bytes as a viewer can show them. */
export type FileText =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'binary' | 'too-large'; readonly sizeBytes: number };

/** A NUL in this many first bytes makes a file binary, as in git's buffer_is_binary. */
const probeBytes = 8_000;

/** Decodes UTF-8 text; answers that a file is binary, or larger than `limits.textDiffBytes`. */
export function decodeText(bytes: Uint8Array): FileText {
  if (bytes.length > limits.textDiffBytes) return { type: 'too-large', sizeBytes: bytes.length };
  if (bytes.subarray(0, probeBytes).includes(0)) return { type: 'binary', sizeBytes: bytes.length };
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { type: 'text', text: decoder.decode(bytes) };
  } catch {
    return { type: 'binary', sizeBytes: bytes.length };
  }
}
