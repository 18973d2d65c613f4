import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { AptRoot } from '../../host/debian/apt-root.ts';
import { findCandidates } from '../../host/debian/query-archive.ts';
import { createProgress } from '../../host/progress.ts';
import { listBuilt } from '../../images/output/list-built.ts';
import { readProfile } from '../../images/profiles/profile.ts';

/** Why an image is not there and cannot be built here; `undefined` when it is or can. */
export async function whatImageLacks(name: string): Promise<string | undefined> {
  const cache = new CacheFolder(cachePath());
  if ((await listBuilt(cache)).includes(name)) return undefined;
  const { architecture } = await readProfile(name);
  try {
    const apt = await AptRoot.open(cache, { architecture, progress: createProgress() });
    await apt.update();
    await findCandidates(apt, ['hostname']);
    return undefined;
  } catch (error) {
    return `the image is not built, and the archive cannot be reached: ${(error as Error).message}`;
  }
}
