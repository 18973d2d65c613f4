import { installLimits } from '../limits.ts';
import { NpmError } from '../npm-error.ts';
import type { FoundPackage, PackageCatalog } from '../registry/package-catalog.ts';
import {
  addChild,
  depthOf,
  isOptional,
  isPeer,
  isWhatEdgeWants,
  type Overrides,
  type PackageEdge,
  type PackageNode,
  resolveEdge,
  resolveName,
  walkTree,
} from './package-tree.ts';
import { placePackage } from './place-package.ts';

interface ResolveParts {
  readonly catalog: PackageCatalog;
  readonly overrides: Overrides;
  /** Names that the project wants anew, though what is there would do. */
  readonly renewed: ReadonlySet<string>;
  /** Peers are not installed, and what they exclude is only a warning. */
  readonly ignoresPeers: boolean;
  readonly isForced: boolean;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Adds to a tree what its packages lack, those near the root first, as npm does, so that the same tree comes of the same
 * registry. Optional packages that cannot be found are left out.
 * @throws NpmError ERESOLVE, ELIMIT, and what the catalog throws
 */
export async function resolveTree(root: PackageNode, parts: ResolveParts): Promise<void> {
  const renewed = new Set(parts.renewed);
  const failed = new Set<PackageEdge>();
  for (let round = 0; round < installLimits.rounds; round++) {
    // What replaces a package may have left others without theirs.
    const lacking = [...walkTree(root)].filter(
      (node) => lackingEdges(node, { renewed, failed, parts }).length > 0,
    );
    if (lacking.length === 0) return;
    await resolveNodes(lacking, { root, renewed, failed, parts });
  }
  throw new NpmError('ERESOLVE', 'Cannot find a tree of packages: they replace each other again and again');
}

interface ResolveState {
  readonly root: PackageNode;
  readonly renewed: Set<string>;
  /** Edges that stay as they are: optional ones that nothing was found for, and peers that have no place. */
  readonly failed: Set<PackageEdge>;
  readonly parts: ResolveParts;
}

async function resolveNodes(nodes: PackageNode[], state: ResolveState): Promise<void> {
  const { root, parts } = state;
  const queue = nodes;
  for (let node = takeNearest(queue); node; node = takeNearest(queue)) {
    parts.signal.throwIfAborted();
    if (!isInTree(node, root)) continue;
    const edges = lackingEdges(node, state);
    const found = await Promise.all(edges.map((edge) => find(edge, parts)));
    for (const [index, edge] of edges.entries()) {
      const what = found[index];
      if (what === undefined) state.failed.add(edge);
      else queue.push(...place(what, { from: node, edge, state }));
    }
    if ([...walkTree(root)].length > installLimits.packages + 1)
      throw new NpmError('ELIMIT', `Cannot install more than ${installLimits.packages} packages`);
  }
}

/** Answers the package that was added, which has needs of its own. */
function place(
  found: FoundPackage,
  {
    from,
    edge,
    state,
  }: { readonly from: PackageNode; readonly edge: PackageEdge; readonly state: ResolveState },
): PackageNode[] {
  const { renewed, failed, parts, root } = state;
  if (from === root) renewed.delete(edge.name);
  // Another edge of this round may have brought it.
  const there = resolveEdge(from, edge);
  if (there && isWhatEdgeWants(there, edge) && there.manifest.version === found.manifest.version) return [];
  const placement = placePackage(found, { from, edge });
  if (placement === undefined) {
    failed.add(edge);
    reportConflict(from, { edge, parts, root });
    return [];
  }
  if (placement.action === 'keep') return [];
  const { name } = edge;
  const node = addChild(placement.target, { ...found, name, overrides: parts.overrides });
  for (const { spec, type } of node.edges.values()) if (type !== 'peerOptional') parts.catalog.prefetch(spec);
  return [node];
}

/** Where the project itself asks for both, it has to choose; else npm goes on, too. */
function reportConflict(
  from: PackageNode,
  {
    edge,
    parts,
    root,
  }: { readonly edge: PackageEdge; readonly parts: ResolveParts; readonly root: PackageNode },
): void {
  const there = resolveName(from.parent ?? from, edge.name);
  const id = `${from.manifest.name}@${from.manifest.version}`;
  const why = `${id} wants ${edge.name}@${edge.text} beside it, and there is ${edge.name}@${there?.manifest.version ?? 'none'}`;
  const isOwn = from.parent === root && root.edges.has(from.name) && root.edges.has(edge.name);
  if (isOwn && !parts.isForced && edge.type === 'peer')
    throw new NpmError(
      'ERESOLVE',
      `Cannot find a tree of packages: ${why}. Ask for versions that fit, or add --legacy-peer-deps or --force`,
    );
  parts.warn(`ERESOLVE ${why}`);
}

async function find(edge: PackageEdge, { catalog }: ResolveParts): Promise<FoundPackage | undefined> {
  try {
    return await catalog.find(edge.spec);
  } catch (cause) {
    if (isOptional(edge) && cause instanceof NpmError && cause.code !== 'ECANCELED') return undefined;
    throw cause;
  }
}

/** By name. Peers that nothing has to bring lack only where another version is in their place. */
function lackingEdges(
  node: PackageNode,
  { renewed, failed, parts }: Pick<ResolveState, 'renewed' | 'failed' | 'parts'>,
): PackageEdge[] {
  return [...node.edges.values()]
    .filter((edge) => {
      if (failed.has(edge) || (isPeer(edge) && (parts.ignoresPeers || edge.type === 'peerOptional')))
        return false;
      if (node.parent === undefined && renewed.has(edge.name)) return true;
      const there = resolveEdge(node, edge);
      return there === undefined || !isWhatEdgeWants(there, edge);
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

function takeNearest(queue: PackageNode[]): PackageNode | undefined {
  let best = 0;
  const rank = (node: PackageNode) => [depthOf(node), node.location] as const;
  for (let index = 1; index < queue.length; index++) {
    const [a, b] = [queue[index], queue[best]];
    if (!a || !b) continue;
    const [[depth, location], [bestDepth, bestLocation]] = [rank(a), rank(b)];
    if (depth < bestDepth || (depth === bestDepth && location.localeCompare(bestLocation, 'en') < 0))
      best = index;
  }
  return queue.splice(best, 1)[0];
}

function isInTree(node: PackageNode, root: PackageNode): boolean {
  for (let at = node; ; at = at.parent) {
    if (at === root) return true;
    if (at.parent?.children.get(at.name) !== at) return false;
  }
}
