import { mkdtemp, readdir, rm, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StaticServer, serveFolder } from '../../../scripts/static-server.ts';

export interface ForgetfulSite extends StaticServer {
  /** From now on the server answers 404 for everything of every image. */
  forgetImages(): Promise<void>;
}

/** The built site on a port of its own, which can lose its images. */
export async function serveForgetfulSite(): Promise<ForgetfulSite> {
  const built = join(import.meta.dirname, '../../../dist/site');
  const folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
  for (const name of await readdir(built)) await symlink(join(built, name), join(folder, name));
  const server = await serveFolder(folder, { port: 0 });
  return {
    url: server.url,
    forgetImages: () => unlink(join(folder, 'images')),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
