import { SandboxError } from '../../../../protocol/errors.ts';
import type { ProgressListener } from '../../../../protocol/sandbox/progress.ts';
import { planClone } from '../../../../sandbox/git/clone-plan.ts';
import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { followedBranch } from '../../../../sandbox/git/library/list-branches.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { setUpstream } from './branch-command.ts';
import { cloneLocal, fetchLocal } from './fetch-local.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { listRefs } from './list-refs.ts';
import { isLocal, openLocal, remoteRefs } from './local-remote.ts';
import { mergeInto } from './merge-command.ts';
import { removeState } from './operation-state.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { pushedRefs, pushLocal } from './push-local.ts';
import { rebaseOnto } from './rebase-command.ts';
import { reachable } from './walk-history.ts';

/** Nobody who types a command reads what goes by: git itself tells of progress on a terminal only. */
const silent: ProgressListener = () => {};

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
  const { head } = await exchange(url, () => git.git.clone(ask, silent, { servers: git.parts.servers }));
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
  const setting = async (key: string) => git.settings.get(key) ?? (await repository.setting(key));
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

const push: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      'set-upstream u',
      'force f',
      'quiet q',
      'force-with-lease',
      'tags',
      'all',
      'delete d',
      'dry-run n',
      'follow-tags',
      'verbose v',
      'no-verify',
      'mirror',
      'prune',
      'atomic',
    ],
    values: [],
  });
  const { operands, has } = parsed;
  for (const option of ['follow-tags', 'mirror', 'prune', 'atomic'])
    if (has(option)) throw new NotInShellError(`fatal: the git of a shell has no --${option} of push`);
  if (parsed.value('force-with-lease'))
    throw new NotInShellError('fatal: --force-with-lease takes no value here');
  const repository = await git.open();
  const [given, ...named] = operands;
  const current = await repository.branch();
  const remote =
    given ?? (current === undefined ? 'origin' : (await followedBranch(repository, current)).remote);
  const url = await urlOf(git, remote, { pushes: true });
  if (!isLocal(url)) return pushToServer(git, repository, { remote, url, named, parsed });
  const specs = [...named];
  if (has('all')) specs.push(...(await listRefs(repository, 'refs/heads')).map(({ name }) => name));
  if (has('tags')) specs.push(...(await listRefs(repository, 'refs/tags')).map(({ name }) => name));
  else if (specs.length === 0)
    specs.push(
      await simpleSpec(repository, {
        current,
        isNew: has('set-upstream'),
        isForeign: given !== undefined && given !== 'origin',
      }),
    );
  return git.change(async (here) => {
    const refs = await pushedRefs(here, specs, { isForced: has('force'), deletes: has('delete') });
    const isTaken = await pushLocal(git, here, {
      remote,
      url,
      refs,
      isLeased: has('force-with-lease'),
      isDry: has('dry-run'),
      isQuiet: has('quiet'),
    });
    if (!isTaken) return 1;
    if (has('set-upstream') && !has('dry-run'))
      for (const { from, to } of refs) {
        if (!from.startsWith('refs/heads/')) continue;
        await setUpstream(here, { branch: from.slice(11), remote, merge: to });
        git.out.add(`branch '${from.slice(11)}' set up to track '${remote}/${to.slice(11)}'.\n`);
      }
    return 0;
  });
};

/** The current branch, to the one of its name that it follows (`push.default` is `simple`). @throws GitCommandError */
async function simpleSpec(
  repository: Repository,
  {
    current,
    isNew,
    isForeign,
  }: { readonly current: string | undefined; readonly isNew: boolean; readonly isForeign: boolean },
): Promise<string> {
  if (current === undefined)
    throw new GitCommandError(
      'fatal: You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push origin HEAD:<name-of-remote-branch>\n',
    );
  const merge = await repository.setting(`branch.${current}.merge`);
  if (merge === undefined && !isNew && !isForeign)
    throw new GitCommandError(
      `fatal: The current branch ${current} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream origin ${current}\n`,
    );
  if (merge !== undefined && merge !== `refs/heads/${current}` && !isNew)
    throw new GitCommandError(
      `fatal: The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n    git push origin HEAD:${merge.replace('refs/heads/', '')}\n`,
    );
  return current;
}

