import { SandboxError } from '../../../../protocol/errors.ts';
import type { GitMerged } from '../../../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../../../protocol/sandbox/progress.ts';
import { planClone } from '../../../../sandbox/git/clone-plan.ts';
import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { followedBranch } from '../../../../sandbox/git/library/list-branches.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { parseWords } from './parse-words.ts';

/** Nobody who types a command reads what goes by: git itself tells of progress on a terminal only. */
const silent: ProgressListener = () => {};

const clone: GitCommand = async (git, words) => {
  const { operands, has, value } = parseWords(words, {
    flags: ['quiet q', 'progress', 'single-branch', 'no-tags'],
    values: ['depth', 'branch b'],
  });
  const [url, place] = operands;
  if (url === undefined) throw new GitCommandError('fatal: You must specify a repository to clone.', 129);
  const name = place ?? (url.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '').replace(/\.git$/, '');
  const directory = absolutePath(git.cwd, name).replace(/(.)\/$/, '$1');
  const [ref, depth] = [value('branch'), value('depth')];
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
  const { operands, has } = parseWords(words, { flags: ['quiet q', 'all', 'tags t'] });
  const [remote] = operands;
  if (!has('all')) await fetchFrom(git, remote);
  else {
    const { library, at } = await git.open();
    for (const each of await library.listRemotes({ ...at })) await fetchFrom(git, each.remote);
  }
  return 0;
};

const pull: GitCommand = async (git, words) => {
  const { operands, has, value } = parseWords(words, {
    flags: ['quiet q', 'ff', 'ff-only', 'no-ff', 'rebase r', 'no-rebase', 'no-edit'],
  });
  if (has('rebase') && value('rebase') !== 'false') {
    throw new GitCommandError(
      'fatal: git here does not rebase; nothing was fetched or changed.\nhint: Merge instead: git pull --no-rebase. Or rebase with git in a machine or on a host.',
    );
  }
  const repository = await git.open();
  const [remote, branch] = operands;
  const current = await repository.branch();
  if (current === undefined) throw new GitCommandError('You are not currently on a branch.', 1);
  const url = await urlOf(git, remote ?? (await followedBranch(repository, current)).remote);
  assertListed(git, url);
  const ask = {
    directory: git.directory,
    signal: git.call.signal,
    ...(remote === undefined ? {} : { remote }),
    ...(branch === undefined ? {} : { branch }),
  };
  const choice = {
    servers: git.parts.servers,
    onlyForward: has('ff-only'),
    neverForward: has('no-ff'),
  };
  return tellMerge(git, has('quiet'), () => exchange(url, () => git.git.pull(ask, silent, choice)));
};

const merge: GitCommand = async (git, words) => {
  const { operands, has, values } = parseWords(words, {
    flags: ['quiet q', 'no-edit', 'ff', 'ff-only', 'no-ff', 'abort', 'continue', 'quit'],
    values: ['message m'],
  });
  for (const verb of ['abort', 'continue', 'quit']) if (has(verb)) refuseToGoOn(git, verb);
  const [ref] = operands;
  if (ref === undefined || operands.length > 1)
    throw new GitCommandError('fatal: name one branch, tag or commit to merge', 128);
  const ask = { directory: git.directory, ref };
  const paragraphs = values('message');
  const choice = {
    onlyForward: has('ff-only'),
    neverForward: has('no-ff'),
    message: paragraphs.length === 0 ? undefined : paragraphs.join('\n\n'),
  };
  return tellMerge(git, has('quiet'), () => git.git.merge(ask, choice));
};

