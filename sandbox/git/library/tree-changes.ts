import { emptyTree, type Repository } from './repository.ts';

/** A file, a link or a submodule, as a commit or the index has it. */
export interface TreeFile {
  readonly oid: string;
  /** As git has it: `0o100644`. */
  readonly mode: number;
}

/** A path at which two trees differ. Where a file became a directory, the file and what is in the directory are changes of their own. */
export interface PathChange {
  readonly path: string;
  readonly older: TreeFile | undefined;
  readonly newer: TreeFile | undefined;
}

interface Entry extends TreeFile {
  readonly isTree: boolean;
}

/** Where two commits or trees differ. Directories that are the same in both are not read. */
export async function treeChanges(
  repository: Repository,
  { older, newer }: { readonly older: string; readonly newer: string },
): Promise<PathChange[]> {
  const changes: PathChange[] = [];
  const compare = async (above: string, left: string, right: string): Promise<void> => {
    repository.signal.throwIfAborted();
    const [before, after] = [await entriesOf(repository, left), await entriesOf(repository, right)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
      const path = `${above}${name}`;
      if (was?.isTree || is?.isTree) await compare(path, was?.oid ?? emptyTree, is?.oid ?? emptyTree);
      else changes.push({ path, older: was, newer: is });
    }
  };
  await compare('', older, newer);
  return changes;
}

/** By name, directories with a slash: a hostile tree has a link and a directory of one name. */
async function entriesOf({ library, at }: Repository, oid: string): Promise<Map<string, Entry>> {
  if (oid === emptyTree) return new Map();
  const { tree } = await library.readTree({ ...at, oid });
  return new Map(
    tree.map(({ path, type, ...entry }) => {
      const isTree = type === 'tree';
      return [
        isTree ? `${path}/` : path,
        { oid: entry.oid, mode: isTree ? 0 : Number.parseInt(entry.mode, 8), isTree },
      ];
    }),
  );
}

/** The directories above a path, the nearest first. */
export function directoriesAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, names.length - index).join('/'));
}
