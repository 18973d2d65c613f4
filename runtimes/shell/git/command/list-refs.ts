import { limits } from '../../../../protocol/limits.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import { compareNames } from '../diff/file-changes.ts';
import { isRefName } from './ref-names.ts';

/** A branch, a tag, or another name of an object. */
export interface Ref {
  readonly name: string;
  readonly oid: string;
}

/** All refs at or below a prefix such as `refs/heads`, by name; the first `limits.gitBranches`. */
export async function listRefs(repository: Repository, prefix = 'refs'): Promise<Ref[]> {
  const { library, at } = repository;
  // What is none by its name is passed over, as git does.
  const names = (await library.listRefs({ ...at, filepath: prefix })).filter((short) =>
    isRefName(`${prefix}/${short}`),
  );
  const refs: Ref[] = [];
  for (const short of names.sort(compareNames).slice(0, limits.gitBranches)) {
    const name = `${prefix}/${short}`;
    const oid = await library.resolveRef({ ...at, ref: name }).catch(() => undefined);
    if (oid !== undefined) refs.push({ name, oid });
  }
  return refs;
}

/** `main`, `origin/main`, `v1`. */
export function shortRef(name: string): string {
  return name.replace(/^refs\/(?:heads|tags|remotes)\//, '').replace(/^refs\//, '');
}

/** The names of a commit, as `--decorate` shows them. */
export async function decorations(
  repository: Repository,
  { isFull = false }: { readonly isFull?: boolean } = {},
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const add = (oid: string, name: string) => found.set(oid, [...(found.get(oid) ?? []), name]);
  const [head, branch] = [await repository.head(), await repository.branch()];
  const shown = (name: string) => (isFull ? name : shortRef(name));
  if (head !== undefined)
    add(head, branch === undefined ? 'HEAD' : `HEAD -> ${shown(`refs/heads/${branch}`)}`);
  for (const prefix of ['refs/tags', 'refs/remotes', 'refs/heads', 'refs/stash']) {
    const refs = prefix === 'refs/stash' ? await stashRef(repository) : await listRefs(repository, prefix);
    // The last that was read stands first, as in git.
    for (const { name, oid } of refs.reverse()) {
      if (name === `refs/heads/${branch}`) continue;
      const commit = await commitNamed(repository, oid).catch(() => undefined);
      if (commit !== undefined) add(commit, `${prefix === 'refs/tags' ? 'tag: ' : ''}${shown(name)}`);
    }
  }
  return found;
}

async function stashRef({ library, at }: Repository): Promise<Ref[]> {
  const oid = await library.resolveRef({ ...at, ref: 'refs/stash' }).catch(() => undefined);
  return oid === undefined ? [] : [{ name: 'refs/stash', oid }];
}
