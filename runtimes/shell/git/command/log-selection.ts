import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { RegexProblem } from '../../../../shell/programs/patterns/regex-node.ts';
import { now, zoneOfCall } from '../../../../shell/programs/time/now.ts';
import { parseDate } from '../../../../shell/programs/time/parse-date.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';
import type { HistoryCommit } from './history-commit.ts';
import type { ParsedWords } from './parse-words.ts';

/** Options of `git log`, with and without a value, which leave commits out. */
export const filterOptions: readonly string[] = [
  'author',
  'committer',
  'grep',
  'since after',
  'until before',
];
export const filterFlags: readonly string[] = [
  'i regexp-ignore-case',
  'merges',
  'no-merges',
  'invert-grep',
  'E extended-regexp',
  'F fixed-strings',
];

export type CommitTest = (commit: HistoryCommit) => boolean;

/** Which commits the options leave; `undefined` where that is all. @throws GitCommandError for a date or an expression that is none */
export function commitTest(git: GitCall, parsed: ParsedWords): CommitTest | undefined {
  const tests: CommitTest[] = [];
  const expressions = (option: string) => parsed.values(option).map((text) => expressionOf(text, parsed));
  const authors = expressions('author');
  if (authors.length > 0)
    tests.push(({ author }) => authors.some((each) => each(`${author.name} <${author.email}>`)));
  const committers = expressions('committer');
  if (committers.length > 0)
    tests.push(({ committer }) => committers.some((each) => each(`${committer.name} <${committer.email}>`)));
  const greps = expressions('grep');
  if (greps.length > 0)
    tests.push(({ message }) => greps.some((each) => each(message)) !== parsed.has('invert-grep'));
  const since = secondsOf(git, parsed.value('since'));
  if (since !== undefined) tests.push(({ committer }) => committer.seconds >= since);
  const until = secondsOf(git, parsed.value('until'));
  if (until !== undefined) tests.push(({ committer }) => committer.seconds <= until);
  if (parsed.has('merges')) tests.push(({ parents }) => parents.length > 1);
  if (parsed.has('no-merges')) tests.push(({ parents }) => parents.length < 2);
  return tests.length === 0 ? undefined : (commit) => tests.every((test) => test(commit));
}

/** How many commits are wanted; `undefined` where that is not said, or by a number below 0. @throws GitCommandError for what is no number */
export function parseMost(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new GitCommandError(`fatal: '${text}': not an integer`);
  return Number(text) < 0 ? undefined : Number(text);
}

function expressionOf(text: string, parsed: ParsedWords): (line: string) => boolean {
  const ignoresCase = parsed.has('i');
  if (parsed.has('F')) {
    const fold = (each: string) => (ignoresCase ? each.toLowerCase() : each);
    return (line) => fold(line).includes(fold(text));
  }
  try {
    const regex = new Regex(text, {
      syntax: parsed.has('E') ? 'extended' : 'basic',
      ignoresCase,
      isMultiline: true,
    });
    return (line) => regex.test(line);
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new GitCommandError(`fatal: command line, '${text}': ${error.message}`);
  }
}

function secondsOf(git: GitCall, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const zone = zoneOfCall(git.call);
  const date = parseDate(text.replaceAll('.', ' '), { now: now(), zone });
  if (date === undefined) throw new GitCommandError(`fatal: invalid date: ${text}`);
  // A day without a time is at the time that it is now, as git has it.
  if (!/^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(text)) return date.seconds;
  const sinceMidnight =
    (parseDate('now', { now: now(), zone })?.seconds ?? 0) -
    (parseDate('today 00:00', { now: now(), zone })?.seconds ?? 0);
  return date.seconds + sinceMidnight;
}
