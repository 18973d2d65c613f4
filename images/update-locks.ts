import type { AptRoot } from '../host/debian/apt-root.ts';
import type { ArchivePackage } from '../host/debian/archive-package.ts';
import type { Progress } from '../host/progress.ts';
import { type Architecture, tabArchitecture } from '../protocol/architecture.ts';
import { machineLockPath, resolveMachine } from './machine-packages.ts';
import { type LockFile, readLock, writeLock } from './profiles/lock-file.ts';
import { readProfile } from './profiles/profile.ts';
import { resolveProfile } from './profiles/resolve-profile.ts';

/** Writes the lock files of `profiles`, and of the machine that they run on, anew and tells what changed in each. */
export async function updateLocks(
  profiles: readonly string[],
  options: { openApt: (architecture: Architecture) => Promise<AptRoot>; progress: Progress },
): Promise<void> {
  const { openApt, progress } = options;
  const wanted = await Promise.all(profiles.map(readProfile));
  for (const [architecture, group] of Map.groupBy(wanted, (profile) => profile.architecture)) {
    const apt = await openApt(architecture);
    await apt.update({ force: true });
    if (architecture === tabArchitecture) await update('machine', machineLockPath, await resolveMachine(apt));
    for (const profile of group)
      await update(profile.name, profile.lockPath, await resolveProfile(profile, apt));
  }

  async function update(name: string, path: string, packages: ArchivePackage[]): Promise<void> {
    const before = await readLock(path).catch((): LockFile => ({ packages: [] }));
    const lock = { packages };
    await writeLock(path, lock);
    const changes = describeChanges(before, lock);
    progress.note(`${name}: ${packages.length} packages, ${changes.length} changed`);
    for (const change of changes) progress.note(`  ${change}`);
  }
}

/** One line for each package that is another in `after` than in `before`. */
export function describeChanges(before: LockFile, after: LockFile): string[] {
  const old = new Map(before.packages.map((one) => [one.name, one]));
  const fresh = new Map(after.packages.map((one) => [one.name, one]));
  const added = after.packages
    .filter(({ name }) => !old.has(name))
    .map(({ name, version }) => `+ ${name} ${version}`);
  const removed = before.packages
    .filter(({ name }) => !fresh.has(name))
    .map(({ name, version }) => `- ${name} ${version}`);
  const changed = after.packages.flatMap(({ name, version, sha256 }) => {
    const previous = old.get(name);
    return previous && previous.sha256 !== sha256 ? [`~ ${name} ${previous.version} → ${version}`] : [];
  });
  return [...added, ...changed, ...removed];
}
