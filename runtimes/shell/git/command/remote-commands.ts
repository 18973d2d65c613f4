import { planClone } from '../../../../sandbox/git/clone-plan.ts';
import { followedBranch } from '../../../../sandbox/git/library/list-branches.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { fetchFrom } from './fetch-from.ts';
import { cloneLocal } from './fetch-local.ts';
import type { GitCommand } from './git-call.ts';
import { isLocal, openLocal, remoteRefs } from './local-remote.ts';
import { mergeInto } from './merge-command.ts';
import { parseWords } from './parse-words.ts';
import { rebaseOnto } from './rebase-command.ts';
import { assertListed, exchange, silent, urlOf } from './server-exchange.ts';
import { reachable } from './walk-history.ts';

const clone: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'quiet q',
      'progress',
      'single-branch',
      'no-tags',
      'no-checkout n',
      'bare',
      'mirror',
      'local l',
      'no-hardlinks',
      'recurse-submodules recursive',
      'verbose v',
    ],
    values: ['depth', 'branch b', 'origin o', 'filter', 'reference', 'config c'],
  });
  const { operands, has, value } = parsed;
  for (const option of ['bare', 'mirror', 'recurse-submodules', 'origin', 'filter', 'reference', 'config'])
    if (has(option)) throw new NotInShellError(`fatal: the git of a shell has no --${option} of clone`);
  const [url, place] = operands;
  if (url === undefined) throw new GitCommandError('fatal: You must specify a repository to clone.', 129);
  const name = place ?? (url.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '').replace(/\.git$/, '');
  const [ref, depth] = [value('branch'), value('depth')];
  if (isLocal(url)) {
    for (const option of ['single-branch', 'no-tags'])
      if (has(option))
        throw new NotInShellError(`fatal: the git of a shell has no --${option} of clone by a path`);
    if (depth !== undefined && url.startsWith('file://'))
      throw new NotInShellError('fatal: the git of a shell clones with a depth from servers only');
    if (depth !== undefined)
      await git.warn('warning: --depth is ignored in local clones; use file:// instead.');
    await cloneLocal(git, { url, name, branch: ref, isQuiet: has('quiet'), checksOut: !has('no-checkout') });
    return 0;
  }
  for (const option of ['single-branch', 'no-tags', 'no-checkout'])
    if (has(option)) throw new NotInShellError(`fatal: the git of a shell has no --${option} of clone`);
  const directory = absolutePath(git.cwd, name).replace(/(.)\/$/, '$1');
  planClone({ url, directory, ...(ref === undefined ? {} : { ref }) }, 'cannot clone');
  assertListed(git, url);
  if (!has('quiet')) await git.warn(`Cloning into '${name}'...`);
  const { signal } = git.call;
  const ask = {
    url,
    directory,
    signal,
    ...(ref === undefined ? {} : { ref }),
    ...(depth === undefined ? {} : { depth: Number(depth) }),
  };
  const { head } = await exchange(url, async () =>
    (await git.git()).clone(ask, silent, { servers: git.parts.servers }),
  );
  if (head === undefined) await git.warn('warning: You appear to have cloned an empty repository.');
  return 0;
};