const push: GitCommand = async (git, words) => {
  const { operands, has, value } = parseWords(words, {
    flags: ['set-upstream u', 'force f', 'quiet q', 'force-with-lease'],
  });
  if (value('force-with-lease'))
    throw new GitCommandError('fatal: --force-with-lease takes no value here', 129);
  const repository = await git.open();
  const { library, at } = repository;
  const [remote = 'origin', named] = operands;
  const branch = named ?? (await repository.branch());
  if (branch === undefined || !isRefName(branch))
    throw new GitCommandError(`fatal: '${branch ?? 'HEAD'}' is no branch`);
  const url = await urlOf(git, remote, { pushes: true });
  assertListed(git, url);
  const known = await repository.commitOf(`${remote}/${branch}`).catch(() => undefined);
  const ask = {
    directory: git.directory,
    remote,
    branch,
    force: has('force'),
    signal: git.call.signal,
  };
  const choice = { servers: git.parts.servers, isLeased: has('force-with-lease') };
  const { head = '' } = await exchange(url, () => git.git.push(ask, silent, choice)).catch((error) => {
    if (SandboxError.from(error).code !== 'conflict') throw error;
    throw new GitCommandError(
      `To ${url}\n ! [rejected]        ${branch} -> ${branch}\nerror: failed to push some refs to '${url}'\nhint: ${error.message}`,
      1,
    );
  });
  if (has('set-upstream')) {
    await library.setConfig({ ...at, path: `branch.${branch}.remote`, value: remote });
    await library.setConfig({ ...at, path: `branch.${branch}.merge`, value: `refs/heads/${branch}` });
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
};

const remoteCommand: GitCommand = async (git, words) => {
  const { operands, has } = parseWords(words, { flags: ['verbose v'] });
  const [verb, name = '', url = ''] = operands;
  const { library, at } = await git.open();
  const remotes = await library.listRemotes({ ...at });
  const known = remotes.find(({ remote }) => remote === name);
  if (verb === undefined) {
    for (const each of remotes) {
      if (has('verbose'))
        git.out.add(`${each.remote}\t${each.url} (fetch)\n${each.remote}\t${each.url} (push)\n`);
      else git.out.add(`${each.remote}\n`);
    }
    return 0;
  }
  if (verb === 'add') {
    if (known) throw new GitCommandError(`error: remote ${name} already exists.`, 3);
    if (!isRefName(name)) throw new GitCommandError(`fatal: '${name}' is not a valid remote name`);
    await library.addRemote({ ...at, remote: name, url });
    return 0;
  }
  if (!['remove', 'rm', 'get-url', 'set-url'].includes(verb))
    throw new GitCommandError(`error: unknown subcommand: \`${verb}'`, 129);
  if (!known) throw new GitCommandError(`error: No such remote '${name}'`, 2);
  if (verb === 'get-url') git.out.add(`${known.url}\n`);
  else if (verb === 'set-url') await library.addRemote({ ...at, remote: name, url, force: true });
  else await library.deleteRemote({ ...at, remote: name });
  return 0;
};

export const remoteCommands: Readonly<Record<string, GitCommand>> = {
  clone,
  fetch: fetchCommand,
  merge,
  pull,
  push,
  remote: remoteCommand,
};

async function fetchFrom(git: GitCall, remote = 'origin'): Promise<string> {
  const url = await urlOf(git, remote);
  assertListed(git, url);
  const ask = { directory: git.directory, remote, signal: git.call.signal };
  await exchange(url, () => git.git.fetch(ask, silent, { servers: git.parts.servers }));
  return remote;
}

/** A merge here is never under way after its command; another git may have begun one in these files. @throws GitCommandError */
function refuseToGoOn(git: GitCall, verb: string): never {
  const isUnderWay = git.parts.files.isThere(`${git.directory}/.git/MERGE_HEAD`);
  throw new GitCommandError(
    isUnderWay
      ? `fatal: git here cannot ${verb} the merge that another git has begun.\nhint: Run git merge --${verb} in a machine or on a host.`
      : `fatal: There is no merge to ${verb} (MERGE_HEAD missing).\nhint: A merge here is made whole or not at all: one with conflicts has changed nothing.`,
  );
}

/** Merges, and says what has come of it in git's words. */
async function tellMerge(git: GitCall, isQuiet: boolean, work: () => Promise<GitMerged>): Promise<number> {
  const before = await (await git.open()).head();
  const { kind, head = '' } = await work().catch((error) => {
    const { code, message, details } = SandboxError.from(error);
    if (code !== 'conflict' || !Array.isArray(details.paths)) throw error;
    const lines = details.paths.map((path) => `CONFLICT: both sides have changed ${path}\n`).join('');
    throw new GitCommandError(`${lines}Automatic merge failed; nothing was changed: ${message}`, 1);
  });
  if (isQuiet) return 0;
  if (kind === 'up-to-date') git.out.add('Already up to date.\n');
  if (kind === 'fast-forward')
    git.out.add(`Updating ${before?.slice(0, 7) ?? '0000000'}..${head.slice(0, 7)}\nFast-forward\n`);
  if (kind === 'merge') git.out.add("Merge made by the 'ort' strategy.\n");
  return 0;
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
    : 'git here speaks https and http';
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
