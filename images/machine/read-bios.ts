import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { readPackage } from '../../host/debian/fetch-packages.ts';
import { readDeb } from '../../host/debian/read-deb.ts';
import { machinePackage } from '../machine-packages.ts';

export interface Bios {
  readonly bios: Uint8Array;
  readonly vgaBios: Uint8Array;
}

/** SeaBIOS and its VGA BIOS for v86's Bochs display, from Debian's package. */
export async function readBios(packages: readonly ArchivePackage[], cache: CacheFolder): Promise<Bios> {
  const { entries } = await readDeb(await readPackage(machinePackage(packages, 'seabios'), cache));
  const file = (name: string) => {
    const entry = entries.find(({ path }) => path === `/usr/share/seabios/${name}`);
    if (!entry) throw new RangeError(`The package seabios has no ${name}`);
    return entry.bytes;
  };
  return { bios: file('bios.bin'), vgaBios: file('vgabios-stdvga.bin') };
}
