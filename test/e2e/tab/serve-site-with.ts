import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { placeImage } from '../../../host/images/place-image.ts';
import { createProgress } from '../../../host/progress.ts';
import { inRepository } from '../../../host/repository.ts';
import { provideImage } from '../../../images/provide-image.ts';
import type { StaticServer } from '../../../scripts/static-server.ts';
import { serveSite } from './drive-page.ts';

/** The built site with one more image. */
export async function serveSiteWith(image: string): Promise<StaticServer> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(join(inRepository(), 'dist/site'), folder, { recursive: true });
  const cache = new CacheFolder(cachePath());
  const built = await provideImage(image, { cache, progress: createProgress(), golden: true });
  await placeImage(built, { to: join(folder, 'images'), isDefault: false });
  const server = stack.use(await serveSite({ folder, embedders: ['http://shop.localhost:*'] }));
  const owned = stack.move();
  return { url: server.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
