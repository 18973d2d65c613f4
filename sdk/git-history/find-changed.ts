import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { toByteString } from '../../tree/content/byte-string.ts';
import type { Sandbox } from '../sandbox.ts';
import { whyNoGitName } from './git-name.ts';

/**
 * The names of the directories, from `path` down, to the one that has all that differs between two snapshots: none where that is
 * `path` itself, or where it cannot be told; `undefined` where nothing differs that git would have.
 */
export async function findChanged(
  sandbox: Sandbox,
  options: {
    readonly from: SnapshotInfo['id'];
    readonly to: SnapshotInfo['id'];
    readonly path: string | undefined;
  },
): Promise<readonly string[] | undefined> {
  const { from, to, path = '' } = options;
  const changes = await sandbox.diff(from, to).catch(() => undefined);
  // A link on the way would have changes come under another path.
  const isTold = changes && changes.length < limits.diffChanges && (await isPlain(sandbox, path, to));
  if (!isTold) return [];
  let common: readonly string[] | undefined;
  for (const changed of changes.flatMap((change) => [change.path, change.from ?? change.path])) {
    if (path !== '' && (changed === path || path.startsWith(`${changed}/`))) return [];
    if (!changed.startsWith(`${path}/`)) continue;
    const names = changed.slice(path.length + 1).split('/');
    if (names.slice(0, -1).some((name) => whyNoGitName(toByteString(name), { isFile: true }))) continue;
    common = common === undefined ? names.slice(0, -1) : commonStart(common, names.slice(0, -1));
  }
  // The text of a name that is not UTF-8 is not its name.
  return common?.some((name) => name.includes('\ufffd')) ? [] : common;
}

async function isPlain(sandbox: Sandbox, path: string, at: SnapshotInfo['id']): Promise<boolean> {
  const names = path.split('/').slice(1);
  for (const index of names.keys()) {
    const above = `/${names.slice(0, index + 1).join('/')}`;
    const info = await sandbox.files.stat(above, { at }).catch(() => undefined);
    if (info?.type !== 'directory') return false;
  }
  return true;
}

function commonStart(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((name, at) => name !== other[at]);
  return end < 0 ? one : one.slice(0, end);
}
