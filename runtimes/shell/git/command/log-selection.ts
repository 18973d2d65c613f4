import type { GitCommit } from '../../../../protocol/sandbox/git.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { RegexProblem } from '../../../../shell/programs/patterns/regex-node.ts';
import { now, zoneOfCall } from '../../../../shell/programs/time/now.ts';
import { parseDate } from '../../../../shell/programs/time/parse-date.ts';
import type { GitCall } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import type { ParsedWords } from './parse-words.ts';
import { walkCommits } from './walk-commits.ts';

/** Options of `git log` with a value, which leave commits out. */
export const filterOptions: readonly string[] = ['author', 'grep', 'since after', 'until before'];

/** Which commits the options leave; `undefined` where that is all. @throws GitCommandError for a date or an expression that is none */
export function commitFilter(
  git: GitCall,
  parsed: ParsedWords,
): ((commit: GitCommit) => boolean) | undefined {
  if (!filterOptions.some((option) => parsed.has(option.split(' ')[0] ?? ''))) return undefined;
  const ignoresCase = parsed.has('i');
  const author = expressionOf(parsed.value('author'), ignoresCase);
  const grep = expressionOf(parsed.value('grep'), ignoresCase);
  const since = secondsOf(git, parsed.value('since'));
  const until = secondsOf(git, parsed.value('until'));
  return (commit) =>
    (author?.test(`${commit.author.name} <${commit.author.email}>`) ?? true) &&
    (grep?.test(commit.message) ?? true) &&
    (since === undefined || commit.authoredAtMs >= since * 1_000) &&
    (until === undefined || commit.authoredAtMs <= until * 1_000);
}

/** How many commits are wanted; `undefined` where that is not said, or by a number below 0. @throws GitCommandError for what is no number */
export function parseMost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new GitCommandError(`fatal: '${text}': not an integer`);
  return Number(text) < 0 ? undefined : Number(text);
}

/** The commits of all branches and of HEAD, the youngest first. */
export async function commitsOfAll(git: GitCall, most: number): Promise<GitCommit[]> {
  const repository = await git.open();
  const found: GitCommit[] = [];
  if (most === 0) return found;
  for await (const commit of walkCommits(repository, { tips: await tipsOfAll(git, repository) })) {
    found.push(commit);
    if (found.length >= most) break;
  }
  return found;
}

/** Where HEAD and all branches are; nothing before the first commit. */
export async function tipsOfAll(git: GitCall, repository: Repository): Promise<string[]> {
  const { branches } = await git.git.branches({ directory: git.directory });
  const head = await repository.head();
  const ids = branches.map(({ commit }) => commit);
  return [...new Set(head === undefined ? ids : [head, ...ids])];
}

function expressionOf(text: string | undefined, ignoresCase: boolean): Regex | undefined {
  if (text === undefined) return undefined;
  try {
    return new Regex(text, { syntax: 'basic', ignoresCase, isMultiline: true });
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new GitCommandError(`fatal: command line, '${text}': ${error.message}`);
  }
}

function secondsOf(git: GitCall, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const date = parseDate(text.replaceAll('.', ' '), { now: now(), zone: zoneOfCall(git.call) });
  if (date === undefined) throw new GitCommandError(`fatal: invalid date: ${text}`);
  return date.seconds;
}
