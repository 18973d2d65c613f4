import { SandboxError } from '../../../protocol/errors.ts';
import type { GitCommit, GitPerson } from '../../../protocol/sandbox/git.ts';
import { indexTree } from './commit-trees.ts';
import type { Repository } from './repository.ts';
import { isAnyStaged, treeOf } from './staged-changes.ts';

/** Commits the index. @throws invalid-argument where nothing is staged or the message is empty, MissingNameError */
export async function commitStaged(
  repository: Repository,
  {
    what,
    message,
    author,
  }: { readonly what: string; readonly message: string; readonly author: GitPerson | undefined },
): Promise<GitCommit> {
  const headTree = await treeOf(repository);
  const made = await indexTree(repository);
  if (!(await (made ? made.differsFrom(headTree) : isAnyStaged(repository)))) {
    throw new SandboxError('invalid-argument', `${what}: nothing is staged`, {
      details: { remedy: 'Add what is to be committed first.' },
    });
  }
  const { library, at } = repository;
  const person = await repository.author(author);
  const text = message.trim();
  if (text === '') throw new SandboxError('invalid-argument', `${what}: the message is empty`);
  await made?.write(headTree);
  const oid = await library.commit({
    ...at,
    ...(made ? { tree: made.oid } : {}),
    message: `${text}\n`,
    author: person,
    committer: person,
  });
  return commitOf(await library.readCommit({ ...at, oid }));
}

/** A commit as the library has it, in our words. */
export function commitOf({
  oid,
  commit,
}: {
  readonly oid: string;
  readonly commit: {
    readonly parent: readonly string[];
    readonly message: string;
    readonly author: { readonly name: string; readonly email: string; readonly timestamp: number };
  };
}): GitCommit {
  const { name, email, timestamp } = commit.author;
  return {
    id: oid,
    parents: commit.parent,
    message: commit.message.trimEnd(),
    author: { name, email },
    authoredAtMs: timestamp * 1_000,
  };
}
