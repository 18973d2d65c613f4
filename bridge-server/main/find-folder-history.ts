import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';

/** Which folder of the host, and where histories are kept. */
export interface HistoryPlace {
  /** The folder of this host's sandboxes. */
  readonly root: string;
  /** The folder that has a history, or is to have one. */
  readonly folder: string;
}

/** The folder itself, or the nearest one above it, that has a history. @throws not-found where there is no such folder */
export function findFolderHistory({ root, folder }: HistoryPlace): string | undefined {
  if (!existsSync(join(root, 'folders'))) return undefined;
  for (let at = realFolder({ root, folder }); ; at = dirname(at)) {
    if (hasHistory({ root, folder: at })) return at;
    if (at === dirname(at)) return undefined;
  }
}

export function hasHistory(place: HistoryPlace): boolean {
  return existsSync(join(historyPath(place), 'coppice.sqlite'));
}

/** Named by its real path: a folder that is moved begins anew. */
export function historyPath({ root, folder }: HistoryPlace): string {
  return join(root, 'folders', createHash('sha256').update(folder).digest('hex').slice(0, 32));
}

/** A folder by the path that it has without links. @throws not-found */
export function realFolder({ root, folder }: HistoryPlace): string {
  try {
    const real = realpathSync(folder);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // It is told below.
  }
  const isKept = hasHistory({ root, folder: pathOfGone(folder) });
  const remedy = `: its history is there, so make it again with mkdir, and coppice undo brings back what was in it`;
  throw new SandboxError('not-found', `There is no folder ${folder}${isKept ? remedy : ''}`);
}

/** The path that a folder had without links, as far as what it was in is there. */
function pathOfGone(folder: string): string {
  try {
    return join(realpathSync(dirname(folder)), basename(folder));
  } catch {
    return folder;
  }
}
