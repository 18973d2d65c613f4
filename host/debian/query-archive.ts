import { SandboxError } from '../../protocol/errors.ts';
import type { AptRoot } from './apt-root.ts';
import { type ArchivePackage, parsePackages } from './archive-package.ts';

/** A line of `--print-uris`: 'uri' file-name size hash. The file name is name_version_architecture.deb. */
const uriPattern = /^'[^']+' ([^_ ]+)_([^_ ]+)_([^_ ]+)\.deb \d+/;

/**
 * The packages that installing `names` into an empty system takes, dependencies included and
 * recommendations not, sorted by name.
 * @throws internal with apt's own words when they cannot be had together
 */
export async function resolveClosure(apt: AptRoot, names: readonly string[]): Promise<ArchivePackage[]> {
  const output = await apt.run(['apt-get', 'install', '--yes', '-qq', '--print-uris', ...names]);
  const wanted = output.split('\n').flatMap((line) => {
    const [, name, version] = uriPattern.exec(line) ?? [];
    return name && version ? [`${name}=${decodeURIComponent(version)}`] : [];
  });
  return sortByName(parsePackages(await apt.run(['apt-cache', 'show', ...wanted])));
}

/** The best version of each of `names`, without dependencies. @throws not-found that names what is missing */
export async function findCandidates(apt: AptRoot, names: readonly string[]): Promise<ArchivePackage[]> {
  const shown = await apt.run(['apt-cache', 'show', '--no-all-versions', ...names], {
    acceptedExitCodes: [100],
  });
  const packages = sortByName(parsePackages(shown));
  const missing = names.filter((name) => !packages.some((one) => one.name === name));
  if (missing.length === 0) return packages;
  throw new SandboxError('not-found', `The archive has no package ${missing.join(', ')}`, {
    details: { missing },
  });
}

/** Every version of `names` that the archive has now; a name it does not have is left out. */
export async function findVersions(apt: AptRoot, names: readonly string[]): Promise<ArchivePackage[]> {
  return parsePackages(await apt.run(['apt-cache', 'show', '-q', ...names], { acceptedExitCodes: [100] }));
}

function sortByName(packages: ArchivePackage[]): ArchivePackage[] {
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
