import { join } from 'node:path';
import { runTool } from '../../../host/run-tool.ts';
import { openBtrfsVolume } from '../../fixtures/btrfs-volume.ts';

/** A subvolume that is branched with nothing but the tool of btrfs; gone when disposed. */
export interface BtrfsBranches extends AsyncDisposable {
  /** A subvolume with a copy of a folder's files. */
  readonly base: string;
  /** Makes a writable snapshot of `base`. Resolves to its path. */
  branch(name: string): Promise<string>;
  remove(path: string): Promise<void>;
}

/** Makes one on a volume of its own, with what is in `folder`. @throws Error that says what this host lacks */
export async function openBtrfsBranches(folder: string): Promise<BtrfsBranches> {
  await using stack = new AsyncDisposableStack();
  const volume = stack.use(await openBtrfsVolume());
  const base = join(volume.folder, 'base');
  await runTool(['btrfs', 'subvolume', 'create', base]);
  await runTool(['cp', '-a', `${folder}/.`, base]);
  const owned = stack.move();
  return {
    base,
    branch: async (name) => {
      const path = join(volume.folder, name);
      await runTool(['btrfs', 'subvolume', 'snapshot', base, path]);
      return path;
    },
    remove: async (path) => void (await runTool(['btrfs', 'subvolume', 'delete', path])),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
