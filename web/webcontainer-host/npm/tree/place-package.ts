import { gte } from 'semver';
import { parsePackageSpec } from '../package-spec.ts';
import type { FoundPackage } from '../registry/package-catalog.ts';
import {
  isPeer,
  isWhatEdgeWants,
  type PackageEdge,
  type PackageNode,
  resolveEdge,
  resolveName,
  walkTree,
} from './package-tree.ts';

/** Where a package goes: below `target`, instead of what has that name there or as what is there already. */
export interface Placement {
  readonly target: PackageNode;
  readonly action: 'add' | 'replace' | 'keep';
}

/**
 * Finds the place of a package that an edge needs as npm does (`place-dep.js` of its library Arborist): as far up as nothing that
 * is there is hidden from who needs it, else below who needs it. `undefined` where that place has another that stays.
 */
export function placePackage(
  found: FoundPackage,
  { from, edge }: { readonly from: PackageNode; readonly edge: PackageEdge },
): Placement | undefined {
  let best: Placement | undefined;
  const start = isPeer(edge) && from.parent ? from.parent : from;
  for (let target: PackageNode | undefined = start; target; target = target.parent) {
    const own = target.edges.get(edge.name);
    if (target.parent && own && isPeer(own)) continue;
    const action = actionAt(target, { found, edge, isStart: target === start });
    if (action === undefined) break;
    best = { target, action };
  }
  return best;
}

interface Asked {
  readonly found: FoundPackage;
  readonly edge: PackageEdge;
  /** The first place that is tried: what the package's own peers then lack is a warning. */
  readonly isStart: boolean;
}

function actionAt(target: PackageNode, asked: Asked): Placement['action'] | undefined {
  const { found, edge, isStart } = asked;
  const current = target.children.get(edge.name);
  if (current) return actionOn(current, { ...asked, target });
  const own = target.edges.get(edge.name);
  if (own && own !== edge && !isWhatEdgeWants(found, own)) return undefined;
  const hidden = isStart ? undefined : resolveName(target.parent, edge.name);
  if (hidden && isNeededBelow(target, { hidden, edge, found })) return undefined;
  return isStart || havePeersPlace(target, found) ? 'add' : undefined;
}

function actionOn(
  current: PackageNode,
  { found, edge, target, isStart }: Asked & { readonly target: PackageNode },
): Placement['action'] | undefined {
  const isSame =
    current.manifest.name === found.manifest.name && current.manifest.version === found.manifest.version;
  const will = isWhatEdgeWants(current, edge);
  if (isSame && will) return 'keep';
  const isNewer = gte(found.manifest.version || '0.0.0', current.manifest.version || '0.0.0', true);
  const canReplace = dependentsOf(current).every((other) => other === edge || isWhatEdgeWants(found, other));
  if ((isNewer || isPeer(edge)) && canReplace && (isStart || havePeersPlace(target, found))) return 'replace';
  if (will) return 'keep';
  // Its own place, which only another need of its dependent has filled.
  return isStart && !isPeer(edge) ? 'replace' : undefined;
}

/** Edges that lead to a package, and are content with it. */
function dependentsOf(node: PackageNode): PackageEdge[] {
  const edges: PackageEdge[] = [];
  for (const other of node.parent ? walkTree(node.parent) : []) {
    const edge = other.edges.get(node.name);
    if (edge && resolveEdge(other, edge) === node && isWhatEdgeWants(node, edge)) edges.push(edge);
  }
  return edges;
}

/** Whether what a package at `target` would hide is needed by something below there that the package is not good for. */
function isNeededBelow(
  target: PackageNode,
  {
    hidden,
    edge,
    found,
  }: { readonly hidden: PackageNode; readonly edge: PackageEdge; readonly found: FoundPackage },
): boolean {
  for (const other of walkTree(target)) {
    const need = other.edges.get(edge.name);
    if (!need || resolveEdge(other, need) !== hidden) continue;
    if (isWhatEdgeWants(hidden, need) && !isWhatEdgeWants(found, need)) return true;
  }
  return false;
}

/** Whether no peer that a package asks for is there in another version. */
function havePeersPlace(target: PackageNode, { manifest }: FoundPackage): boolean {
  for (const [name, text] of manifest.peerDependencies) {
    const there = resolveName(target, name);
    const edge: PackageEdge = { name, text, type: 'peer', spec: parsePackageSpec(name, text) };
    if (there && !isWhatEdgeWants(there, edge)) return false;
  }
  return true;
}
