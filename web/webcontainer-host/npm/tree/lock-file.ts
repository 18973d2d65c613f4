import { asRecord, isRecord } from '../../is-record.ts';
import { parseJson, parseManifest } from '../manifest.ts';
import { NpmError } from '../npm-error.ts';
import { assertPackageName } from '../package-spec.ts';
import type { PackageSource } from '../registry/package-catalog.ts';
import { dependencyFlags } from './dependency-flags.ts';
import { addChild, type Overrides, type PackageNode, walkTree } from './package-tree.ts';

/** The entries of a lock, by location. */
export type LockedPackages = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const between = 'node_modules/';

/** Reads `package-lock.json` of npm 7 or newer. @throws NpmError EJSONPARSE, EUNSUPPORTED for older ones */
export function parseLock(text: string, file: string): LockedPackages {
  const lock = asRecord(parseJson(text, file));
  if (!isRecord(lock.packages)) {
    const message = `Cannot read ${file} of lockfileVersion ${String(lock.lockfileVersion ?? 1)}: make it anew with npm 7 or newer, or delete it`;
    throw new NpmError('EUNSUPPORTED', message);
  }
  const entries = Object.entries(lock.packages).map(
    ([location, entry]) => [location, asRecord(entry)] as const,
  );
  return Object.fromEntries(entries);
}

/** Puts what a lock has below a root. What an archive brings is left to it. */
export function loadLock(
  root: PackageNode,
  { packages, overrides }: { readonly packages: LockedPackages; readonly overrides: Overrides },
): void {
  const folders = new Map([['', root]]);
  const locations = Object.keys(packages).sort((a, b) => depth(a) - depth(b));
  for (const location of locations) {
    const entry = packages[location];
    const at = location.lastIndexOf(between);
    if (!entry || at < 0 || entry.inBundle === true) continue;
    const name = location.slice(at + between.length);
    const parent = folders.get(location.slice(0, at).replace(/\/$/, ''));
    assertPackageName(name);
    const source = sourceOf(entry);
    if (!parent || !source) continue;
    const described = source.type === 'folder' ? packages[source.path] : entry;
    const manifest = parseManifest({ name, ...described });
    const node = addChild(parent, { name, manifest, source, overrides });
    folders.set(node.folder, node);
  }
}

/** Locks may leave out where packages of a registry are. */
function sourceOf({
  link,
  resolved,
  integrity,
  version,
}: Readonly<Record<string, unknown>>): PackageSource | undefined {
  const hash = typeof integrity === 'string' ? integrity : undefined;
  if (resolved === undefined && typeof version === 'string')
    return { type: 'remote', url: undefined, integrity: hash, isPortable: false };
  if (typeof resolved !== 'string') return undefined;
  if (link === true) return isInside(resolved) ? { type: 'folder', path: resolved } : undefined;
  if (resolved.startsWith('file:')) {
    const path = resolved.slice('file:'.length);
    return hash === undefined || !isInside(path) ? undefined : { type: 'archive', path, integrity: hash };
  }
  if (!/^https?:/.test(resolved) || !URL.canParse(resolved) || typeof version !== 'string') return undefined;
  return {
    type: 'remote',
    url: resolved,
    integrity: hash,
    isPortable: new URL(resolved).pathname.includes('/-/'),
  };
}

function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0');
}

function depth(location: string): number {
  return location.split(between).length;
}

/**
 * The text of a lock, as npm 7 and newer write it.
 * @param project What `package.json` says of the project; `undefined` for the lock that `node_modules` has of itself.
 */
export function writeLock(
  root: PackageNode,
  {
    project,
    nodes = new Set(walkTree(root)),
  }: {
    readonly project: Readonly<Record<string, unknown>> | undefined;
    readonly nodes?: ReadonlySet<PackageNode>;
  },
): string {
  const flags = dependencyFlags(root);
  const packages = new Map<string, Record<string, unknown>>();
  for (const node of nodes) {
    if (node === root) continue;
    const { dev, optional, devOptional, peer } = flags.get(node) ?? {};
    const marks = Object.fromEntries(
      Object.entries({ dev, optional, devOptional, peer }).filter(([, is]) => is === true),
    );
    if (node.source.type === 'folder') {
      packages.set(node.location, { resolved: node.folder, link: true });
      packages.set(node.folder, { ...entryOf(node), ...marks });
    } else packages.set(node.location, { ...entryOf(node), ...resolution(node.source), ...marks });
  }
  const sorted = [...packages].sort(([a], [b]) => a.localeCompare(b, 'en'));
  const { name, version } = root.manifest;
  const lock = {
    ...(name === '' ? {} : { name }),
    ...(version === '' ? {} : { version }),
    ...{ lockfileVersion: 3, requires: true },
    packages: {
      ...(project === undefined ? {} : { '': inOrder(describeRoot(root, project)) }),
      ...Object.fromEntries(sorted.map(([location, entry]) => [location, inOrder(entry)] as const)),
    },
  };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

function entryOf({ name, manifest }: PackageNode): Record<string, unknown> {
  return {
    ...(manifest.name === name || manifest.name === '' ? {} : { name: manifest.name }),
    version: manifest.version,
    ...manifest.recorded,
    ...(manifest.hasInstallScript ? { hasInstallScript: true } : {}),
  };
}

function describeRoot(
  { manifest }: PackageNode,
  project: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { name, version } = manifest;
  const { devDependencies } = project;
  return {
    ...(name === '' ? {} : { name }),
    ...(version === '' ? {} : { version }),
    ...manifest.recorded,
    ...(isRecord(devDependencies) ? { devDependencies } : {}),
  };
}

function resolution(source: Exclude<PackageSource, { type: 'folder' }>): Record<string, unknown> {
  const resolved = source.type === 'remote' ? source.url : `file:${source.path}`;
  return {
    ...(resolved === undefined ? {} : { resolved }),
    ...(source.integrity === undefined ? {} : { integrity: source.integrity }),
  };
}

const firstKeys = ['name', 'version', 'resolved', 'integrity', 'dependencies'];

/** As npm writes it, so that a lock that npm wrote changes no more than its packages: what has members comes last. */
function inOrder(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rank = (key: string): number => {
    const first = firstKeys.indexOf(key);
    return (isRecord(entry[key]) ? 100 : 0) + (first < 0 ? firstKeys.length : first);
  };
  const keys = Object.keys(entry).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'));
  return Object.fromEntries(keys.map((key) => [key, sorted(entry[key])]));
}

function sorted(value: unknown): unknown {
  if (!isRecord(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
