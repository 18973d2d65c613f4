import type { PromiseFsClient } from 'isomorphic-git';

type Node = { readonly inode: number; mtimeMs: number } & (
  | { readonly type: 'dir'; readonly entries: Map<string, Node> }
  | { readonly type: 'file'; bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: string }
);

/** What a node is made of. */
type Made =
  | { readonly type: 'dir' }
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: string };

type Encoding = string | { readonly encoding?: string } | undefined;

const modes = { dir: 0o040755, file: 0o100000, symlink: 0o120777 } as const;

/** The least that isomorphic-git takes for files: maps in memory, with nothing checked and nothing shared. Symbolic links are not followed. */
export function memoryFiles(): PromiseFsClient {
  let made = 0;
  const root = { type: 'dir', inode: made, mtimeMs: 0, entries: new Map<string, Node>() } as const;

  function find(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const name of namesOf(path)) node = node?.type === 'dir' ? node.entries.get(name) : undefined;
    return node;
  }
  function existing(path: string): Node {
    return find(path) ?? refuse('ENOENT', path);
  }
  function above(path: string): { entries: Map<string, Node>; name: string } {
    const names = namesOf(path);
    const name = names.pop() ?? '';
    const directory = find(names.join('/'));
    if (directory?.type !== 'dir') return refuse('ENOENT', path);
    return { entries: directory.entries, name };
  }
  function put(path: string, node: Made): void {
    const { entries, name } = above(path);
    const common = { inode: ++made, mtimeMs: Date.now() };
    entries.set(
      name,
      node.type === 'dir' ? { ...common, ...node, entries: new Map() } : { ...common, ...node },
    );
  }
  function remove(path: string): void {
    const { entries, name } = above(path);
    if (!entries.delete(name)) refuse('ENOENT', path);
  }
  async function stat(path: string) {
    return statOf(existing(path));
  }

  return {
    promises: {
      stat,
      lstat: stat,
      readFile: async (path: string, options?: Encoding) => {
        const node = existing(path);
        if (node.type !== 'file') return refuse('EISDIR', path);
        const encoding = typeof options === 'string' ? options : options?.encoding;
        return encoding === undefined ? node.bytes : new TextDecoder().decode(node.bytes);
      },
      writeFile: async (path: string, content: Uint8Array | string, options?: { readonly mode?: number }) => {
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
        put(path, { type: 'file', bytes, mode: (options?.mode ?? 0o666) & ~0o022 });
      },
      mkdir: async (path: string) => {
        if (find(path)) refuse('EEXIST', path);
        put(path, { type: 'dir' });
      },
      readdir: async (path: string) => {
        const node = existing(path);
        return node.type === 'dir' ? [...node.entries.keys()] : refuse('ENOTDIR', path);
      },
      readlink: async (path: string) => {
        const node = existing(path);
        return node.type === 'symlink' ? node.target : refuse('EINVAL', path);
      },
      symlink: async (target: string, path: string) => put(path, { type: 'symlink', target }),
      unlink: async (path: string) => remove(path),
      rmdir: async (path: string) => remove(path),
    },
  };
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function statOf(node: Node) {
  const { type, inode, mtimeMs } = node;
  return {
    mode: modes[type] | (node.type === 'file' ? node.mode : 0),
    size: node.type === 'file' ? node.bytes.length : 0,
    ...{ ino: inode, mtimeMs, ctimeMs: mtimeMs, uid: 1000, gid: 1000, dev: 1 },
    isFile: () => type === 'file',
    isDirectory: () => type === 'dir',
    isSymbolicLink: () => type === 'symlink',
  };
}

function refuse(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}
