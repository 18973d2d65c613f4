// `npm run docs`: the documentation as a static site in dist/docs, with a search, and below it a site that runs what is on its pages.
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildShellSite } from './build-shell-site.ts';
import { root, runStep } from './run-step.ts';

/** VitePress wants its packages above its pages, and everybody else would install them for nothing: both are put here. */
const stage = join(root, '.cache/docs');
/** Examples of other sites have pages of their own. */
const notPages = [':!examples/embeds', ':!docs/site'];

const { output } = await runStep(['git', 'ls-files', '*.md', '*.png', '*.svg', ...notPages], { quiet: true });
const kept = new Set(['node_modules', 'package.json', 'package-lock.json']);
await mkdir(stage, { recursive: true });
for (const name of await readdir(stage))
  if (!kept.has(name)) await rm(join(stage, name), { recursive: true });
for (const path of output.split('\n').filter(Boolean)) await put(path, path);
for (const name of ['package.json', 'package-lock.json', '.vitepress'])
  await put(join('docs/site', name), name);
await step(['npm', 'install', '--prefix', stage, '--no-audit', '--no-fund']);
await step([join(stage, 'node_modules/.bin/vitepress'), 'build', stage]);
const site = join(root, 'dist/docs');
await rm(site, { recursive: true, force: true });
await mkdir(dirname(site), { recursive: true });
await rename(join(stage, '.vitepress/dist'), site);
await buildShellSite(join(site, 'site'));
console.log(`The documentation is in ${site}`);

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(join(stage, to)), { recursive: true });
  await cp(join(root, from), join(stage, to), { recursive: true });
}

async function step(command: readonly string[]): Promise<void> {
  const { code } = await runStep(command);
  if (code !== 0) process.exit(code);
}
