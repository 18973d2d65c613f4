import { treeLimits } from '../../tree/limits.ts';
import { isSymlink } from '../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../tree/live/file-tree.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { type ResolvedPath, resolveBytes } from '../../tree/live/resolve-path.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { absolutePath } from './absolute-path.ts';
import { nameOfText, textOfName } from './byte-names.ts';
import {
  type Device,
  descriptorInode,
  deviceDirectory,
  deviceLinkNamed,
  deviceNamed,
  deviceOfNode,
} from './devices.ts';
import { checked } from './tree-result.ts';

/** Where a path leads: into the tree, to a device, or to something in `/dev` that the tree does not have. */
export type FoundFile =
  | ({ readonly type: 'inode' } & ResolvedPath)
  | { readonly type: 'device'; readonly device: Device }
  | { readonly type: 'made'; readonly inode: InodeView };

interface FindOptions {
  readonly followLast: boolean;
  /** Links followed until here. */
  readonly followed?: number;
}

/** @throws ShellError ENOENT where a name on the way is missing; of the last name `ino` is 0 */
export function findFile(tree: LiveTree, path: ShellText, options: FindOptions): FoundFile {
  if (path === '') throw new ShellError('ENOENT');
  const made = madeFile(tree, path, options.followLast);
  if (made) return made;
  const found = resolveBytes(tree, nameOfText(path), options);
  const isThere = typeof found !== 'number' && found.ino !== 0;
  if (isThere) {
    const node = tree.stat(found.ino);
    const device = node && deviceOfNode(node);
    return device ? { type: 'device', device } : { type: 'inode', ...found };
  }
  const inDevices = typeof found !== 'number' && isDeviceDirectory(tree, found.directory);
  const named = inDevices ? deviceNamed(found.name) : undefined;
  if (named) return { type: 'device', device: named };
  const linked = options.followLast ? deviceBehindLink(tree, path, options.followed ?? 0) : undefined;
  if (linked) return linked;
  if (typeof found === 'number') checked(found);
  return { type: 'inode', ...(found as ResolvedPath) };
}

const descriptorPath = /^\/(?:dev|proc\/self)\/fd\/\d{1,6}$/;

function madeFile(tree: LiveTree, path: ShellText, followLast: boolean): FoundFile | undefined {
  if (descriptorPath.test(path)) return { type: 'made', inode: descriptorInode };
  if (!path.startsWith('/dev')) return undefined;
  if (path === '/dev' || path === '/dev/') {
    return tree.lookup(tree.root, 'dev') === 0 ? { type: 'made', inode: deviceDirectory } : undefined;
  }
  if (path[4] !== '/') return undefined;
  const name = path.slice(5);
  const device = deviceNamed(name);
  if (device) return { type: 'device', device };
  if (name === 'fd/') return { type: 'made', inode: deviceDirectory };
  const link = deviceLinkNamed(name);
  if (link === undefined || !followLast) return link && { type: 'made', inode: link };
  return { type: 'made', inode: name === 'fd' ? deviceDirectory : descriptorInode };
}

function isDeviceDirectory(tree: LiveTree, directory: Ino): boolean {
  return tree.lookup(tree.root, 'dev') === directory;
}

/** A link to `/dev/null` works in a tree that has no `/dev` as well. */
function deviceBehindLink(tree: LiveTree, path: ShellText, followed: number): FoundFile | undefined {
  if (followed >= treeLimits.symlinksFollowed) return undefined;
  const link = resolveBytes(tree, nameOfText(path), { followLast: false });
  const inode = typeof link === 'number' ? undefined : tree.stat(link.ino);
  if (inode === undefined || !isSymlink(inode.mode)) return undefined;
  const target = absolutePath(path.slice(0, path.lastIndexOf('/')), textOfName(inode.target ?? ''));
  try {
    const found = findFile(tree, target, {
      followLast: true,
      followed: followed + 1,
    });
    return found.type === 'inode' ? undefined : found;
  } catch {
    return undefined;
  }
}
