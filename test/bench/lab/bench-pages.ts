import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { build } from 'vite';
import type { Progress } from '../../../host/progress.ts';
import { assetFileName, machineManifest, parseImageManifest } from '../../../protocol/image-manifest.ts';
import { serveFolder } from '../../../scripts/static-server.ts';
import { watchV86 } from '../../../scripts/watch-v86.ts';
import { coldImage } from '../pages/cold-image.ts';
import { firmware } from '../pages/firmware.ts';
import { guestInitramfs } from '../pages/guest-initramfs.ts';
import { buildGuestProgram } from './guest-program.ts';

const pages = join(import.meta.dirname, '../pages');
const guest = join(import.meta.dirname, '../guest');

/** The benchmarks' own pages on a server of their own, gone when disposed. */
export interface BenchPages extends AsyncDisposable {
  readonly url: string;
}

/**
 * Bundles and serves the pages beside the images of the built site, of which one appears a second
 * time as `coldImage`, without its golden state.
 */
export async function serveBenchPages(
  site: string,
  options: { image: string; progress: Progress },
): Promise<BenchPages> {
  const { image, progress } = options;
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-pages-'));
  const input = ['index', 'cold-boot', 'bare-v86'].map((name) => join(pages, `${name}.html`));
  await build({
    configFile: false,
    root: pages,
    base: './',
    logLevel: 'error',
    worker: { format: 'es', plugins: () => [watchV86()] },
    build: { outDir: folder, target: 'es2023', assetsInlineLimit: 0, rolldownOptions: { input } },
  });
  await writeFile(join(folder, guestInitramfs), await buildGuestProgram(guest, progress));
  await placeFirmware(join(site, 'images'), folder, image);
  await placeImages(join(site, 'images'), join(folder, 'images'), image);
  const server = await serveFolder(folder, { port: 0 });
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** As files, since v86 alone inflates nothing. */
async function placeFirmware(images: string, to: string, image: string): Promise<void> {
  const manifest = machineManifest(parseImageManifest(await readFile(join(images, `${image}.json`), 'utf8')));
  for (const name of ['bios', 'vgaBios'] as const) {
    const stored = await readFile(join(images, assetFileName(manifest[name])));
    await writeFile(join(to, firmware[name]), gunzipSync(stored));
  }
}

async function placeImages(from: string, to: string, image: string): Promise<void> {
  await mkdir(to);
  for (const file of await readdir(from)) await symlink(join(from, file), join(to, file));
  const manifest = parseImageManifest(await readFile(join(from, `${image}.json`), 'utf8'));
  await writeFile(join(to, `${coldImage}.json`), JSON.stringify({ ...manifest, golden: undefined }));
}
