import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { isRecord } from '../is-record.ts';
import { toLatin1 } from '../latin1.ts';

/** A member of a tree, by its path from the top; a directory comes before what is in it. */
export type FileEntry = { readonly path: string } & (
  | { readonly type: 'directory' }
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly isExecutable?: boolean }
  | { readonly type: 'symlink'; readonly target: string }
);

/**
 * A tree as `@webcontainer/api` sends it and as `@webcontainer/snapshot` packs it: `d` holds the entries of a directory; of a
 * file, `c` is its content (with `b`, a character a byte) and `l` the target of a link.
 */
export interface PackedTree {
  readonly d: Readonly<Record<string, PackedNode>>;
}
type PackedNode =
  | PackedTree
  | { readonly f: { readonly c: string | Uint8Array; readonly b?: true } | { readonly l: string } };

/** Reads a packed tree. @throws invalid-argument that names the entry; limit-exceeded */
export function* entriesOf(tree: unknown): Generator<FileEntry> {
  const count = { entries: 0 };
  yield* entriesBelow(tree, { path: '', count });
}

function* entriesBelow(
  node: unknown,
  { path, count }: { path: string; count: { entries: number } },
): Generator<FileEntry> {
  if (!isRecord(node) || !isRecord(node.d)) throw invalid(path, 'it is no directory of a file tree');
  for (const [name, entry] of Object.entries(node.d)) {
    const here = path === '' ? name : `${path}/${name}`;
    if (!isName(name)) throw invalid(here, 'its name is none of a file');
    if (++count.entries > limits.unpackEntries)
      throw new SandboxError(
        'limit-exceeded',
        `Cannot mount more than ${limits.unpackEntries} files at once`,
      );
    if (here.length > limits.nativePathBytes) throw invalid(here.slice(0, 100), 'its path is too long');
    if (isRecord(entry) && 'd' in entry) {
      yield { path: here, type: 'directory' };
      yield* entriesBelow(entry, { path: here, count });
    } else yield fileEntry(here, entry);
  }
}

function fileEntry(path: string, entry: unknown): FileEntry {
  const file = isRecord(entry) ? entry.f : undefined;
  if (!isRecord(file)) throw invalid(path, 'it is neither a file nor a directory');
  const { c: content, b: isBinary, l: target } = file;
  if (typeof target === 'string' && target !== '' && !target.includes('\0'))
    return { path, type: 'symlink', target };
  if (content instanceof Uint8Array) return { path, type: 'file', bytes: content };
  if (typeof content !== 'string') throw invalid(path, 'it has no content');
  const bytes = isBinary ? toLatin1(content) : new TextEncoder().encode(content);
  return { path, type: 'file', bytes };
}

/** Builds a packed tree; `contents` says how the content of a file is written. */
export function packEntries(
  entries: Iterable<FileEntry>,
  contents: (bytes: Uint8Array) => { c: string | Uint8Array; b?: true },
): PackedTree {
  // Names come from a sandbox: `__proto__` is one like any other.
  const top: PackedTree = { d: Object.create(null) as Record<string, PackedNode> };
  const directories = new Map<string, Record<string, PackedNode>>([
    ['', top.d as Record<string, PackedNode>],
  ]);
  const directory = (path: string): Record<string, PackedNode> => {
    const found = directories.get(path);
    if (found) return found;
    const made = Object.create(null) as Record<string, PackedNode>;
    directory(above(path))[nameOf(path)] = { d: made };
    directories.set(path, made);
    return made;
  };
  for (const entry of entries) {
    if (entry.type === 'directory') directory(entry.path);
    else
      directory(above(entry.path))[nameOf(entry.path)] = {
        f: entry.type === 'symlink' ? { l: entry.target } : contents(entry.bytes),
      };
  }
  return top;
}

function above(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

function invalid(path: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot mount ${JSON.stringify(path)}: ${why}`, {
    details: { path },
  });
}
