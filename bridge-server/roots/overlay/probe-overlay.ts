import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runHostTool } from '../../programs/host-tool.ts';
import { isWhiteout, readDiskStat } from '../disk-node.ts';
import { removeFolder } from '../remove-folder.ts';
import type { HostAbilities } from '../supported-metadata.ts';

/** Mounts, changes and removes a file; `sh` ends with the namespace, and the mount with it. */
const script =
  'mount -t overlay overlay -o "$1" "$2/root" && echo more >>"$2/root/kept" && rm "$2/root/gone"';

/**
 * Why overlay mounts with upper directories in `folder` do not work here, or `undefined` when they
 * do: one is mounted in a namespace of its own and has to leave a whiteout behind.
 */
export async function probeOverlay(
  folder: string,
  { isRoot, hasIds }: HostAbilities,
): Promise<string | undefined> {
  if (/[,:\\"]/.test(folder)) return `its folder "${folder}" has a character that mount options cannot`;
  const probe = join(folder, `probe-${randomUUID()}`);
  try {
    for (const name of ['lower', 'upper', 'work', 'root'])
      await mkdir(join(probe, name), { recursive: true });
    for (const name of ['kept', 'gone']) await writeFile(join(probe, 'lower', name), 'some');
    const layers = `lowerdir=${probe}/lower,upperdir=${probe}/upper,workdir=${probe}/work`;
    const options = isRoot ? layers : `${layers},userxattr`;
    const namespaces = hasIds ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
    await runHostTool('unshare', [...namespaces, '--', 'sh', '-c', script, 'sh', options, probe]);
    const whiteout = readDiskStat(Buffer.from(join(probe, 'upper', 'gone')));
    return whiteout && isWhiteout(whiteout) ? undefined : 'a removed file left no whiteout';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await removeFolder(probe);
  }
}
