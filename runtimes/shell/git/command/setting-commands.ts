import { isRefName } from '../../../../sandbox/git/git-names.ts';
import { initializeRepository } from '../../../../sandbox/git/library/initialize-repository.ts';
import { Repository, userSettings } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { parseWords } from './parse-words.ts';

const init: GitCommand = async (git, words) => {
  const { operands, has, value } = parseWords(words, { flags: ['quiet q'], values: ['initial-branch b'] });
  const directory = absolutePath(git.cwd, operands[0] ?? '.').replace(/(.)\/$/, '$1');
  const branch = value('initial-branch') ?? 'main';
  if (!isRefName(branch)) throw new GitCommandError(`fatal: invalid initial branch name: '${branch}'`);
  const { files } = git.parts;
  const isAgain = files.isThere(`${directory}/.git`);
  if (!files.isDirectory(directory)) await files.makeDirectory(directory);
  const options = { signal: git.call.signal, what: 'fatal', isNew: true };
  if (!isAgain) await initializeRepository(await Repository.open(files, directory, options), branch);
  const verb = isAgain ? 'Reinitialized existing' : 'Initialized empty';
  if (!has('quiet')) git.out.add(`${verb} Git repository in ${directory}/.git/\n`);
  return 0;
};

const config: GitCommand = async (git, words) => {
  const flags = ['global', 'local', 'get', 'unset', 'list l', 'add', 'replace-all', 'bool', 'null z'];
  const { operands, has } = parseWords(words, { flags });
  const [path, value] = operands;
  const { library, at } = await openSettings(git, has('global'));
  if (has('list')) {
    for (const line of await listSettings(git, has('global'))) git.out.add(`${line}\n`);
    return 0;
  }
  if (path === undefined || !/^[A-Za-z][\w-]*\.(?:.*\.)?[A-Za-z][\w-]*$/.test(path)) {
    throw new GitCommandError(`error: key does not contain a section: ${path ?? ''}`, 2);
  }
  if (has('unset')) await library.setConfig({ ...at, path, value: undefined });
  else if (value !== undefined && !has('get')) await library.setConfig({ ...at, path, value });
  else {
    const found = git.settings.get(path) ?? (await readSetting(git, path, has('global')));
    if (found === undefined) return 1;
    git.out.add(`${found}\n`);
  }
  return 0;
};

export const settingCommands: Readonly<Record<string, GitCommand>> = { init, config };

/** The settings of the repository, or of the user, whose directory is made. */
async function openSettings(
  git: GitCall,
  isGlobal: boolean,
): Promise<Pick<Repository, 'library'> & { at: SettingsAt }> {
  const { signal } = git.call;
  if (!isGlobal && git.hasRepository) return git.open();
  if (!isGlobal) throw new GitCommandError('fatal: not in a git directory');
  const { files } = git.parts;
  if (!files.isDirectory('/home/user/.config')) await files.makeDirectory('/home/user/.config');
  if (!files.isDirectory(userSettings)) await files.makeDirectory(userSettings);
  const { library, at } = await Repository.open(files, userSettings, { signal, what: 'fatal', isNew: true });
  return { library, at: { fs: at.fs, gitdir: userSettings } };
}

type SettingsAt = Pick<Repository['at'], 'fs'> & ({ readonly dir: string } | { readonly gitdir: string });

async function readSetting(git: GitCall, path: string, isGlobal: boolean): Promise<string | undefined> {
  if (!isGlobal && git.hasRepository) return (await git.open()).setting(path);
  const { library, at } = await openSettings(git, true);
  const value: unknown = await library.getConfig({ ...at, path });
  return value === undefined ? undefined : String(value);
}

async function listSettings(git: GitCall, isGlobal: boolean): Promise<string[]> {
  const { at } = await openSettings(git, isGlobal);
  const path = 'gitdir' in at ? `${at.gitdir}/config` : `${at.dir}/.git/config`;
  const text = String(await at.fs.promises.readFile(path, 'utf8').catch(() => ''));
  let section = '';
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, name, sub] = /^\s*\[(\S+)(?:\s+"(.*)")?\]/.exec(line) ?? [];
    if (name !== undefined) section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
    const [, key, value = ''] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined) lines.push(`${section}.${key.toLowerCase()}=${value}`);
  }
  return lines;
}
