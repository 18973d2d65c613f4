import { SandboxError } from '../../../../protocol/errors.ts';
import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { followedBranch } from '../../../../sandbox/git/library/list-branches.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { setUpstream } from './branch-command.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { listRefs } from './list-refs.ts';
import { isLocal } from './local-remote.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { pushedRefs, pushLocal } from './push-local.ts';
import { assertListed, exchange, silent, urlOf } from './server-exchange.ts';

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
  const { head = '' } = await exchange(url, async () => (await git.git()).push(ask, silent, choice)).catch(
    (error) => {
      if (SandboxError.from(error).code !== 'conflict') throw error;
      throw new GitCommandError(
        `To ${url}\n ! [rejected]        ${branch} -> ${branch}\nerror: failed to push some refs to '${url}'\nhint: ${error.message}`,
        1,
      );
    },
  );
  if (has('set-upstream')) {
    await setUpstream(repository, { branch, remote, merge: `refs/heads/${branch}` });
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

export const pushCommands: Readonly<Record<string, GitCommand>> = { push };
