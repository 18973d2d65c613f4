import { SandboxError } from '../../../protocol/errors.ts';
import { withIndexModes } from './index-modes.ts';
import type { Repository } from './repository.ts';
import { unstagedFiles } from './staged-changes.ts';

/** Stages what differs at or below `paths`, deleted files too; everywhere by default. @throws not-found */
export async function stageFiles(
  repository: Repository,
  {
    paths,
    isThere,
  }: { readonly paths: readonly string[] | undefined; readonly isThere: (path: string) => boolean },
): Promise<void> {
  const differing = await unstagedFiles(repository, paths);
  for (const path of paths ?? []) {
    const isGone = differing.some((file) => file.path === path || file.path.startsWith(`${path}/`));
    if (path === '.' || isGone || isThere(`${repository.at.dir}/${path}`)) continue;
    throw new SandboxError('not-found', `Cannot add "${path}": there is no such file`, {
      details: { path },
    });
  }
  const { library, at } = await withIndexModes(repository);
  const present = differing.filter((file) => file.isThere).map(({ path }) => path);
  if (present.length > 0) await library.add({ ...at, filepath: present, parallel: false });
  for (const file of differing) if (!file.isThere) await library.remove({ ...at, filepath: file.path });
}
