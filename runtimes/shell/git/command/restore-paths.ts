import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCall } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';

/** Puts files back as they are in the index, or in a commit. */
export async function restorePaths(
  git: GitCall,
  { paths, from }: { readonly paths: readonly string[]; readonly from: string | undefined },
): Promise<void> {
  const repository = await git.open();
  const { library, at } = repository;
  const wanted = git.treePaths(paths);
  const known =
    from === undefined
      ? await library.listFiles({ ...at })
      : await library.listFiles({ ...at, ref: await repository.commitOf(from) });
  for (const [index, path] of wanted.entries()) {
    const files = known.filter((file) => path === '.' || file === path || file.startsWith(`${path}/`));
    if (files.length === 0)
      throw new GitCommandError(
        `error: pathspec '${paths[index]}' did not match any file(s) known to git`,
        1,
      );
    if (from === undefined) await restoreFromIndex(repository, files);
  }
  if (from === undefined) return;
  const commit = await repository.commitOf(from);
  await git.git.putBack({ directory: git.directory, commit, paths: wanted, signal: git.call.signal });
}

async function restoreFromIndex(
  { library, at, signal }: Repository,
  files: readonly string[],
): Promise<void> {
  const wanted = new Set(files);
  await library.walk({
    ...at,
    trees: [library.STAGE(), library.WORKDIR()],
    map: async (path, [staged = null, present = null]) => {
      signal.throwIfAborted();
      if (!wanted.has(path) || !staged) return path;
      const [oid = '', mode, now] = await Promise.all([staged.oid(), staged.mode(), present?.oid()]);
      if (oid === now) return path;
      const { blob } = await library.readBlob({ ...at, oid });
      const { promises } = at.fs;
      const full = `${at.dir}/${path}`;
      await promises.unlink(full).catch(() => undefined);
      if ((mode & 0o170000) === 0o120000) await promises.symlink(new TextDecoder().decode(blob), full);
      else {
        await makeDirectories(promises, full);
        await promises.writeFile(full, blob, { mode: mode & 0o100 ? 0o777 : 0o666 });
      }
      return path;
    },
  });
}

async function makeDirectories(files: Repository['at']['fs']['promises'], path: string): Promise<void> {
  const above = path.slice(0, path.lastIndexOf('/'));
  const isThere = await files.lstat(above).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await makeDirectories(files, above);
  await files.mkdir(above);
}
