import { limits } from '../../../../protocol/limits.ts';
import { readCommitParts } from '../../../../sandbox/git/library/read-commit.ts';
import { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';
import { listRefs, type Ref } from './list-refs.ts';

/** Another repository of the same sandbox. */
export interface LocalRemote {
  readonly repository: Repository;
  readonly path: string;
  readonly isBare: boolean;
}

/** Whether a URL is a path of the sandbox. */
export function isLocal(url: string): boolean {
  return (
    url.startsWith('file://') || url.startsWith('/') || url.startsWith('.') || !/^[A-Za-z0-9.@+-]+:/.test(url)
  );
}

/** Opens the repository at a path, as seen from `from`. @throws GitCommandError where there is none */
export async function openLocal(git: GitCall, url: string, from: string): Promise<LocalRemote> {
  const whole = plainPath(absolutePath(from, url.replace(/^file:\/\//, '')));
  const { files } = git.parts;
  for (const path of [whole, `${whole}.git`]) {
    const isBare = !files.isThere(`${path}/.git`);
    if (
      isBare &&
      !(
        files.isThere(`${path}/HEAD`) &&
        files.isDirectory(`${path}/objects`) &&
        files.isDirectory(`${path}/refs`)
      )
    )
      continue;
    if (!isBare && !files.isDirectory(`${path}/.git`)) continue;
    const repository = await Repository.open(files, path, { signal: git.call.signal, what: 'fatal', isBare });
    return { repository, path, isBare };
  }
  throw new GitCommandError(
    `fatal: '${url}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
  );
}

function plainPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Its branches and tags, and HEAD first. */
export async function remoteRefs({ repository }: LocalRemote): Promise<Ref[]> {
  const head = await repository.head();
  const refs = [...(await listRefs(repository, 'refs/heads')), ...(await listRefs(repository, 'refs/tags'))];
  return head === undefined ? refs : [{ name: 'HEAD', oid: head }, ...refs];
}

/** Brings objects, and all that they lead to, from one repository to another that lacks them. @throws GitCommandError */
export async function copyObjects(from: Repository, to: Repository, tips: readonly string[]): Promise<void> {
  const { library, signal } = from;
  const seen = new Set<string>();
  const found: { readonly type: 'blob' | 'commit' | 'tag' | 'tree'; readonly oid: string }[] = [];
  const waiting = [...tips];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (seen.has(oid)) continue;
    signal.throwIfAborted();
    seen.add(oid);
    if (seen.size > limits.gitCopiedObjects)
      throw new GitCommandError(
        `fatal: there are more than ${limits.gitCopiedObjects} objects to bring over, which the git of a shell does not do`,
      );
    if (await has(to, oid)) continue;
    const { type } = await library.readObject({ ...from.at, oid, format: 'content' });
    found.push({ type: type as 'blob', oid });
    if (type === 'commit') {
      const { tree, parents } = await readCommitParts(from, oid);
      waiting.push(tree, ...parents);
    } else if (type === 'tree') {
      for (const entry of (await library.readTree({ ...from.at, oid })).tree)
        if (entry.type !== 'commit') waiting.push(entry.oid);
    } else if (type === 'tag') waiting.push((await library.readTag({ ...from.at, oid })).tag.object);
  }
  // What others lead to comes first: whatever ends this, nothing is there without what it leads to.
  for (const { type, oid } of found.reverse()) {
    signal.throwIfAborted();
    const { object } = await library.readObject({ ...from.at, oid, format: 'content' });
    await library.writeObject({ ...to.at, type, object: object as Uint8Array, format: 'content' });
  }
}

async function has({ library, at }: Repository, oid: string): Promise<boolean> {
  return library.readObject({ ...at, oid, format: 'deflated' }).then(
    () => true,
    () => false,
  );
}
