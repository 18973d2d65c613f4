import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { RootMaker, RootName } from '../contract.ts';
import { removeFolder } from './remove-folder.ts';

/** Makes `folder` if it is not there, and removes what an earlier process has left in it, but for `spared`. */
export async function clearRoots(
  folder: string,
  spared: readonly RootName[],
  remove: (path: string) => Promise<void> = removeFolder,
): Promise<void> {
  const isSpared = new Set(spared.map((root) => root.folder));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) if (!isSpared.has(name)) await remove(join(folder, name));
}

/** The folder of a root in `folder` that an earlier process has left. @throws not-found */
export async function orphanedRoot(
  folder: string,
  { name, maker }: { readonly name: RootName; readonly maker: Pick<RootMaker, 'name'> },
): Promise<string> {
  if (name.kind !== maker.name) {
    throw new SandboxError(
      'not-found',
      `Cannot go on with a root of kind ${name.kind}: here they are ${maker.name}`,
    );
  }
  const path = join(folder, name.folder);
  if ((await lstat(path).catch(() => undefined))?.isDirectory()) return path;
  throw new SandboxError('not-found', `Cannot find the root ${name.folder}`);
}
