import type { FileEntry } from '../trees/file-entries.ts';
import { installLimits } from './limits.ts';
import { parseManifest } from './manifest.ts';
import type { InstallRequest } from './npm-arguments.ts';
import { NpmError } from './npm-error.ts';
import type { ProjectFiles } from './project-files.ts';
import { addPackages, projectFile, readOverrides, readProject, writeProject } from './project-manifest.ts';
import type { PackageCache } from './registry/package-cache.ts';
import { PackageCatalog } from './registry/package-catalog.ts';
import { RegistryClient } from './registry/registry-client.ts';
import { readRegistrySettings } from './registry/registry-settings.ts';
import { type ReifyReport, reifyTree, type TargetPlatform } from './reify-tree.ts';
import { prune } from './tree/dependency-flags.ts';
import { type LockedPackages, loadLock, parseLock, writeLock } from './tree/lock-file.ts';
import {
  createRoot,
  isOptional,
  isPeer,
  isWhatEdgeWants,
  type PackageNode,
  resolveEdge,
  walkTree,
} from './tree/package-tree.ts';
import { resolveTree } from './tree/resolve-tree.ts';

export interface InstallParts {
  readonly project: ProjectFiles;
  /** The registry that the host's settings name. */
  readonly registry: string | undefined;
  readonly fetch: typeof fetch;
  readonly cache: PackageCache | undefined;
  readonly platform: TargetPlatform;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

const lockNames = ['npm-shrinkwrap.json', 'package-lock.json'];

/**
 * What `npm install` does, outside of the machine: finds a tree of packages for the project, fetches them, and puts them into
 * `node_modules`, with `package.json` and the lock changed to fit. No script of a package is run.
 * @throws NpmError, SandboxError; nothing has changed then, unless the sandbox failed in the midst
 */
export async function installPackages(request: InstallRequest, parts: InstallParts): Promise<ReifyReport> {
  // What is still asked for when an install fails is given up with it.
  const failed = new AbortController();
  const late = AbortSignal.timeout(installLimits.installMs);
  try {
    return await install(request, { ...parts, signal: AbortSignal.any([parts.signal, late, failed.signal]) });
  } finally {
    failed.abort();
  }
}

async function install(request: InstallRequest, parts: InstallParts): Promise<ReifyReport> {
  const { project, platform, warn, signal } = parts;
  const npmrc = (await project.readText('.npmrc')) ?? '';
  const settings = readRegistrySettings({ argument: request.registry, npmrc, setting: parts.registry });
  const registry = new RegistryClient({ settings, fetch: parts.fetch, cache: parts.cache, signal });
  const catalog = new PackageCatalog({ registry, project });
  const before = await readProject(project);
  const { project: wanted, added } = await addPackages(before, { request, catalog });
  const overrides = readOverrides(wanted.members);
  const root = createRoot(parseManifest(wanted.members), overrides);
  const lock = await readLock(project);
  if (request.isClean && !lock)
    throw new NpmError(
      'EUSAGE',
      'npm ci needs a package-lock.json of lockfileVersion 2 or 3. Run npm install first',
    );
  if (lock) loadLock(root, { packages: lock.packages, overrides });
  if (request.isClean) assertInSync(root, request);
  const { ignoresPeers, isForced, isClean, omit } = request;
  await resolveTree(root, { catalog, overrides, renewed: added, ignoresPeers, isForced, warn, signal });
  prune(root);
  const extra: FileEntry[] = [];
  const write = (path: string, text: string) =>
    extra.push({ path, type: 'file', bytes: new TextEncoder().encode(text) });
  if (request.saves && added.size > 0) write(projectFile, writeProject(wanted));
  if (request.writesLock)
    write(lock?.name ?? 'package-lock.json', writeLock(root, { project: wanted.members }));
  const report = await reifyTree(root, { catalog, project, platform, omit, isClean, extra, signal });
  await parts.cache?.trim();
  return report;
}

async function readLock(
  project: ProjectFiles,
): Promise<{ readonly name: string; readonly packages: LockedPackages } | undefined> {
  for (const name of lockNames) {
    const text = await project.readText(name);
    if (text !== undefined) return { name, packages: parseLock(text, name) };
  }
  return undefined;
}

/** @throws NpmError EUSAGE that names what differs */
function assertInSync(root: PackageNode, { ignoresPeers }: InstallRequest): void {
  const lacking: string[] = [];
  for (const node of walkTree(root)) {
    for (const edge of node.edges.values()) {
      if (isOptional(edge) || (isPeer(edge) && (ignoresPeers || node !== root))) continue;
      const there = resolveEdge(node, edge);
      if (!there) lacking.push(`Missing: ${edge.name}@${edge.text} from lock file`);
      else if (!isWhatEdgeWants(there, edge))
        lacking.push(
          `Invalid: lock file's ${edge.name}@${there.manifest.version} does not satisfy ${edge.name}@${edge.text}`,
        );
    }
  }
  if (lacking.length === 0) return;
  const shown = lacking.slice(0, 20).join('\n');
  throw new NpmError(
    'EUSAGE',
    `package.json and package-lock.json are not in sync. Run npm install first.\n${shown}`,
  );
}
