import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Which modules of the repository each of its modules imports, types included; in C, whose headers it includes. */
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

const includes = /^[ \t]*#[ \t]*include[ \t]+"([^"]+)"/gm;

/**
 * Which modules each C module of these files includes, by their paths below `root`. A module is a header and the
 * sources that implement it: `x.h` with `x.c`, and with those `x-part.c` that have no header of their own.
 */
export function readIncludes(root: string, files: readonly string[]): Imports {
  const headers = new Set(files.filter((file) => file.endsWith('.h')));
  const modules = new Map<string, Set<string>>();
  for (const file of files) {
    const from = cModule(file, headers);
    const targets = modules.get(from) ?? new Set<string>();
    for (const [, header = ''] of readFileSync(join(root, file), 'utf8').matchAll(includes)) {
      targets.add(cModule(join(dirname(file), header), headers));
    }
    targets.delete(from);
    modules.set(from, targets);
  }
  return new Map([...modules].map(([from, targets]) => [from, [...targets]]));
}

function cModule(file: string, headers: ReadonlySet<string>): string {
  const name = file.replace(/\.[ch]$/, '');
  let header = name;
  while (!headers.has(`${header}.h`)) {
    const shorter = header.replace(/-[^-/]*$/, '');
    if (shorter === header) return name;
    header = shorter;
  }
  return header;
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
