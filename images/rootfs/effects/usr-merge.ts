import type { RootWriter } from '../root-writer.ts';

/**
 * /bin, /sbin and /lib as links into /usr. Made before any package is unpacked, as debootstrap
 * does: packages still ship files under the old names and must find the links there.
 */
export function mergeUsr(root: RootWriter): void {
  for (const name of ['bin', 'sbin', 'lib']) {
    root.directory(`/usr/${name}`);
    root.symlink(`/${name}`, `usr/${name}`);
  }
}
