import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { sharedFolder } from '../../host/shared-layer.ts';

const configFile = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));

const options = { configFile, mode: 'stand-in', logLevel: 'error' } as const;

/** The page as it is built, with the stand-in backend in it, on a server of its own. */
export async function serveBuiltPage(): Promise<AsyncDisposable & { readonly url: string }> {
  const outDir = await buildPage();
  const server = await preview({
    ...options,
    build: { outDir },
    preview: { port: 0, host: '127.0.0.1' },
  });
  return {
    url: server.resolvedUrls?.local[0] ?? '',
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Resolves to its folder: built once in a run, which starts a process for each set of fixtures and after each failure. */
async function buildPage(): Promise<string> {
  const built = join(sharedFolder(), 'page');
  if (existsSync(built)) return built;
  const outDir = `${built}-unfinished`;
  await build({ ...options, build: { outDir, emptyOutDir: true } });
  await rename(outDir, built);
  return built;
}
