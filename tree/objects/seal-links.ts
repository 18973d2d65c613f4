import type { ObjectId } from '../content/object-id.ts';
import { treeLimits } from '../limits.ts';
import { pathOfLink } from '../live/paths.ts';
import type { TreeSnapshot } from '../live/tree-snapshot.ts';
import type { HardLink } from './hard-link.ts';
import { hardLinkFormat } from './hard-link.ts';
import type { ObjectBatch } from './object-batch.ts';
import { encodePages } from './pages.ts';

/** Writes the list of hard links. @throws RangeError when their paths are too much for one list */
export function sealLinks(snapshot: TreeSnapshot, batch: ObjectBatch): ObjectId[] {
  const pages = encodePages(hardLinks(snapshot), hardLinkFormat);
  for (const page of pages) batch.addObject(page.object);
  return pages.map((page) => page.object.id);
}

function hardLinks(snapshot: TreeSnapshot): HardLink[] {
  const found: HardLink[] = [];
  let bytes = 0;
  snapshot.hardLinked.forEach((_, ino) => {
    const inode = snapshot.inodes.get(ino);
    const links = inode ? [inode.link, ...inode.otherLinks] : [];
    const [primary, ...others] = links.map((link) => nulPath(link, snapshot)).sort();
    if (primary === undefined) return;
    for (const path of others) {
      found.push({ path, primary });
      bytes += path.length + primary.length;
      if (bytes > treeLimits.hardLinkPathBytes) {
        throw new RangeError(
          `Cannot seal tree: the paths of its hard links take more than ${treeLimits.hardLinkPathBytes} bytes`,
        );
      }
    }
  });
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function nulPath(link: { parent: number; name: string }, snapshot: TreeSnapshot): string {
  const path = pathOfLink(link, (ino) => snapshot.inodes.get(ino)) ?? '';
  return path.slice(1).replaceAll('/', '\0');
}
