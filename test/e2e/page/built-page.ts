import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

const configFile = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));

/** The page as it is built, with the stand-in backend in it, on a server of its own. */
export async function serveBuiltPage(): Promise<AsyncDisposable & { readonly url: string }> {
  const outDir = await mkdtemp(join(tmpdir(), 'coppice-page-'));
  const options = { configFile, mode: 'stand-in', logLevel: 'error' } as const;
  await build({ ...options, build: { outDir, emptyOutDir: true } });
  const server = await preview({ ...options, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  return {
    url: server.resolvedUrls?.local[0] ?? '',
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(outDir, { recursive: true });
    },
  };
}
