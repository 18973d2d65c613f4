import { limits } from '../../../protocol/limits.ts';
import { isRefName } from '../git-names.ts';
import { followedBranch } from './list-branches.ts';
import { readReflog } from './reflog.ts';
import type { Repository } from './repository.ts';

/** An object that a name leads to. */
export interface NamedObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  /** Where the name has a path: what it has there, and how. */
  readonly path?: string;
  readonly mode?: number;
}

type Kind = NamedObject['type'];

const suffix = /(?:\^\{[^}]*\}|[~^]\d{0,9}|@\{[^}]*\})$/;

/**
 * The object of a name (gitrevisions): a ref, an id or its start, `@{-1}`, `@{upstream}`, `main@{2}`, each with `~2`, `^2`, `^{tree}`, and
 * `REVISION:PATH`, `:PATH` of the index. A tag is an object of its own, and is not followed unless the name says so.
 * @throws NotFoundError
 */
export async function objectOf(repository: Repository, name: string): Promise<NamedObject> {
  if (name.length > limits.gitRevisionCharacters) throw notFound(repository, `${name.slice(0, 40)}…`);
  const colon = colonOf(name);
  if (colon >= 0) return atPath(repository, name.slice(0, colon), name.slice(colon + 1));
  const suffixes: string[] = [];
  let base = name;
  for (let found = suffix.exec(base); found; found = suffix.exec(base)) {
    if (found[0].startsWith('@')) break;
    suffixes.push(found[0]);
    base = base.slice(0, found.index);
  }
  let object = await typed(repository, await baseOf(repository, base));
  for (const each of suffixes.reverse()) object = await follow(repository, { object, each, name });
  return object;
}

/** The same, as a commit: tags are followed. @throws NotFoundError */
export async function commitNamed(repository: Repository, name: string): Promise<string> {
  return (await peel(repository, await objectOf(repository, name), { kind: 'commit', name })).oid;
}

/** The tree of a commit, of a tag, or of itself. @throws NotFoundError */
export async function treeNamed(repository: Repository, name: string): Promise<string> {
  return (await peel(repository, await objectOf(repository, name), { kind: 'tree', name })).oid;
}

/** The first of the refs that git would take a short name for. */
export async function fullRef({ library, at }: Repository, name: string): Promise<string | undefined> {
  if (name === '' || /[\s~^:?*[\\]|\.\.|@\{/.test(name)) return undefined;
  const pseudo = /^[A-Z_]+$/.test(name) || name.startsWith('refs/') ? [name] : [];
  for (const ref of [
    ...pseudo,
    `refs/${name}`,
    `refs/tags/${name}`,
    `refs/heads/${name}`,
    `refs/remotes/${name}`,
    `refs/remotes/${name}/HEAD`,
  ]) {
    const oid = await library.resolveRef({ ...at, ref }).catch(() => undefined);
    if (oid !== undefined) return ref;
  }
  return undefined;
}

/** The remote branch that a branch follows, by its settings; `undefined` where it follows none. */
export async function upstreamOf(repository: Repository, branch: string): Promise<string | undefined> {
  const merge = await repository.setting(`branch.${branch}.merge`);
  const remote = await repository.setting(`branch.${branch}.remote`);
  if (merge === undefined || remote === undefined) return undefined;
  if (remote === '.') return merge;
  const followed = await followedBranch(repository, branch);
  return `refs/remotes/${followed.remote}/${followed.branch}`;
}

function notFound({ library }: Repository, name: string): Error {
  return new library.Errors.NotFoundError(name);
}

/** The colon that ends a revision: none of those within braces. */
function colonOf(name: string): number {
  let depth = 0;
  for (let at = 0; at < name.length; at++) {
    if (name[at] === '{') depth += 1;
    else if (name[at] === '}') depth -= 1;
    else if (name[at] === ':' && depth === 0) return at;
  }
  return -1;
}

async function baseOf(repository: Repository, base: string): Promise<string> {
  const { library, at } = repository;
  const [, ref = '', inBraces] = /^(.*?)@\{([^}]*)\}$/.exec(base) ?? [];
  if (inBraces !== undefined) return ofReflog(repository, { base, ref, inBraces });
  const name = base === '@' ? 'HEAD' : base;
  const full = await fullRef(repository, name);
  if (full !== undefined) return library.resolveRef({ ...at, ref: full });
  // As `describe` writes it: what stands after the `g` decides.
  const [, digits] = /^(?:.*-g)?([0-9a-f]{4,40})$/.exec(name) ?? [];
  if (digits === undefined) throw notFound(repository, base);
  return digits.length === 40 ? digits : library.expandOid({ ...at, oid: digits });
}

async function ofReflog(
  repository: Repository,
  { base, ref, inBraces }: { readonly base: string; readonly ref: string; readonly inBraces: string },
): Promise<string> {
  const { library, at } = repository;
  const branch = ref === '' || ref === '@' || ref === 'HEAD' ? await repository.branch() : ref;
  if (/^(?:u|upstream)$/i.test(inBraces)) {
    const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch);
    if (upstream === undefined) throw notFound(repository, `upstream of ${branch ?? 'HEAD'}`);
    return library.resolveRef({ ...at, ref: upstream });
  }
  if (/^-\d{1,4}$/.test(inBraces) && ref === '') {
    const previous = await previousBranch(repository, Number(inBraces.slice(1)));
    if (previous === undefined) throw notFound(repository, base);
    return baseOf(repository, previous);
  }
  if (!/^\d{1,6}$/.test(inBraces)) throw notFound(repository, base);
  const full =
    ref === ''
      ? branch === undefined
        ? 'HEAD'
        : `refs/heads/${branch}`
      : await fullRef(repository, ref === '@' ? 'HEAD' : ref);
  const entries = full === undefined ? [] : await readReflog(repository, full);
  const entry = entries.at(-1 - Number(inBraces));
  if (entry) return entry.newer;
  if (full !== undefined && inBraces === '0') return library.resolveRef({ ...at, ref: full });
  throw notFound(repository, base);
}

