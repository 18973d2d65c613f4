import type { ByteString } from '../../tree/content/byte-string.ts';
import type { TreeChange } from '../../tree/objects/diff-trees.ts';
import type { TarPart } from '../../tree/tar/write-tar.ts';

/** What an archive has that is of changes only: what was renamed or made with all below it, and otherwise what changed itself. */
export function changedParts(changes: readonly TreeChange[]): ReadonlyMap<ByteString, TarPart> {
  const parts = new Map<ByteString, TarPart>();
  for (const { type, path } of changes) {
    const name = path === '/' ? '.' : path.slice(1);
    if (type === 'deleted' || name === '.') continue;
    parts.set(name, type === 'created' || type === 'renamed' ? 'whole' : 'itself');
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      const directory = name.slice(0, end);
      if (parts.has(directory)) break;
      parts.set(directory, 'below');
    }
  }
  return parts;
}
