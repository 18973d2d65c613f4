import type { LibraryLayout } from '../library-layout.ts';
import type { RootWriter } from '../root-writer.ts';

/**
 * /bin, /sbin, /lib and the like as links into /usr. Made before any package is unpacked, as debootstrap
 * does: packages still ship files under the old names and must find the links there.
 */
export function mergeUsr(root: RootWriter, { merged }: LibraryLayout): void {
  for (const name of merged) {
    root.directory(`/usr/${name}`);
    root.symlink(`/${name}`, `usr/${name}`);
  }
}
