import { isRefName } from '../../../../sandbox/git/git-names.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { unstageFiles } from '../../../../sandbox/git/library/unstage-files.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { parseWords } from './parse-words.ts';
import { noteCheckout, withoutDash } from './previous-branch.ts';
import { restorePaths } from './restore-paths.ts';

const branch: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, {
    flags: [
      'all a',
      'remotes r',
      'show-current',
      'delete d',
      'D',
      'move m',
      'M',
      'list l',
      'verbose v',
      'no-color',
      'force f',
    ],
  });
  const { directory } = git;
  const { current, branches } = await git.git.branches({ directory });
  const repository = await git.open();
  const { library, at } = repository;
  if (has('show-current')) {
    if (current !== undefined) git.out.add(`${current}\n`);
    return 0;
  }
  if (has('delete') || has('D')) {
    for (const name of operands) {
      const found = branches.find((each) => each.name === name && !each.isRemote);
      if (!found) throw new GitCommandError(`error: branch '${name}' not found.`, 1);
      if (name === current)
        throw new GitCommandError(`error: Cannot delete branch '${name}' checked out at '${directory}'`, 1);
      if (!has('D') && !has('force') && !(await isMerged(repository, found))) {
        throw new GitCommandError(
          `error: The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
          1,
        );
      }
      await library.deleteBranch({ ...at, ref: name });
      git.out.add(`Deleted branch ${name} (was ${found.commit.slice(0, 7)}).\n`);
    }
    return 0;
  }
  if (has('move') || has('M')) {
    const [from, to] = operands.length > 1 ? operands : [current, operands[0]];
    await library.renameBranch({
      ...at,
      oldref: from ?? '',
      ref: checkedName(to),
      checkout: from === current,
    });
    return 0;
  }
  const [name, start] = operands;
  if (name !== undefined && !has('list')) {
    await makeBranch(repository, checkedName(name), start);
    return 0;
  }
  const listed = branches
    .filter(({ isRemote }) => (isRemote ? has('all') || has('remotes') : !has('remotes')))
    .map((each) => ({ ...each, name: each.isRemote && has('all') ? `remotes/${each.name}` : each.name }));
  if (current === undefined) git.out.add(`* (HEAD detached at ${(await repository.head())?.slice(0, 7)})\n`);
  const width = Math.max(0, ...listed.map((each) => each.name.length));
  for (const each of listed) {
    const mark = each.name === current ? '*' : ' ';
    if (!has('verbose')) git.out.add(`${mark} ${each.name}\n`);
    else {
      const { commit } = await library.readCommit({ ...at, oid: each.commit });
      const [subject] = commit.message.split('\n');
      git.out.add(`${mark} ${each.name.padEnd(width)} ${each.commit.slice(0, 7)} ${subject}\n`);
    }
  }
  return 0;
};

const checkout: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['quiet q', 'force f', 'track t'], values: ['b', 'B'] });
  const made = parsed.value('b') ?? parsed.value('B');
  if (made !== undefined)
    return switchTo(git, {
      name: made,
      start: parsed.operands[0],
      creates: true,
      isQuiet: parsed.has('quiet'),
    });
  const [given, ...others] = parsed.operands;
  const first = given === undefined ? undefined : await withoutDash(git, given);
  const repository = await git.open();
  const isRevision = first !== undefined && (await isKnown(git, repository, first));
  const paths = [...(isRevision ? others : parsed.operands), ...parsed.paths];
  if (paths.length > 0) {
    await restorePaths(git, { paths, from: isRevision ? first : undefined });
    return 0;
  }
  if (first === undefined) throw new GitCommandError('fatal: name a branch or a path to check out', 129);
  if (!isRevision)
    throw new GitCommandError(`error: pathspec '${first}' did not match any file(s) known to git`, 1);
  return switchTo(git, { name: first, creates: false, isQuiet: parsed.has('quiet') });
};

const switchCommand: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['quiet q', 'detach d'],
    values: ['create c', 'force-create C'],
  });
  const made = parsed.value('create') ?? parsed.value('force-create');
  const isQuiet = parsed.has('quiet');
  if (made !== undefined)
    return switchTo(git, { name: made, start: parsed.operands[0], creates: true, isQuiet });
  const [given] = parsed.operands;
  if (given === undefined) throw new GitCommandError('fatal: missing branch or commit argument');
  const name = await withoutDash(git, given);
  const { branches } = await git.git.branches({ directory: git.directory });
  const isBranch = branches.some((each) => each.name === name || each.name === `origin/${name}`);
  if (!isBranch && !parsed.has('detach')) throw new GitCommandError(`fatal: invalid reference: ${name}`);
  return switchTo(git, { name, creates: false, isQuiet });
};

const restore: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['staged S', 'worktree W', 'quiet q'], values: ['source s'] });
  const paths = [...parsed.operands, ...parsed.paths];
  if (paths.length === 0) throw new GitCommandError('fatal: you must specify path(s) to restore');
  if (parsed.has('staged')) await unstage(git, paths, parsed.value('source'));
  if (parsed.has('worktree') || !parsed.has('staged'))
    await restorePaths(git, { paths, from: parsed.value('source') });
  return 0;
};

const reset: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['hard', 'soft', 'mixed', 'quiet q'] });
  const repository = await git.open();
  const { revision, paths } = await git.splitOperands(repository, parsed);
  if (paths.length > 0) {
    const kind = ['hard', 'soft'].find((each) => parsed.has(each));
    if (kind !== undefined) throw new GitCommandError(`fatal: Cannot do ${kind} reset with paths.`);
    await unstage(git, paths, revision);
    return 0;
  }
  const { library, at } = repository;
  const target = await repository.commitOf(revision ?? 'HEAD');
  if (parsed.has('hard')) {
    await git.git.putBack({ directory: git.directory, commit: target, signal: git.call.signal });
    const { commit } = await library.readCommit({ ...at, oid: target });
    if (!parsed.has('quiet'))
      git.out.add(`HEAD is now at ${target.slice(0, 7)} ${commit.message.split('\n')[0]}\n`);
    return 0;
  }
  const branch = await repository.branch();
  await library.writeRef({
    ...at,
    ref: branch === undefined ? 'HEAD' : `refs/heads/${branch}`,
    value: target,
    force: true,
  });
  if (parsed.has('soft')) return 0;
  await unstageFiles(repository, { paths: ['.'], commit: target });
  return 0;
};

const tag: GitCommand = async (git, words) => {
  const { operands, has, values } = parseWords(words, {
    flags: ['list l', 'delete d', 'annotate a', 'force f'],
    values: ['message m'],
  });
  const repository = await git.open();
  const { library, at } = repository;
  if (operands.length === 0 || has('list')) {
    for (const name of (await library.listTags({ ...at })).sort()) git.out.add(`${name}\n`);
    return 0;
  }
  const [name = '', revision = 'HEAD'] = operands;
  const ref = checkedName(name);
  if (has('delete')) {
    await library.deleteTag({ ...at, ref });
    return 0;
  }
  const object = await repository.commitOf(revision);
  const message = values('message').join('\n\n');
  const isForced = has('force');
  if (message === '') await library.tag({ ...at, ref, object, force: isForced });
  else
    await library.annotatedTag({
      ...at,
      ref,
      object,
      message,
      tagger: await git.author(repository),
      force: isForced,
    });
  return 0;
};

export const branchCommands: Readonly<Record<string, GitCommand>> = {
  branch,
  checkout,
  switch: switchCommand,
  restore,
  reset,
  tag,
};

async function switchTo(
  git: GitCall,
  options: {
    readonly name: string;
    readonly start?: string | undefined;
    readonly creates: boolean;
    readonly isQuiet: boolean;
  },
): Promise<number> {
  const { name, start, creates, isQuiet } = options;
  const { directory } = git;
  const before = await git.git.branches({ directory });
  const beforeHead = await (await git.open()).head();
  if (creates && start !== undefined) {
    await makeBranch(await git.open(), checkedName(name), start);
    await git.git.checkout({ directory, ref: name });
  } else {
    const ref = creates ? checkedName(name) : name;
    await git.git.checkout({ directory, ref, create: creates }).catch((error) => {
      if (error.code === 'already-exists')
        throw new GitCommandError(`fatal: a branch named '${name}' already exists`);
      throw error;
    });
  }
  const repository = await git.open();
  const [branch, head] = [await repository.branch(), await repository.head()];
  const from = before.current ?? beforeHead;
  const to = branch ?? head;
  if (from !== undefined && to !== undefined && from !== to)
    await noteCheckout(git, repository, { from, to, before: beforeHead });
  if (isQuiet) return 0;
  if (branch === undefined) await git.warn(`HEAD is now at ${head?.slice(0, 7)}`);
  else if (creates) await git.warn(`Switched to a new branch '${branch}'`);
  else if (branch === before.current) await git.warn(`Already on '${branch}'`);
  else await git.warn(`Switched to branch '${branch}'`);
  return 0;
}

async function isKnown(git: GitCall, repository: Repository, name: string): Promise<boolean> {
  const { branches } = await git.git.branches({ directory: git.directory });
  if (branches.some((each) => each.name === name || each.name === `origin/${name}`)) return true;
  return repository.commitOf(name).then(
    () => true,
    () => false,
  );
}

/** Whether the branch that it is pushed to has it, or HEAD where there is none. */
async function isMerged(
  repository: Repository,
  { name, commit }: { readonly name: string; readonly commit: string },
): Promise<boolean> {
  const { library, at } = repository;
  const [remote, merge] = await Promise.all([
    repository.setting(`branch.${name}.remote`),
    repository.setting(`branch.${name}.merge`),
  ]);
  const upstream =
    remote && merge
      ? await library
          .resolveRef({ ...at, ref: merge.replace('refs/heads/', `refs/remotes/${remote}/`) })
          .catch(() => undefined)
      : undefined;
  const into = upstream ?? (await repository.head());
  if (into === undefined || into === commit) return into === commit;
  return library.isDescendent({ ...at, oid: into, ancestor: commit, depth: -1 });
}

async function makeBranch(repository: Repository, name: string, start?: string): Promise<void> {
  const { library, at } = repository;
  if ((await library.listBranches({ ...at })).includes(name)) {
    throw new GitCommandError(`fatal: a branch named '${name}' already exists`);
  }
  await library.branch({
    ...at,
    ref: name,
    ...(start === undefined ? {} : { object: await repository.commitOf(start) }),
  });
}

async function unstage(git: GitCall, paths: readonly string[], source?: string): Promise<void> {
  const repository = await git.open();
  const commit = source === undefined ? await repository.head() : await repository.commitOf(source);
  await unstageFiles(repository, { paths: git.treePaths(paths), commit });
}

function checkedName(name: string | undefined): string {
  if (name !== undefined && isRefName(name)) return name;
  throw new GitCommandError(`fatal: '${name ?? ''}' is not a valid branch name`);
}
