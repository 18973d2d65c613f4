import type { ByteString } from '../content/byte-string.ts';
import { fileMode } from '../live/file-mode.ts';

/** Kinds of members, and the `typeflag` each is written with (POSIX.1-2017, pax). */
export const tarTypes = {
  file: '0',
  hardLink: '1',
  symlink: '2',
  characterDevice: '3',
  blockDevice: '4',
  directory: '5',
  fifo: '6',
} as const;

export type TarType = keyof typeof tarTypes;

/** One member of an archive, with its extended headers applied. */
export interface TarEntry {
  readonly type: TarType;
  /** As in the archive: may have `./` before it and, for a directory, `/` after it. */
  readonly path: ByteString;
  /** 07777 */
  readonly permissions: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  /** Of the data that follows; 0 unless it is a file. */
  readonly sizeBytes: number;
  /** Target of a symlink, or the path that a hard link names again. */
  readonly linkPath: ByteString;
  readonly major: number;
  readonly minor: number;
  readonly xattrs: ReadonlyMap<ByteString, Uint8Array>;
}

/** Headers and data come in units of this size. */
export const tarBlockBytes = 512;

/** The kind of member that a file of this `st_mode` becomes; `undefined` for a socket, which has none. */
export function tarTypeOf(mode: number): TarType | undefined {
  switch (mode & fileMode.typeMask) {
    case fileMode.file:
      return 'file';
    case fileMode.directory:
      return 'directory';
    case fileMode.symlink:
      return 'symlink';
    case fileMode.characterDevice:
      return 'characterDevice';
    case fileMode.blockDevice:
      return 'blockDevice';
    case fileMode.fifo:
      return 'fifo';
    default:
      return undefined;
  }
}
