import { asRecord } from '../is-record.ts';
import type { FileEntry } from '../trees/file-entries.ts';
import { installLimits } from './limits.ts';
import type { Manifest } from './manifest.ts';
import { NpmError } from './npm-error.ts';
import type { ProjectFiles } from './project-files.ts';
import type { PackageCatalog } from './registry/package-catalog.ts';
import { replaceModules, replacePackages } from './replace-modules.ts';
import { dependencyFlags, reachable } from './tree/dependency-flags.ts';
import { type LockedPackages, parseLock, writeLock } from './tree/lock-file.ts';
import { isOptional, type PackageNode, resolveEdge } from './tree/package-tree.ts';

/** The processor of the machine in a tab, as Node calls it, and what it runs. */
export interface TargetPlatform {
  readonly os: string;
  readonly cpu: string;
  readonly libc: string;
}

export interface ReifyOptions {
  readonly catalog: PackageCatalog;
  readonly project: ProjectFiles;
  readonly platform: TargetPlatform;
  /** Kinds of packages that are left out. */
  readonly omit: ReadonlySet<string>;
  /** All that is there is replaced. */
  readonly isClean: boolean;
  /** Files of the project that change with it. */
  readonly extra: readonly FileEntry[];
  readonly signal: AbortSignal;
}

export interface ReifyReport {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Packages whose install scripts were not run, as `name@version`. */
  readonly unrun: readonly string[];
  /** Packages that bring a program for each of some machines, and none for this one, as `name@version`. */
  readonly lacking: readonly string[];
}

const modules = 'node_modules';
const hiddenLock = `${modules}/.package-lock.json`;

/**
 * Makes `node_modules` what a tree says. All is fetched, compared and unpacked beside it first; then names change.
 * @throws NpmError EBADPLATFORM, EBADARCHIVE, EINTEGRITY, ELIMIT; SandboxError
 */
export async function reifyTree(root: PackageNode, options: ReifyOptions): Promise<ReifyReport> {
  const { catalog, project, isClean, extra, signal } = options;
  const wanted = wantedNodes(root, options);
  const installed = isClean ? undefined : await readInstalled(project);
  const fresh = [...wanted].filter((node) => node !== root && !isInstalled(node, installed ?? {}));
  const locations = new Set([...wanted].map(({ location }) => location));
  const before = Object.keys(installed ?? {});
  const gone = before.filter((location) => isPackage(location) && !locations.has(location));
  const packages = fresh.filter(({ source }) => source.type !== 'folder');
  const rest: FileEntry[] = [...linkEntries(wanted)];
  const lock = new TextEncoder().encode(writeLock(root, { project: undefined, nodes: wanted }));
  if (wanted.size > 1) rest.push({ path: hiddenLock, type: 'file', bytes: lock });
  const entries = await fetchEntries(fresh, catalog);
  signal.throwIfAborted();
  if (installed === undefined)
    await replaceModules(project, { entries: [...entries, ...rest], extra, signal });
  else if (fresh.length > 0 || gone.length > 0 || extra.length > 0)
    await replacePackages(project, { entries, fresh, gone, rest: [...rest, ...extra], signal });
  const changed = fresh.filter(({ location }) => before.includes(location)).length;
  return {
    added: fresh.length - changed,
    ...{ removed: gone.length, changed },
    unrun: packages.filter(({ manifest }) => manifest.hasInstallScript).map(idOf),
    lacking: packages.filter((node) => lacksProgram(node, options.platform)).map(idOf),
  };
}

function idOf({ manifest }: PackageNode): string {
  return `${manifest.name}@${manifest.version}`;
}

/** A package with one program is optional for all; one with a program for each processor needs the one that fits. */
function lacksProgram(node: PackageNode, platform: TargetPlatform): boolean {
  const optional = [...node.edges.values()]
    .filter(isOptional)
    .map((edge) => resolveEdge(node, edge)?.manifest);
  const programs = optional.filter((manifest) => manifest !== undefined && manifest.cpu.length > 0);
  return programs.length > 1 && !programs.some((manifest) => manifest && fits(manifest, platform));
}