async function pushToServer(
  git: GitCall,
  repository: Repository,
  {
    remote,
    url,
    named,
    parsed,
  }: {
    readonly remote: string;
    readonly url: string;
    readonly named: readonly string[];
    readonly parsed: ParsedWords;
  },
): Promise<number> {
  const { has } = parsed;
  for (const option of ['tags', 'all', 'delete', 'dry-run'])
    if (has(option)) throw new NotInShellError(`fatal: the git of a shell pushes to a server no --${option}`);
  if (named.length > 1)
    throw new NotInShellError('fatal: the git of a shell pushes one branch at a time to a server');
  const { library, at } = repository;
  const branch = named[0] === undefined || named[0] === 'HEAD' ? await repository.branch() : named[0];
  if (branch === undefined || !isRefName(branch))
    throw new NotInShellError(
      `fatal: '${branch ?? 'HEAD'}' is no branch, which is what the git of a shell pushes to a server`,
      128,
    );
  assertListed(git, url);
  const known = await repository.commitOf(`${remote}/${branch}`).catch(() => undefined);
  const ask = { directory: git.directory, remote, branch, force: has('force'), signal: git.call.signal };
  const choice = { servers: git.parts.servers, isLeased: has('force-with-lease') };
  const { head = '' } = await exchange(url, () => git.git.push(ask, silent, choice)).catch((error) => {
    if (SandboxError.from(error).code !== 'conflict') throw error;
    throw new GitCommandError(
      `To ${url}\n ! [rejected]        ${branch} -> ${branch}\nerror: failed to push some refs to '${url}'\nhint: ${error.message}`,
      1,
    );
  });
  if (has('set-upstream')) {
    await setUpstream({ library, at } as Repository, { branch, remote, merge: `refs/heads/${branch}` });
    git.out.add(`branch '${branch}' set up to track '${remote}/${branch}'.\n`);
  }
  if (has('quiet')) return 0;
  if (known === head) await git.warn('Everything up-to-date');
  else {
    const range =
      known === undefined ? ' * [new branch]     ' : `   ${known.slice(0, 7)}..${head.slice(0, 7)}  `;
    await git.warn(`To ${url}\n${range} ${branch} -> ${branch}`);
  }
  return 0;
}

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

const remoteCommand: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, {
    flags: ['verbose v', 'force f', 'push', 'all', 'add', 'delete'],
  });
  const [verb, name = '', url = ''] = operands;
  const repository = await git.open();
  const { library, at } = repository;
  const remotes = (await library.listRemotes({ ...at })).sort((a, b) => (a.remote < b.remote ? -1 : 1));
  const known = remotes.find(({ remote }) => remote === name);
  if (verb === undefined) {
    for (const each of remotes) {
      if (has('verbose'))
        git.out.add(`${each.remote}\t${each.url} (fetch)\n${each.remote}\t${each.url} (push)\n`);
      else git.out.add(`${each.remote}\n`);
    }
    return 0;
  }
  if (has('push') || has('all') || has('add') || has('delete'))
    throw new NotInShellError(`fatal: the git of a shell has no such option of remote ${verb}`);
  if (verb === 'add') {
    if (known) throw new GitCommandError(`error: remote ${name} already exists.`, 3);
    if (!isRefName(name)) throw new GitCommandError(`fatal: '${name}' is not a valid remote name`);
    if (url === '') throw new GitCommandError('usage: git remote add [<options>] <name> <url>', 129);
    await library.addRemote({ ...at, remote: name, url });
    if (has('force'))
      await fetchFrom(git, { remote: name, branches: [], isQuiet: false, prunes: false, allTags: false });
    return 0;
  }
  if (['show', 'prune', 'update', 'set-head', 'set-branches'].includes(verb))
    throw new NotInShellError(`fatal: the git of a shell has no 'remote ${verb}'`, 128);
  if (!['remove', 'rm', 'get-url', 'set-url', 'rename'].includes(verb))
    throw new GitCommandError(`error: unknown subcommand: \`${verb}'`, 129);
  if (!known) throw new GitCommandError(`error: No such remote${verb === 'rename' ? ':' : ''} '${name}'`, 2);
  if (verb === 'get-url') git.out.add(`${known.url}\n`);
  else if (verb === 'set-url') await library.addRemote({ ...at, remote: name, url, force: true });
  else {
    if (verb === 'rename') {
      if (!isRefName(url)) throw new GitCommandError(`fatal: '${url}' is not a valid remote name`);
      if (remotes.some(({ remote }) => remote === url))
        throw new GitCommandError(`fatal: remote ${url} already exists.`, 3);
      await library.addRemote({ ...at, remote: url, url: known.url });
    }
    for (const { name: ref, oid } of await listRefs(repository, `refs/remotes/${name}`)) {
      if (verb === 'rename')
        await library.writeRef({
          ...at,
          ref: ref.replace(`refs/remotes/${name}/`, `refs/remotes/${url}/`),
          value: oid,
          force: true,
        });
      await library.deleteRef({ ...at, ref });
      await removeState(repository, [`logs/${ref}`]);
    }
    for (const { name: ref } of await listRefs(repository, 'refs/heads')) {
      const path = `branch.${ref.slice(11)}.remote`;
      if ((await repository.setting(path)) !== name) continue;
      await library.setConfig({ ...at, path, value: verb === 'rename' ? url : undefined });
      if (verb !== 'rename')
        await library.setConfig({ ...at, path: path.replace(/remote$/, 'merge'), value: undefined });
    }
    await library.deleteRemote({ ...at, remote: name });
  }
  return 0;
};

