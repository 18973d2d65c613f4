import type { AptRoot } from '../../host/debian/apt-root.ts';
import type { ArchivePackage } from '../../host/debian/archive-package.ts';
import { resolveClosure } from '../../host/debian/query-archive.ts';
import type { Profile } from './profile.ts';

/** The packages that the archive of today has for a profile, sorted by name. */
export async function resolveProfile(profile: Profile, apt: AptRoot): Promise<ArchivePackage[]> {
  await apt.update();
  const closure = await resolveClosure(apt, profile.packages);
  return closure.filter(({ name }) => profile.without[name] === undefined);
}
