import { satisfies } from 'semver';
import type { Manifest } from '../manifest.ts';
import { type PackageSpec, parsePackageSpec } from '../package-spec.ts';
import type { FoundPackage, PackageSource } from '../registry/package-catalog.ts';

/** A package in its place below `node_modules`; the root is the project. Paths are relative to the project. */
export interface PackageNode {
  /** Of its folder in `node_modules`, which an alias has of its own. */
  readonly name: string;
  readonly parent: PackageNode | undefined;
  /** Where it is found, and where its files are: a folder of the project is linked from the first to the second. */
  readonly location: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly source: PackageSource;
  readonly children: Map<string, PackageNode>;
  readonly edges: ReadonlyMap<string, PackageEdge>;
}

type EdgeType = 'prod' | 'dev' | 'optional' | 'peer' | 'peerOptional';

/** What a package needs by a name. */
export interface PackageEdge {
  readonly name: string;
  readonly type: EdgeType;
  /** As it was written, and what that means. */
  readonly text: string;
  readonly spec: PackageSpec;
}

/** Versions that replace what packages ask for, by name. */
export type Overrides = ReadonlyMap<string, string>;

export function createRoot(manifest: Manifest, overrides: Overrides): PackageNode {
  return {
    ...{ name: '', parent: undefined, location: '', folder: '', manifest },
    source: { type: 'folder', path: '' },
    children: new Map(),
    edges: edgesOf(manifest, { folder: '', overrides, hasDev: true }),
  };
}

/** Adds a package below another one, in the place of one of that name. */
export function addChild(
  parent: PackageNode,
  {
    name,
    manifest,
    source,
    overrides,
  }: FoundPackage & { readonly name: string; readonly overrides: Overrides },
): PackageNode {
  const prefix = parent.folder === '' ? '' : `${parent.folder}/`;
  const location = `${prefix}node_modules/${name}`;
  const folder = source.type === 'folder' ? source.path : location;
  const hasDev = source.type === 'folder';
  const edges = edgesOf(manifest, { folder, overrides, hasDev });
  const node = { name, parent, location, folder, manifest, source, children: new Map(), edges };
  parent.children.set(name, node);
  return node;
}

/** What Node finds by a name from a package on, upwards. */
export function resolveName(from: PackageNode | undefined, name: string): PackageNode | undefined {
  for (let node = from; node; node = node.parent) {
    const found = node.children.get(name);
    if (found) return found;
  }
  return undefined;
}

/** What an edge of a package leads to; peers are beside it or above. */
export function resolveEdge(node: PackageNode, edge: PackageEdge): PackageNode | undefined {
  return resolveName(isPeer(edge) && node.parent ? node.parent : node, edge.name);
}

export function isPeer({ type }: PackageEdge): boolean {
  return type === 'peer' || type === 'peerOptional';
}

export function isOptional({ type }: PackageEdge): boolean {
  return type === 'optional' || type === 'peerOptional';
}

/** Whether a package is what was asked for. */
export function isWhatEdgeWants({ manifest, source }: FoundPackage, { spec }: PackageEdge): boolean {
  switch (spec.type) {
    case 'tarball':
      return source.type === 'remote' && source.url === spec.url;
    case 'archive':
    case 'folder':
      return source.type === spec.type && source.path === spec.path;
    case 'tag':
      return manifest.name === spec.packageName;
    case 'range':
      if (manifest.name !== spec.packageName) return false;
      return spec.range.trim() === '*' || satisfies(manifest.version, spec.range, { loose: true });
  }
}

/** A package and all below it, parents first. */
export function* walkTree(node: PackageNode): Generator<PackageNode> {
  yield node;
  for (const child of node.children.values()) yield* walkTree(child);
}

export function depthOf(node: PackageNode): number {
  let depth = 0;
  for (let at = node.parent; at; at = at.parent) depth++;
  return depth;
}

/** Bundled packages are in the archive. What is named twice counts by npm's order: development, optional, usual, peers. */
function edgesOf(
  manifest: Manifest,
  {
    folder,
    overrides,
    hasDev,
  }: { readonly folder: string; readonly overrides: Overrides; readonly hasDev: boolean },
): ReadonlyMap<string, PackageEdge> {
  const edges = new Map<string, PackageEdge>();
  const add = (dependencies: ReadonlyMap<string, string>, typeOf: (name: string) => EdgeType): void => {
    for (const [name, asked] of dependencies) {
      if (manifest.bundled.has(name)) continue;
      const text = overrides.get(name) ?? asked;
      edges.set(name, { name, type: typeOf(name), text, spec: parsePackageSpec(name, text, folder) });
    }
  };
  add(manifest.peerDependencies, (name) => (manifest.optionalPeers.has(name) ? 'peerOptional' : 'peer'));
  add(manifest.dependencies, () => 'prod');
  add(manifest.optionalDependencies, () => 'optional');
  if (hasDev) add(manifest.devDependencies, () => 'dev');
  return edges;
}
