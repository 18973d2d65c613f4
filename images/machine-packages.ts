import type { AptRoot } from '../host/debian/apt-root.ts';
import type { ArchivePackage } from '../host/debian/archive-package.ts';
import { findCandidates } from '../host/debian/query-archive.ts';
import { inRepository } from '../host/repository.ts';

/**
 * What the machine around an image is made of, locked like the image: the kernel's source, the C
 * library that init is linked with (musl, with the kernel's headers and gcc's run-time library for
 * i386), and the BIOS. Only these packages, without what they depend on.
 */
const machinePackageNames = [
  'libgcc-12-dev',
  'linux-libc-dev',
  'linux-source-6.1',
  'musl-dev',
  'seabios',
] as const;
export type MachinePackageName = (typeof machinePackageNames)[number];

/** Their lock file. */
export const machineLockPath: string = inRepository('images', 'machine', 'lock.json');

/** What kernel and init are built from: of no use where both come compiled. */
export const builtFrom: Readonly<Record<'kernel' | 'init', readonly MachinePackageName[]>> = {
  kernel: ['linux-source-6.1'],
  init: ['libgcc-12-dev', 'linux-libc-dev', 'musl-dev'],
};

/** The packages that the archive of today has for them. */
export async function resolveMachine(
  apt: AptRoot,
  names: readonly string[] = machinePackageNames,
): Promise<ArchivePackage[]> {
  await apt.update();
  return findCandidates(apt, names);
}

/** One of them by name. */
export function machinePackage(
  packages: readonly ArchivePackage[],
  name: MachinePackageName,
): ArchivePackage {
  const found = packages.find((one) => one.name === name);
  if (!found) throw new RangeError(`The machine's packages lack ${name}`);
  return found;
}
