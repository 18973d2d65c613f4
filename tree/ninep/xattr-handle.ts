import type { ByteString } from '../content/byte-string.ts';

/**
 * An extended attribute behind a fid: a value or the list of names as it was at Txattrwalk, or a
 * value under way between Txattrcreate and the clunk that commits it.
 */
export type XattrHandle = XattrReading | XattrWriting;

interface XattrReading {
  readonly type: 'reading';
  readonly bytes: Uint8Array;
}

interface XattrWriting {
  readonly type: 'writing';
  readonly name: ByteString;
  /** XATTR_CREATE, XATTR_REPLACE or 0, as in setxattr(2). */
  readonly flags: number;
  /** As long as the value will be; filled from the start. */
  readonly bytes: Uint8Array;
  writtenBytes: number;
}
