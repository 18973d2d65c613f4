import { initializeRepository } from '../../../../sandbox/git/library/initialize-repository.ts';
import { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError } from '../git-command-error.ts';
import { config } from './config-command.ts';
import type { GitCommand } from './git-call.ts';
import { parseWords } from './parse-words.ts';
import { isRefName } from './ref-names.ts';

const init: GitCommand = async (git, words) => {
  const { operands, has, value } = parseWords(words, { flags: ['quiet q'], values: ['initial-branch b'] });
  const directory = absolutePath(git.cwd, operands[0] ?? '.').replace(/(.)\/$/, '$1');
  const { files } = git.parts;
  const isAgain = files.isThere(`${directory}/.git`);
  if (!files.isDirectory(directory)) await files.makeDirectory(directory);
  const repository = await Repository.open(files, directory, {
    ...{ signal: git.call.signal, what: 'fatal', isNew: true },
    given: git.settings,
  });
  const branch = value('initial-branch') ?? (await repository.setting('init.defaultbranch')) ?? 'main';
  if (!isRefName(branch)) throw new GitCommandError(`fatal: invalid initial branch name: '${branch}'`);
  if (!isAgain) await initializeRepository(repository, branch);
  const verb = isAgain ? 'Reinitialized existing' : 'Initialized empty';
  if (!has('quiet')) git.out.add(`${verb} Git repository in ${directory}/.git/\n`);
  return 0;
};

export const settingCommands: Readonly<Record<string, GitCommand>> = { init, config };
