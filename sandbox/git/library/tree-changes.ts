import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
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
  const read = rememberedTrees(repository);
  const compare = async (above: string, left: string, right: string): Promise<void> => {
    repository.signal.throwIfAborted();
    const [before, after] = [await read(left), await read(right)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
      const path = `${above}${name}`;
      if (path.length > limits.gitPathBytes || changes.length >= limits.gitTreeFiles) throw tooLarge();
      if (was?.isTree || is?.isTree) await compare(path, was?.oid ?? emptyTree, is?.oid ?? emptyTree);
      else changes.push({ path, older: was, newer: is });
    }
  };
  await compare('', older, newer);
  return changes;
}

/** A few objects make a tree without end, as directories may share what is in them. */
function tooLarge(): SandboxError {
  return new SandboxError(
    'limit-exceeded',
    `a tree has more than ${limits.gitTreeFiles} files, or paths of more than ${limits.gitPathBytes} bytes`,
    { details: { remedy: 'Use git in a machine or on a host.' } },
  );
}

/** Trees that stand in many places are read once, as far as a few of them go. */
function rememberedTrees(repository: Repository): (oid: string) => Promise<Map<string, Entry>> {
  const known = new Map<string, Map<string, Entry>>();
  return async (oid) => {
    const entries = known.get(oid) ?? (await entriesOf(repository, oid));
    if (known.size >= rememberedCount) known.clear();
    known.set(oid, entries);
    return entries;
  };
}

const rememberedCount = 64;

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
