import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { CacheFolder, cachePath } from '../host/cache/cache-folder.ts';
import { placeImage } from '../host/images/place-image.ts';
import { createProgress, type Progress } from '../host/progress.ts';
import { readProfile } from '../images/profiles/profile.ts';
import { provideImage } from '../images/provide-image.ts';
import { assertRunsInTab } from '../protocol/architecture.ts';
import { copyDemos } from './build-shell-site.ts';
import { root } from './run-step.ts';

export interface SiteOptions {
  readonly images: readonly string[];
  readonly progress?: Progress;
  readonly variant?: 'stock-v86';
  /** Called when the page is there, which can be served while its images are made. */
  readonly onPage?: (folder: string) => void;
}

/**
 * Builds the page, and puts the images beside it; answers the folder: static files and nothing
 * else. Images come from the cache when they are there; the first is the one that a page asks for
 * without a name. `variant` is a mode of `vite.config.ts` other than the product's, and has a folder of its own.
 * @throws unsupported for an image that tabs do not run
 */
export async function buildSite(options: SiteOptions): Promise<string> {
  const { progress = createProgress(), variant, onPage } = options;
  const cache = new CacheFolder(cachePath());
  const folder = join(root, 'dist', variant === undefined ? 'site' : `site-${variant}`);
  for (const name of options.images) assertRunsInTab((await readProfile(name)).architecture);
  await progress.step('Build the page', () =>
    keepingImages(folder, () =>
      build({
        configFile: join(root, 'vite.config.ts'),
        logLevel: 'error',
        build: { outDir: folder },
        ...(variant === undefined ? {} : { mode: variant }),
      }),
    ),
  );
  const others = variant === undefined ? ['vite.preview.config.ts', 'vite.embed.config.ts'] : [];
  for (const configuration of others)
    await build({ configFile: join(root, configuration), logLevel: 'error' });
  await copyDemos(folder);
  onPage?.(folder);
  for (const [index, name] of options.images.entries()) {
    const image = await provideImage(name, { cache, progress, golden: true });
    await placeImage(image, { to: join(folder, 'images'), isDefault: index === 0 });
  }
  return folder;
}

/**
 * The bundler empties the folder. Images of earlier builds stay: sandboxes that were made from them
 * are in visitors' browsers and start from nothing else.
 */
async function keepingImages(folder: string, build: () => Promise<unknown>): Promise<void> {
  const images = join(folder, 'images');
  const aside = `${folder}-images`;
  // A build that was interrupted has left them aside.
  await rename(images, aside).catch(ignoreNothingToDo);
  try {
    await build();
  } finally {
    await mkdir(folder, { recursive: true });
    await rename(aside, images).catch(ignoreNothingToDo);
  }
}

/** Nothing to move, or another build has put something there meanwhile. */
function ignoreNothingToDo(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error;
}
