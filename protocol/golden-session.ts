import type { ByteString } from '../tree/live/byte-string.ts';
import { SandboxError } from './errors.ts';

/** A fid of the guest's mount, by the paths it stands for: inode numbers differ from tree to tree. */
interface GoldenFid {
  readonly fid: number;
  readonly path: ByteString;
  readonly uid: number;
  /** Open flags, or -1 while it is not open. */
  readonly flags: number;
}

/**
 * What goes with a machine state that was saved with its root mounted and a login shell at its
 * prompt: the file server's side of the mount, and what the terminal had shown.
 */
export interface GoldenSession {
  readonly version: 1;
  /** The msize that was agreed on. */
  readonly messageBytes: number;
  readonly fids: readonly GoldenFid[];
  /** Terminal output up to the prompt, in Base64. */
  readonly shown: string;
}

const mostFids = 10_000;

/** Reads a session that may come from anywhere. @throws corrupt-object */
export function parseGoldenSession(text: string): GoldenSession {
  const value = parse(text) as Partial<GoldenSession>;
  const { version, messageBytes, fids, shown } = value;
  if (version !== 1 || !isCount(messageBytes) || typeof shown !== 'string') throw corrupt();
  if (!Array.isArray(fids) || fids.length > mostFids || !fids.every(isFid)) throw corrupt();
  return { version, messageBytes, fids, shown };
}

function isFid(value: Partial<GoldenFid> | null): value is GoldenFid {
  if (typeof value !== 'object' || value === null) return false;
  const { fid, path, uid, flags } = value;
  const isPath = typeof path === 'string' && path.startsWith('/') && path.length <= 4_096;
  return isPath && isCount(fid) && isCount(uid) && (flags === -1 || isCount(flags));
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
