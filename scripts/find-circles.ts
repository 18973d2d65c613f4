import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Which modules of the repository each of its modules imports, types included. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** A circle: its members, and an import from each to the next. */
export interface Circle {
  readonly members: readonly string[];
  readonly imports: readonly string[];
}

const specifiers =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)|(?:^|\n)import '(\.[^']+)'/g;

/** The imports of these files, which are named by their paths below `root`. */
export function readImports(root: string, files: readonly string[]): Imports {
  return new Map(
    files.map((file) => {
      const found = readFileSync(join(root, file), 'utf8').matchAll(specifiers);
      return [
        file,
        [...found].map(([, from, lazy, bare]) => join(dirname(file), from ?? lazy ?? bare ?? '')),
      ];
    }),
  );
}

/** Circles of modules: those of which each imports the next. */
export function moduleCircles(imports: Imports): Circle[] {
  const edges = new Map(
    [...imports].map(([from, targets]) => [from, new Map(targets.map((to) => [to, `${from} → ${to}`]))]),
  );
  return circles(edges);
}

/**
 * Circles of folders. A folder and those inside it are one house: what the inner ones share may lie in the outer one,
 * and what is made of them too.
 */
export function folderCircles(imports: Imports): Circle[] {
  const edges = new Map<string, Map<string, string>>();
  for (const [module, targets] of imports) {
    const from = dirname(module);
    for (const target of targets) {
      const to = dirname(target);
      if (isWithin(from, to) || isWithin(to, from)) continue;
      const targetsOf = edges.get(from) ?? new Map<string, string>();
      targetsOf.set(to, `${module} → ${target}`);
      edges.set(from, targetsOf);
    }
  }
  return circles(edges);
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

type Edges = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sets of nodes that reach one another (Tarjan, 1972), of more than one node. */
function circles(edges: Edges): Circle[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: Circle[] = [];
  const visit = (node: string): number => {
    const at = order.size;
    order.set(node, at);
    let low = at;
    open.push(node);
    for (const next of edges.get(node)?.keys() ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low < at) return low;
    const members = open.splice(open.indexOf(node)).sort();
    if (members.length > 1) found.push({ members, imports: within(members, edges) });
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}

function within(members: readonly string[], edges: Edges): string[] {
  return members.flatMap((from) => members.flatMap((to) => edges.get(from)?.get(to) ?? []));
}
