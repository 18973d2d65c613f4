import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitMerged, GitPerson } from '../../../protocol/sandbox/git.ts';
import { mergeConflict, mergeMessage } from '../merge-conflict.ts';
import { assertNothingStaged } from './assert-nothing-staged.ts';
import type { GitFiles } from './git-files.ts';
import { mergeBases } from './merge-bases.ts';
import { moveFiles } from './move-files.ts';
import type { Repository } from './repository.ts';
import { treeChanges } from './tree-changes.ts';

/** What is merged into HEAD. */
export interface MergedCommit {
  /** The id of the commit. */
  readonly theirs: string;
  /** What it is, as git names it in the message: `branch 'other'`. */
  readonly name: string;
}

interface MergeOptions extends MergedCommit {
  readonly author: GitPerson | undefined;
  /** Refuses to make a commit that joins both sides. */
  readonly onlyForward: boolean;
  /** Makes a commit even where the branch could just move on. */
  readonly neverForward: boolean;
  /** Of the commit of the merge; what git would say by default. */
  readonly message: string | undefined;
  readonly mergeText: GitFiles['mergeText'];
  readonly what: string;
}

/**
 * Merges a commit into HEAD. The merge is made among the objects of the repository first, then the files follow, then the branch:
 * whatever refuses it leaves branch, index and files as they were.
 * @throws conflict, with `details.paths`; unsupported, invalid-argument, and what the library throws
 */
export async function mergeCommits(repository: Repository, options: MergeOptions): Promise<GitMerged> {
  const { library, at } = repository;
  const { theirs, what } = options;
  const [head, branch] = await Promise.all([repository.head(), repository.branch()]);
  const merged = (commit: string, kind: GitMerged['kind']): GitMerged => ({
    head: commit,
    ...(branch === undefined ? {} : { branch }),
    kind,
  });
  const isAncestor = async (ancestor: string, oid: string) =>
    ancestor === oid || (await library.isDescendent({ ...at, oid, ancestor, depth: -1 }));
  if (head !== undefined && (await isAncestor(theirs, head))) return merged(head, 'up-to-date');
  await assertNothingStaged(repository, what);
  const isBehind = head === undefined || (await isAncestor(head, theirs));
  if (!isBehind && options.onlyForward) {
    throw new SandboxError('conflict', `${what}: not possible to fast-forward, as both sides have commits`);
  }
  const isForward = isBehind && (head === undefined || !options.neverForward);
  const commit = isForward ? theirs : await joinCommits(repository, { ...options, head, branch, isBehind });
  await moveTo(repository, { commit, branch, what });
  return merged(commit, isForward ? 'fast-forward' : 'merge');
}

/** What a revision is, as git names it in the message of a merge. */
export async function nameOf({ library, at }: Repository, ref: string): Promise<string> {
  const isThere = (full: string) =>
    library.resolveRef({ ...at, ref: full }).then(
      () => true,
      () => false,
    );
  if (await isThere(`refs/heads/${ref}`)) return `branch '${ref}'`;
  if (await isThere(`refs/tags/${ref}`)) return `tag '${ref}'`;
  return (await isThere(`refs/remotes/${ref}`)) ? `remote-tracking branch '${ref}'` : `commit '${ref}'`;
}

/** Puts the files at a commit, then the branch; all as it was where something fails. */
async function moveTo(
  repository: Repository,
  {
    commit,
    branch,
    what,
  }: { readonly commit: string; readonly branch: string | undefined; readonly what: string },
): Promise<void> {
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  await moveFiles(repository, {
    changes: await treeChanges(repository, { older: await repository.headTree(), newer: commit }),
    finish: ({ library, at }) => library.writeRef({ ...at, ref, value: commit, force: true }),
    what,
  });
}

/** Makes a commit of both; nothing refers to it yet. */
async function joinCommits(
  repository: Repository,
  options: MergeOptions & {
    readonly head: string;
    readonly branch: string | undefined;
    readonly isBehind: boolean;
  },
): Promise<string> {
  const { library, at } = repository;
  const { head, theirs, branch, what } = options;
  const person = await repository.author(options.author);
  const text = options.message?.trim() || mergeMessage(options.name, branch);
  const made = { message: `${text}\n`, author: person, committer: person, noUpdateBranch: true };
  if (options.isBehind) {
    const { tree } = (await library.readCommit({ ...at, oid: theirs })).commit;
    return library.commit({ ...at, ...made, tree, parent: [head, theirs] });
  }
  await assertOneBase(repository, { head, theirs, what });
  const { oid = '' } = await library
    .merge({
      ...at,
      ours: 'HEAD',
      theirs,
      ...made,
      mergeDriver: (asked) =>
        mergeFile(asked.contents, (...texts) => options.mergeText(...texts, repository.signal)),
    })
    .catch((error) => {
      throw asConflict(error, what);
    });
  return oid;
}

/** @throws unsupported where the two come from no commit, or from several */
async function assertOneBase(
  repository: Repository,
  { head, theirs, what }: { readonly head: string; readonly theirs: string; readonly what: string },
): Promise<void> {
  const { library, at } = repository;
  const bases = await mergeBases(repository, head, theirs);
  const [taken] = await library.findMergeBase({ ...at, oids: [head, theirs] });
  // The library merges with the base that it finds, which is the nearest by steps.
  if (bases.length === 1 && taken === bases[0]) return;
  const why =
    bases.length === 0 ? 'the two have no commit in common' : 'the two have been merged crosswise before';
  const remedy =
    bases.length === 0
      ? 'Fetch more of the history: a shallow clone may lack the commit that both come from.'
      : 'Merge them with git in a machine or on a host.';
  throw new SandboxError('unsupported', `${what}: ${why}`, { details: { feature: 'merge', remedy } });
}

/** The library takes each file for text in UTF-8: of one that is none, nothing is merged. */
async function mergeFile(
  [base = '', ours = '', theirs = '']: readonly string[],
  mergeText: (base: string, sides: { ours: string; theirs: string }) => Promise<string | undefined>,
): Promise<{ cleanMerge: boolean; mergedText: string }> {
  const texts = [base, ours, theirs];
  const isText = texts.every((text) => text.length <= limits.textDiffBytes && !/[\0\ufffd]/.test(text));
  const merged = isText ? await mergeText(base, { ours, theirs }) : undefined;
  return { cleanMerge: merged !== undefined, mergedText: merged ?? ours };
}

function asConflict(error: unknown, what: string): unknown {
  const { code, data } = error as {
    readonly code?: string;
    readonly data?: { readonly filepaths?: readonly string[] };
  };
  // That of files against directories names none.
  if (code !== 'MergeConflictError' && code !== 'MergeNotSupportedError') return error;
  return mergeConflict(what, data?.filepaths ?? []);
}