export const remoteCommands: Readonly<Record<string, GitCommand>> = {
  clone,
  fetch: fetchCommand,
  'ls-remote': lsRemote,
  pull,
  push,
  remote: remoteCommand,
};

interface Fetched {
  readonly remote: string | undefined;
  readonly branches: readonly string[];
  readonly isQuiet: boolean;
  readonly prunes: boolean;
  readonly allTags: boolean;
}

async function fetchFrom(git: GitCall, { remote: given, branches, ...usual }: Fetched): Promise<void> {
  const repository = await git.open();
  const current = await repository.branch();
  const remote =
    given ?? (current === undefined ? 'origin' : (await followedBranch(repository, current)).remote);
  const url = await urlOf(git, remote);
  if (isLocal(url)) {
    await git.change((here) => fetchLocal(git, here, { remote, url, branches, ...usual }));
    return;
  }
  if (usual.prunes || branches.some((branch) => !isRefName(branch)))
    throw new NotInShellError(
      'fatal: the git of a shell fetches all branches of a server, and prunes none',
      128,
    );
  assertListed(git, url);
  const ask = { directory: git.directory, remote, signal: git.call.signal };
  await exchange(url, () => git.git.fetch(ask, silent, { servers: git.parts.servers }));
}

async function urlOf(
  git: GitCall,
  remote: string,
  options: { readonly pushes?: boolean } = {},
): Promise<string> {
  const repository = await git.open();
  return repository.remoteUrl(remote, options).catch(() => {
    throw new GitCommandError(
      `fatal: '${remote}' does not appear to be a git repository\nfatal: Could not read from remote repository.`,
    );
  });
}

/**
 * Commands reach only the servers that whoever made the sandbox has listed. The exchange itself holds them to the list: this
 * says so in git's words. @throws GitCommandError
 */
function assertListed(git: GitCall, url: string): void {
  const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '' };
  const isSpoken = protocol === 'https:' || protocol === 'http:';
  if (isSpoken && git.parts.servers.includes(host)) return;
  const why = isSpoken
    ? 'this sandbox does not reach that server: use sandbox.git, or have it listed'
    : 'git here speaks https and http, and knows paths of the sandbox';
  throw new GitCommandError(`fatal: unable to access '${url}': ${why}`);
}

async function exchange<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (SandboxError.from(error).details.needs !== 'credentials') throw error;
    throw new GitCommandError(
      `fatal: could not read Username for '${new URL(url).origin}': terminal prompts disabled`,
    );
  }
}