const fetchCommand: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['quiet q', 'all', 'tags t', 'prune p', 'verbose v', 'no-tags', 'force f', 'unshallow', 'dry-run'],
    values: ['depth'],
  });
  for (const option of ['no-tags', 'unshallow', 'dry-run', 'depth'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of fetch`);
  const [remote, ...branches] = parsed.operands;
  const repository = await git.open();
  const usual = { isQuiet: parsed.has('quiet'), prunes: parsed.has('prune'), allTags: parsed.has('tags') };
  if (!parsed.has('all')) await fetchFrom(git, { remote, branches, ...usual });
  else
    for (const each of await repository.library.listRemotes({ ...repository.at }))
      await fetchFrom(git, { remote: each.remote, branches: [], ...usual });
  return 0;
};

const pull: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'quiet q',
      'ff',
      'ff-only',
      'no-ff',
      'rebase r',
      'no-rebase',
      'no-edit',
      'tags t',
      'prune p',
      'no-stat n',
      'stat',
      'verbose v',
      'no-commit',
      'squash',
      'autostash',
    ],
    values: ['strategy-option X'],
  });
  for (const option of ['no-commit', 'squash', 'autostash', 'strategy-option'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of pull; fetch, then merge`);
  const repository = await git.open();
  const current = await repository.branch();
  if (current === undefined) throw new GitCommandError('You are not currently on a branch.', 1);
  const followed = await followedBranch(repository, current);
  const [remote = followed.remote, named] = parsed.operands;
  if (
    named === undefined &&
    (await repository.setting(`branch.${current}.merge`)) === undefined &&
    parsed.operands.length > 0
  )
    throw new GitCommandError(
      `You asked to pull from the remote '${remote}', but did not specify\na branch. Because this is not the default configured remote\nfor your current branch, you must specify a branch on the command line.`,
      1,
    );
  const branch = named ?? followed.branch;
  const setting = (key: string) => repository.setting(key);
  const configured = await setting('pull.rebase');
  const asked = parsed.has('rebase')
    ? parsed.value('rebase') !== 'false'
    : parsed.has('no-rebase')
      ? false
      : configured === undefined
        ? undefined
        : configured !== 'false';
  if (parsed.value('rebase') === 'interactive' || parsed.value('rebase') === 'merges')
    throw new NotInShellError('fatal: the git of a shell has no such rebase');
  const url = await urlOf(git, remote);
  await fetchFrom(git, {
    remote,
    branches: [],
    isQuiet: true,
    prunes: parsed.has('prune'),
    allTags: parsed.has('tags'),
  });
  const isForwardOnly =
    parsed.has('ff-only') ||
    (!parsed.has('ff') &&
      !parsed.has('no-ff') &&
      asked === undefined &&
      (await setting('pull.ff')) === 'only');
  return git.change(async (here) => {
    const { library, at } = here;
    const tracking = `refs/remotes/${remote}/${branch}`;
    const theirs = await library.resolveRef({ ...at, ref: tracking }).catch(() => {
      throw new GitCommandError(`fatal: couldn't find remote ref ${branch}`, 1);
    });
    const head = await here.head();
    const isDiverged =
      head !== undefined &&
      !(await reachable(here, [head])).has(theirs) &&
      !(await reachable(here, [theirs])).has(head);
    const isChosen =
      asked !== undefined ||
      parsed.has('ff') ||
      parsed.has('no-ff') ||
      isForwardOnly ||
      (await setting('pull.ff')) !== undefined;
    if (isDiverged && !isChosen) throw new GitCommandError(needsChoice);
    if (asked)
      return rebaseOnto(git, here, {
        upstream: tracking,
        isQuiet: parsed.has('quiet'),
        action: 'pull --rebase',
      });
    return mergeInto(git, here, {
      theirs,
      name: `branch '${branch}' of ${url.replace(/\/+$/, '').replace(/\.git$/, '')}`,
      label: theirs,
      verb: 'pull',
      isForwardOnly,
      isNeverForward: parsed.has('no-ff'),
      isQuiet: parsed.has('quiet'),
      showsStat: !parsed.has('no-stat'),
    });
  });
};

const needsChoice =
  'hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint: \nhint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint: \nhint: You can replace "git config" with "git config --global" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\nfatal: Need to specify how to reconcile divergent branches.';

const lsRemote: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['heads h branches', 'tags t', 'refs', 'quiet q', 'exit-code', 'get-url'],
    values: [],
  });
  const [given = 'origin', ...patterns] = parsed.operands;
  const url = git.hasRepository ? await urlOf(git, given).catch(() => given) : given;
  if (parsed.has('get-url')) {
    git.out.add(`${url}\n`);
    return 0;
  }
  if (!isLocal(url)) throw new NotInShellError('fatal: the git of a shell lists the refs of no server', 128);
  const remote = await openLocal(git, url, git.hasRepository ? git.directory : git.cwd);
  if (parsed.operands.length === 0 && !parsed.has('quiet')) await git.warn(`From ${url}`);
  const prefixes = [parsed.has('heads') ? 'refs/heads/' : '', parsed.has('tags') ? 'refs/tags/' : ''].filter(
    Boolean,
  );
  let count = 0;
  for (const { name, oid } of await remoteRefs(remote)) {
    if (prefixes.length > 0 && !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    if (parsed.has('refs') && name === 'HEAD') continue;
    if (patterns.length > 0 && !patterns.some((each) => name === each || name.endsWith(`/${each}`))) continue;
    count += 1;
    git.out.add(`${oid}\t${name}\n`);
    const target = await remote.repository.library.readTag({ ...remote.repository.at, oid }).then(
      ({ tag }) => tag.object,
      () => undefined,
    );
    if (target !== undefined && !parsed.has('refs')) git.out.add(`${target}\t${name}^{}\n`);
  }
  return count === 0 && parsed.has('exit-code') ? 2 : 0;
};

export const remoteCommands: Readonly<Record<string, GitCommand>> = {
  clone,
  fetch: fetchCommand,
  'ls-remote': lsRemote,
  pull,
};
