import type { Repository } from './repository.ts';

/** Makes an empty repository. The library's own settings would have real git take links for files, and lose permissions. */
export async function initializeRepository(
  { library, at }: Repository,
  defaultBranch = 'main',
): Promise<void> {
  await library.init({ ...at, defaultBranch });
  await library.setConfig({ ...at, path: 'core.filemode', value: true });
  await library.setConfig({ ...at, path: 'core.symlinks', value: undefined });
  await library.setConfig({ ...at, path: 'core.ignorecase', value: undefined });
}
