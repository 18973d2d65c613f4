import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MachineStored, machineStored } from '../../../sandbox/checkpoints/running-image.ts';
import { type StaticServer, serveFolder } from '../../../scripts/static-server.ts';

/** On it a page asks, with the time, and each worker of a telling site that has stored a machine answers (`StoredAnswer`). */
export const storedChannel = 'machine stored';

export interface StoredAnswer extends MachineStored {
  /** Of the question. */
  readonly askedMs: number;
}

/** At the end of a worker's module. */
const telling = `
if (!globalThis.document) {
  const channel = new BroadcastChannel(${JSON.stringify(storedChannel)});
  channel.onmessage = ({ data: askedMs }) => {
    const [mark] = performance.getEntriesByName(${JSON.stringify(machineStored)});
    if (mark && typeof askedMs === 'number') channel.postMessage({ ...mark.detail, askedMs });
  };
}
`;

/** The built site, for browsers whose workers a test cannot ask: these tell their pages how a machine was stored. */
export async function serveTellingSite(): Promise<StaticServer> {
  const built = join(import.meta.dirname, '../../../dist/site');
  const folder = await mkdtemp(join(tmpdir(), 'coppice-site-'));
  const assets = join(folder, 'assets');
  for (const name of await readdir(built))
    if (name !== 'assets') await symlink(join(built, name), join(folder, name));
  await mkdir(assets);
  for (const name of await readdir(join(built, 'assets'))) {
    const from = join(built, 'assets', name);
    if (!/^main-.*\.js$/.test(name)) await symlink(from, join(assets, name));
    else await writeFile(join(assets, name), `${await readFile(from, 'utf8')}${telling}`);
  }
  const server = await serveFolder(folder, { port: 0 });
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
