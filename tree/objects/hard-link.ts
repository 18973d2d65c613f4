import type { ByteString } from '../content/byte-string.ts';
import { objectKinds } from '../content/kinds.ts';
import { treeLimits } from '../limits.ts';
import { checkName } from '../live/name-rules.ts';
import type { PageFormat } from './pages.ts';

const maxPathBytes = (treeLimits.nameBytes + 1) * (treeLimits.depth + 1);

/**
 * Names from the root down, joined by NUL, so that the order of its bytes is the order in which the
 * tree is walked; a slash would sort after `-`.
 */
export type NulPath = ByteString;

/** One more name of a file (OB-13). */
export interface HardLink {
  readonly path: NulPath;
  /** The first name of the same file in walking order. */
  readonly primary: NulPath;
}

/** Pages of hard links, sorted by `path`. */
export const hardLinkFormat: PageFormat<HardLink> = {
  kind: objectKinds.linkPage,
  what: 'hard link page',
  key: (link) => link.path,
  encode: (link, writer) => {
    writer.text(link.path);
    writer.text(link.primary);
  },
  decode: (reader) => {
    const path = reader.text(maxPathBytes);
    const primary = reader.text(maxPathBytes);
    if (!isPath(path) || !isPath(primary)) reader.refuse('a path is bad');
    if (primary >= path) reader.refuse('a hard link comes before its file');
    return { path, primary };
  },
};

function isPath(path: NulPath): boolean {
  const names = path.split('\0');
  return names.length <= treeLimits.depth + 1 && names.every((name) => checkName(name) === 0);
}
