/** A snapshot to be drawn. */
export interface GraphNode {
  readonly id: string;
  readonly parents: readonly string[];
}

/** What stands before the text of one node: lines above it that join branches, its own, and lines below that part them. */
export interface GraphRow {
  readonly above: readonly string[];
  readonly node: string;
  readonly below: readonly string[];
}

/** Branches beside each other that are drawn; what is farther right is left out. */
const mostColumns = 40;

/**
 * Draws a history as `git log --graph` does, newest first: every child stands before its parents. A parent that is not
 * listed is where a line ends. Linear in nodes times branches that are open at once.
 */
export function* drawGraph(nodes: readonly GraphNode[]): Generator<GraphRow, void> {
  const known = new Set(nodes.map(({ id }) => id));
  /** What each column waits for, from the left. */
  let columns: string[] = [];
  for (const { id, parents } of nodes) {
    const above: string[] = [];
    let at = columns.indexOf(id);
    if (at < 0) at = columns.push(id) - 1;
    for (let other = columns.lastIndexOf(id); other > at; other = columns.lastIndexOf(id)) {
      above.push(joinLine(columns.length, at, other));
      columns.splice(other, 1);
    }
    const node = line(columns.map((_, index) => (index === at ? '*' : '|')));
    const [first, ...others] = parents.filter((parent) => known.has(parent));
    const below = others.map((_, index) => partLine(columns.length + index, at));
    columns = columns.toSpliced(at, 1, ...(first === undefined ? [] : [first, ...others.toReversed()]));
    yield { above, node, below };
  }
}

/** Column `from` goes into `into`, and those right of it move one to the left: `|_|/ /`. */
function joinLine(count: number, into: number, from: number): string {
  const cells: string[] = [];
  for (let index = 0; index < count && index < mostColumns; index++) {
    if (index === from - 1) cells.push('|/');
    else if (index < from) cells.push(index >= into ? '|_' : '| ');
    else if (index > from) cells.push(' /');
  }
  return cells.join('').trimEnd();
}

/** A column comes to be right of `at`, and those right of it move one to the right: `|\ \`. */
function partLine(count: number, at: number): string {
  const cells: string[] = [];
  for (let index = 0; index < count && index < mostColumns; index++) {
    cells.push(index < at ? '| ' : index === at ? '|\\' : ' \\');
  }
  return cells.join('').trimEnd();
}

function line(cells: readonly string[]): string {
  return cells.length > mostColumns ? `${cells.slice(0, mostColumns).join(' ')} …` : cells.join(' ');
}