/** Without what is omitted, and optional packages for other machines with all that only they need. */
function wantedNodes(root: PackageNode, { omit, platform }: ReifyOptions): ReadonlySet<PackageNode> {
  const flags = dependencyFlags(root);
  const isLeftOut = (node: PackageNode): boolean => {
    const { dev, optional, devOptional, peer } = flags.get(node) ?? {};
    if ((dev && omit.has('dev')) || (optional && omit.has('optional')) || (peer && omit.has('peer')))
      return true;
    if (devOptional && omit.has('dev') && omit.has('optional')) return true;
    if (fits(node.manifest, platform)) return false;
    if (optional || devOptional) return true;
    const { name, version, os, cpu } = node.manifest;
    throw new NpmError(
      'EBADPLATFORM',
      `${name}@${version} is for ${[...os, ...cpu].join(', ')}, and this machine is ${platform.os} ${platform.cpu}`,
    );
  };
  return reachable(root, (_edge, to) => !isLeftOut(to));
}

function fits({ os, cpu, libc }: Manifest, platform: TargetPlatform): boolean {
  const accepts = (list: readonly string[], value: string): boolean => {
    if (list.includes(`!${value}`)) return false;
    const named = list.filter((item) => !item.startsWith('!') && item !== 'any');
    return named.length === 0 || named.includes(value);
  };
  return accepts(os, platform.os) && accepts(cpu, platform.cpu) && accepts(libc, platform.libc);
}

/** The packages that `node_modules` says it has and that are there; `undefined` where it says nothing. */
async function readInstalled(project: ProjectFiles): Promise<LockedPackages | undefined> {
  const text = await project.readText(hiddenLock);
  if (text === undefined) return undefined;
  let said: LockedPackages;
  try {
    said = parseLock(text, hiddenLock);
  } catch {
    return undefined; // It is made anew.
  }
  const found = await Promise.all(
    Object.entries(said).map(async ([location, entry]) => {
      const isThere = entry.version === undefined || (await versionAt(project, location)) === entry.version;
      return isThere ? ([[location, entry]] as const) : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

async function versionAt(project: ProjectFiles, location: string): Promise<unknown> {
  const text = await project.readText(`${location}/package.json`);
  try {
    return text === undefined ? undefined : asRecord(JSON.parse(text)).version;
  } catch {
    return undefined;
  }
}

function isPackage(location: string): boolean {
  return /(^|\/)node_modules\/[^/]+(\/[^/]+)?$/.test(location) && !location.split('/').includes('..');
}

/** A package below one that changes goes with it. */
function isInstalled(node: PackageNode, installed: LockedPackages): boolean {
  for (let at = node; at.parent; at = at.parent) {
    const entry = Object.hasOwn(installed, at.location) ? installed[at.location] : undefined;
    if (!entry) return false;
    const { source, manifest } = at;
    if (source.type === 'folder' ? entry.resolved !== source.path : entry.version !== manifest.version)
      return false;
    if (source.type !== 'folder' && entry.integrity !== source.integrity) return false;
  }
  return true;
}

async function fetchEntries(nodes: readonly PackageNode[], catalog: PackageCatalog): Promise<FileEntry[]> {
  let [bytes, files] = [0, 0];
  const fetched = await Promise.all(
    nodes.map(async (node) => {
      const entries = await packageEntries(node, catalog);
      for (const entry of entries) bytes += entry.type === 'file' ? entry.bytes.length : 0;
      files += entries.length;
      if (bytes > installLimits.totalBytes || files > installLimits.totalFiles)
        throw new NpmError(
          'ELIMIT',
          `Cannot install packages of more than ${installLimits.totalBytes} bytes or ${installLimits.totalFiles} files in all`,
        );
      return entries;
    }),
  );
  return fetched.flat();
}

async function packageEntries(
  { source, manifest, location }: PackageNode,
  catalog: PackageCatalog,
): Promise<FileEntry[]> {
  if (source.type === 'folder') return [];
  const programs = new Set(manifest.bin.values());
  const files = await catalog.files(source, manifest);
  return files.map(({ path, bytes, isExecutable }) => ({
    ...{ type: 'file' as const, path: `${location}/${path}`, bytes },
    isExecutable: isExecutable || programs.has(path),
  }));
}

/** Folders of the project, and the commands of packages in `.bin` beside them. */
function* linkEntries(nodes: Iterable<PackageNode>): Generator<FileEntry> {
  for (const { parent, location, folder, source, manifest, name } of nodes) {
    if (!parent) continue;
    const beside = parent.folder === '' ? modules : `${parent.folder}/${modules}`;
    if (source.type === 'folder')
      yield { path: location, type: 'symlink', target: `${upFrom(location)}${folder}` };
    for (const [command, program] of manifest.bin)
      yield { path: `${beside}/.bin/${command}`, type: 'symlink', target: `../${name}/${program}` };
  }
}

/** From a link to the project's folder. */
function upFrom(location: string): string {
  return '../'.repeat(location.split('/').length - 1);
}
