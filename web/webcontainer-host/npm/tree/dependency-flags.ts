import {
  isOptional,
  isPeer,
  type PackageEdge,
  type PackageNode,
  resolveEdge,
  walkTree,
} from './package-tree.ts';

/** Of a package, what it is there for: marks that a lock has, too. */
export interface DependencyFlags {
  readonly dev: boolean;
  readonly optional: boolean;
  /** Only for development, or only as an option, by different ways. */
  readonly devOptional: boolean;
  readonly peer: boolean;
}

export function dependencyFlags(root: PackageNode): ReadonlyMap<PackageNode, DependencyFlags> {
  const withoutDev = reachable(root, ({ type }) => type !== 'dev');
  const withoutOptional = reachable(root, (edge) => !isOptional(edge));
  const withoutBoth = reachable(root, (edge) => edge.type !== 'dev' && !isOptional(edge));
  const withoutPeers = reachable(root, (edge) => !isPeer(edge));
  const flags = new Map<PackageNode, DependencyFlags>();
  for (const node of walkTree(root)) {
    const [dev, optional] = [!withoutDev.has(node), !withoutOptional.has(node)];
    const devOptional = !dev && !optional && !withoutBoth.has(node);
    flags.set(node, { dev, optional, devOptional, peer: !withoutPeers.has(node) });
  }
  return flags;
}

/** What the project needs by edges that `isFollowed` says. */
export function reachable(
  root: PackageNode,
  isFollowed: (edge: PackageEdge, to: PackageNode) => boolean = () => true,
): ReadonlySet<PackageNode> {
  const found = new Set([root]);
  for (const node of found) {
    for (const edge of node.edges.values()) {
      const to = resolveEdge(node, edge);
      if (to && isFollowed(edge, to)) found.add(to);
    }
  }
  return found;
}

/** Takes what nobody needs any more out of a tree. */
export function prune(root: PackageNode): void {
  const needed = reachable(root);
  for (const node of [...walkTree(root)]) {
    for (const [name, child] of node.children) {
      if (!needed.has(child)) node.children.delete(name);
    }
  }
}
