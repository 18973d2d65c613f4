import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

const configFile = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));

const options = { configFile, mode: 'stand-in', logLevel: 'error' } as const;

/** Built once in a process, which removes it when it ends: every file of tests that wants it serves the same. */
let built: Promise<string> | undefined;

/** The page as it is built, with the stand-in backend in it, on a server of its own. */
export async function serveBuiltPage(): Promise<AsyncDisposable & { readonly url: string }> {
  built ??= buildPage();
  const server = await preview({
    ...options,
    build: { outDir: await built },
    preview: { port: 0, host: '127.0.0.1' },
  });
  return {
    url: server.resolvedUrls?.local[0] ?? '',
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Resolves to its folder. */
async function buildPage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'coppice-page-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({ ...options, build: { outDir, emptyOutDir: true } });
  return outDir;
}
