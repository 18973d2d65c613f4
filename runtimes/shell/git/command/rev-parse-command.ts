import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { fullRef, objectOf, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { shortRef } from './list-refs.ts';
import { endsOf } from './revision-range.ts';

const flags = [
  '--verify',
  '--quiet',
  '-q',
  '--symbolic-full-name',
  '--symbolic',
  '--revs-only',
  '--no-revs',
  '--end-of-options',
];

/** Prints in the order of its words, as real git does. */
const revParse: GitCommand = async (git, words) => {
  const state = {
    isVerified: words.includes('--verify'),
    isQuiet: words.includes('--quiet') || words.includes('-q'),
    digits: 40,
    names: 'none' as 'none' | 'short' | 'full',
  };
  for (const word of words) {
    const told = placeOf(git, word);
    const [, digits] = /^--short(?:=(\d+))?$/.exec(word) ?? [];
    if (told !== undefined) git.out.add(`${told}\n`);
    else if (word.startsWith('--short')) state.digits = Math.max(Number(digits ?? 7), 4);
    else if (word === '--abbrev-ref') state.names = 'short';
    else if (word === '--symbolic-full-name') state.names = 'full';
    else if (word === '--') git.out.add('--\n');
    else if (flags.includes(word)) continue;
    else if (word.startsWith('-') && word.length > 1)
      throw new NotInShellError(`fatal: the git of a shell knows no ${word} of rev-parse`);
    else if (!(await tell(git, await git.open(), { word, ...state }))) return 1;
  }
  return 0;
};

export const revParseCommands: Readonly<Record<string, GitCommand>> = { 'rev-parse': revParse };

function placeOf(git: GitCall, word: string): string | undefined {
  const prefix = () => git.cwd.slice(git.directory.length + 1);
  switch (word) {
    case '--show-toplevel':
      return git.directory;
    case '--git-dir':
      return git.cwd === git.directory ? '.git' : `${git.directory}/.git`;
    case '--absolute-git-dir':
    case '--git-common-dir':
      return word === '--git-common-dir' && git.cwd === git.directory ? '.git' : `${git.directory}/.git`;
    case '--is-inside-work-tree':
      return git.directory === '' ? 'false' : 'true';
    case '--is-inside-git-dir':
    case '--is-bare-repository':
    case '--is-shallow-repository':
      return git.directory !== '' &&
        word === '--is-shallow-repository' &&
        git.parts.files.isThere(`${git.directory}/.git/shallow`)
        ? 'true'
        : 'false';
    case '--show-prefix':
      return prefix() === '' ? '' : `${prefix()}/`;
    case '--show-cdup':
      return prefix() === '' ? '' : '../'.repeat(prefix().split('/').length);
    default:
      return undefined;
  }
}

async function tell(
  git: GitCall,
  repository: Repository,
  {
    word,
    isVerified,
    isQuiet,
    digits,
    names,
  }: {
    readonly word: string;
    readonly isVerified: boolean;
    readonly isQuiet: boolean;
    readonly digits: number;
    readonly names: 'none' | 'short' | 'full';
  },
): Promise<boolean> {
  const fail = (): false => {
    if (isVerified && isQuiet) return false;
    if (!isVerified) git.out.add(`${word}\n`);
    throw new GitCommandError(
      isVerified
        ? 'fatal: Needed a single revision'
        : `fatal: ambiguous argument '${word}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
    );
  };
  if (names !== 'none') {
    const ref = await refNamed(repository, word);
    if (ref === undefined) {
      const isCommit = await objectOf(repository, word).then(
        () => true,
        () => false,
      );
      if (!isCommit) {
        if (/@\{u(?:pstream)?\}$/.test(word))
          throw new GitCommandError(
            `fatal: no upstream configured for branch '${word.replace(/@\{.*$/, '') || (await repository.branch())}'`,
          );
        return fail();
      }
      return true;
    }
    git.out.add(`${names === 'short' ? shortRef(ref) : ref}\n`);
    return true;
  }
  if (word.includes('..') && !isVerified) {
    const ends = await endsOf(repository, word);
    if (ends) {
      for (const id of [...ends.included].reverse()) git.out.add(`${id.slice(0, digits)}\n`);
      for (const id of ends.excluded) git.out.add(`^${id.slice(0, digits)}\n`);
      return true;
    }
  }
  const isExcluded = word.startsWith('^');
  const object = await objectOf(repository, isExcluded ? word.slice(1) : word).catch(() => undefined);
  if (object === undefined) return fail();
  git.out.add(`${isExcluded ? '^' : ''}${object.oid.slice(0, digits)}\n`);
  return true;
}

async function refNamed(repository: Repository, word: string): Promise<string | undefined> {
  const [, name, upstream] = /^(.*?)(@\{u(?:pstream)?\})?$/i.exec(word === '@' ? 'HEAD' : word) ?? [];
  const branch = await repository.branch();
  if (upstream !== undefined) {
    const of = name === '' || name === 'HEAD' || name === '@' ? branch : name;
    return of === undefined ? undefined : upstreamOf(repository, of);
  }
  if (name === 'HEAD') return branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  return fullRef(repository, name ?? '');
}
