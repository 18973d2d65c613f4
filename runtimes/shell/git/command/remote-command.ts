import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { fetchFrom } from './fetch-from.ts';
import type { GitCommand } from './git-call.ts';
import { listRefs } from './list-refs.ts';
import { removeState } from './operation-state.ts';
import { parseWords } from './parse-words.ts';

const remote: GitCommand = async (git, words) => {
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
      await repository.set(path, verb === 'rename' ? url : undefined);
      if (verb !== 'rename') await repository.set(path.replace(/remote$/, 'merge'), undefined);
    }
    await library.deleteRemote({ ...at, remote: name });
  }
  return 0;
};

export const remoteCommand: Readonly<Record<string, GitCommand>> = { remote };
