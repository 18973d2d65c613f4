import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { RepositoryView } from './git-state.ts';

/** Where people keep repositories unless a sandbox says where its work begins. */
const home = '/home/user';
/** Directories below it that are looked into. */
const mostDirectories = 64;
/** Commits that the panel lists. */
const shownCommits = 100;

/** The directory of a sandbox in which repositories are looked for, and cloned. */
export function workDirectory(info: { readonly cwd?: string | undefined } | undefined): string {
  return info?.cwd ?? home;
}

/** The working trees that were found. */
export interface FoundRepositories {
  /** By path. */
  readonly repositories: readonly string[];
  /** Of how many directories how many were looked into. */
  readonly directories: number;
  readonly looked: number;
}

/**
 * The working trees at `directory` and directly below it. Those that cannot be looked into count as none. `chosen` is always
 * looked into.
 */
export async function findRepositories(
  connection: SandboxConnection,
  { directory, chosen }: { readonly directory: string; readonly chosen?: string | undefined },
): Promise<FoundRepositories> {
  const entries = await connection.files.list({ path: directory });
  const below = entries.filter(({ type, name }) => type === 'directory' && name !== '.git');
  const isRepository = async (path: string): Promise<boolean> =>
    connection.files.stat({ path: `${path}/.git` }).then(
      () => true,
      () => false,
    );
  const paths = below.slice(0, mostDirectories).map(({ path }) => path);
  const looked = new Set(chosen === undefined ? paths : [...paths, chosen]);
  looked.delete(directory);
  const found = await Promise.all(
    [...looked].map(async (path) => ((await isRepository(path)) ? [path] : [])),
  );
  const own = entries.some(({ name }) => name === '.git') ? [directory] : [];
  return { repositories: [...own, ...found.flat()].sort(), directories: below.length, looked: paths.length };
}

/** What the panel shows of one. */
export async function readRepository(
  connection: SandboxConnection,
  directory: string,
): Promise<RepositoryView> {
  const { git } = connection;
  const status = await git.status({ directory });
  const [branches, log] = await Promise.all([
    git.branches({ directory }),
    status.head === undefined ? [] : git.log({ directory, most: shownCommits }),
  ]);
  return { directory, status, branches, log };
}

/** The directory that `git clone` would make of a URL; empty where the URL names none. */
export function directoryOfUrl(url: string): string {
  const path = url
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);
  return /^[\w.@+-]+$/.test(name) && !/^\.+$/.test(name) ? name : '';
}
