import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { packageVersion } from '../protocol/package-version.ts';
import { demosFolder, readRecordedDemos } from './recorded-demos.ts';
import { root } from './run-step.ts';

/** Builds a site without an image into a folder: its shells, the player, and what pages load for their embeds. */
export async function buildShellSite(folder: string): Promise<void> {
  const parts = {
    'vite.config.ts': folder,
    'vite.embed.config.ts': join(folder, 'embed', packageVersion),
  };
  for (const [configuration, outDir] of Object.entries(parts))
    await build({
      configFile: join(root, configuration),
      logLevel: 'error',
      build: { outDir, emptyOutDir: true },
    });
  await copyDemos(folder);
}

/** Puts the recordings of demos beside their page. */
export async function copyDemos(site: string): Promise<void> {
  for (const name of Object.keys(await readRecordedDemos()))
    await copyFile(join(demosFolder, `${name}.cast.gz`), join(site, 'demos', `${name}.cast.gz`));
}