/** What was checked out before, by the log of HEAD: `@{-1}`. */
export async function previousBranch(repository: Repository, count: number): Promise<string | undefined> {
  const moves = (await readReflog(repository, 'HEAD')).flatMap(({ message }) => {
    const [, from] = /^checkout: moving from (\S+) to \S+$/.exec(message) ?? [];
    return from === undefined ? [] : [from];
  });
  const name = moves.at(-count);
  return name !== undefined && (isRefName(name) || /^[0-9a-f]{40}$/.test(name)) ? name : undefined;
}

async function typed({ library, at }: Repository, oid: string): Promise<NamedObject> {
  const { type } = await library.readObject({ ...at, oid, format: 'content' });
  return { oid, type: type as Kind };
}

async function follow(
  repository: Repository,
  { object, each, name }: { readonly object: NamedObject; readonly each: string; readonly name: string },
): Promise<NamedObject> {
  const { library, at, signal } = repository;
  const [, kind] = /^\^\{([^}]*)\}$/.exec(each) ?? [];
  if (kind !== undefined) {
    if (kind === 'object') return object;
    if (kind !== '' && !['commit', 'tree', 'blob', 'tag'].includes(kind)) throw notFound(repository, name);
    return peel(repository, object, { kind: kind === '' ? undefined : (kind as Kind), name });
  }
  let { oid } = await peel(repository, object, { kind: 'commit', name });
  const count = each.length === 1 ? 1 : Number(each.slice(1));
  // `^2` is the second parent, `~2` the parent of the parent.
  const isParent = each.startsWith('^');
  const steps = isParent ? Math.min(count, 1) : count;
  for (let step = 0; step < steps; step++) {
    signal.throwIfAborted();
    const { commit } = await library.readCommit({ ...at, oid });
    const parent = commit.parent[isParent ? count - 1 : 0];
    if (parent === undefined) throw notFound(repository, name);
    oid = parent;
  }
  return { oid, type: 'commit' };
}

/** Follows tags, and a commit to its tree, until there is such an object; without a kind, to what is no tag. */
async function peel(
  repository: Repository,
  object: NamedObject,
  { kind, name }: { readonly kind: Kind | undefined; readonly name: string },
): Promise<NamedObject> {
  const { library, at } = repository;
  let here = object;
  for (let depth = 0; depth < limits.gitTagDepth; depth++) {
    if (here.type === kind || (kind === undefined && here.type !== 'tag')) return here;
    if (here.type === 'tag')
      here = await typed(repository, (await library.readTag({ ...at, oid: here.oid })).tag.object);
    else if (here.type === 'commit' && kind === 'tree')
      here = { oid: (await library.readCommit({ ...at, oid: here.oid })).commit.tree, type: 'tree' };
    else break;
  }
  throw notFound(repository, name);
}

async function atPath(repository: Repository, revision: string, path: string): Promise<NamedObject> {
  const { library, at } = repository;
  if (revision === '') {
    const { indexRows } = await import('./index-rows.ts');
    const [, stage = '0', file = path] = /^([0-3]):([\s\S]*)$/.exec(path) ?? [];
    const row = (await indexRows(repository)).find(
      (each) => each.path === file && each.stage === Number(stage),
    );
    if (!row) throw notFound(repository, `:${path}`);
    return { oid: row.oid, type: 'blob', path: file, mode: row.mode };
  }
  let oid = await treeNamed(repository, revision);
  let mode = 0o040000;
  const names = path.split('/').filter((part) => part !== '' && part !== '.');
  for (const [index, part] of names.entries()) {
    const { tree } = await library.readTree({ ...at, oid });
    const entry = tree.find((each) => each.path === part);
    if (!entry || (entry.type !== 'tree' && index < names.length - 1))
      throw notFound(repository, `${revision}:${path}`);
    oid = entry.oid;
    mode = Number.parseInt(entry.mode, 8);
  }
  const type = mode === 0o040000 ? 'tree' : mode === 0o160000 ? 'commit' : 'blob';
  return { oid, type, path: names.join('/'), mode };
}
