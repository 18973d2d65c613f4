import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../../../images/archive/run-tool.ts';
import { SandboxError } from '../../../protocol/errors.ts';

const volumeBytes = 4 * 2 ** 30;

/** A btrfs of its own in a loop file; unmounted and gone when disposed. */
export interface BtrfsVolume extends AsyncDisposable {
  /** A subvolume with a copy of a folder's files. */
  readonly base: string;
  /** Makes a writable snapshot of `base`. Resolves to its path. */
  branch(name: string): Promise<string>;
  remove(path: string): Promise<void>;
}

/** Makes one, with what is in `folder`. @throws Error that says what this host lacks */
export async function openBtrfsVolume(folder: string): Promise<BtrfsVolume> {
  await using stack = new AsyncDisposableStack();
  const place = await mkdtemp(join(tmpdir(), 'coppice-bench-btrfs-'));
  stack.defer(() => rm(place, { recursive: true }));
  const [file, mounted] = [join(place, 'volume'), join(place, 'mounted')];
  await writeFile(file, '');
  await truncate(file, volumeBytes);
  await mkdir(mounted);
  await mountBtrfs(file, mounted);
  stack.defer(async () => void (await runTool(['umount', mounted])));
  const base = join(mounted, 'base');
  await runTool(['btrfs', 'subvolume', 'create', base]);
  await runTool(['cp', '-a', `${folder}/.`, base]);
  const owned = stack.move();
  return {
    base,
    branch: async (name) => {
      const path = join(mounted, name);
      await runTool(['btrfs', 'subvolume', 'snapshot', base, path]);
      return path;
    },
    remove: async (path) => void (await runTool(['btrfs', 'subvolume', 'delete', path])),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function mountBtrfs(file: string, mounted: string): Promise<void> {
  try {
    await runTool(['mkfs.btrfs', '--quiet', file]);
    await runTool(['mount', '-t', 'btrfs', '-o', 'loop', file, mounted]);
  } catch (cause) {
    const { code, message } = SandboxError.from(cause);
    const remedy = code === 'unsupported' ? ': apt-get install btrfs-progs' : '';
    throw new Error(`There is no btrfs to compare with (${message})${remedy}`, { cause });
  }
}
