import type { Architecture } from '../../protocol/architecture.ts';

/** Where the C library's linker is and looks, on one architecture of Debian. */
export interface LibraryLayout {
  /** The folder of its libraries (multiarch). */
  readonly folder: string;
  /** The dynamic linker's file there. */
  readonly linker: string;
  /** Folders of the root that are links into /usr (debootstrap's `setup_merged_usr`). */
  readonly merged: readonly string[];
  /** How ldconfig marks a library in its cache: FLAG_ELF_LIBC6 and the architecture's (glibc, sysdeps/generic/ldconfig.h). */
  readonly cacheFlags: number;
}

/** By architecture. */
export const libraryLayouts: Readonly<Record<Architecture, LibraryLayout>> = {
  i386: {
    folder: '/usr/lib/i386-linux-gnu',
    linker: 'ld-linux.so.2',
    merged: ['bin', 'sbin', 'lib'],
    cacheFlags: 0x0003,
  },
  amd64: {
    folder: '/usr/lib/x86_64-linux-gnu',
    linker: 'ld-linux-x86-64.so.2',
    merged: ['bin', 'sbin', 'lib', 'lib64'],
    cacheFlags: 0x0303,
  },
};
