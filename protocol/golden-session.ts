import type { ByteString } from '../tree/content/byte-string.ts';
import { SandboxError } from './errors.ts';

/** A fid of the guest's mount, with its path, since inode numbers differ between trees. */
interface GoldenFid {
  readonly fid: number;
  readonly path: ByteString;
  /** The number by which the guest knows the file; absent in images of before. */
  readonly ino?: number;
  readonly uid: number;
  /** Open flags, or -1 while it is not open. */
  readonly flags: number;
}

/**
 * Saved together with a machine state whose root is mounted and whose login shell is at its prompt: the file
 * server's state of the mount, and the terminal's output.
 */
export interface GoldenSession {
  readonly version: 1;
  /** The negotiated msize. */
  readonly messageBytes: number;
  readonly fids: readonly GoldenFid[];
  /** Terminal output up to the prompt, in Base64. */
  readonly shown: string;
}

const mostFids = 10_000;

/** Parses an untrusted session. @throws corrupt-object */
export function parseGoldenSession(text: string): GoldenSession {
  const value = parse(text) as Partial<GoldenSession>;
  const { version, messageBytes, fids, shown } = value;
  if (version !== 1 || !isCount(messageBytes) || typeof shown !== 'string') throw corrupt();
  if (!Array.isArray(fids) || fids.length > mostFids || !fids.every(isFid)) throw corrupt();
  return { version, messageBytes, fids, shown };
}

function isFid(value: Partial<GoldenFid> | null): value is GoldenFid {
  if (typeof value !== 'object' || value === null) return false;
  const { fid, path, uid, flags, ino } = value;
  const isPath = typeof path === 'string' && path.startsWith('/') && path.length <= 4_096;
  const isKnown = ino === undefined || isCount(ino);
  return isPath && isKnown && isCount(fid) && isCount(uid) && (flags === -1 || isCount(flags));
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch (cause) {
    throw corrupt(cause);
  }
}

function corrupt(cause?: unknown): SandboxError {
  return new SandboxError('corrupt-object', 'Cannot read the golden session of the image', { cause });
}
