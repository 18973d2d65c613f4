import { readReflog } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed, fullRef, objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCommand } from './git-call.ts';
import { listRefs, type Ref } from './list-refs.ts';
import { logCommands } from './log-command.ts';
import { parseMost } from './log-selection.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { globPattern, globSource } from './path-patterns.ts';
import { factsOf, formatRef, sortRefs } from './ref-format.ts';
import { reachable } from './walk-history.ts';

export const selectionValues: readonly string[] = [
  'contains',
  'no-contains',
  'merged',
  'no-merged',
  'points-at',
  'sort',
];

const showRef: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['heads branches', 'tags', 'head', 'dereference d', 'hash s', 'quiet q', 'verify', 'abbrev'],
  });
  const repository = await git.open();
  const refs = await listRefs(repository);
  const head = await repository.head();
  if (parsed.has('head') && head !== undefined) refs.unshift({ name: 'HEAD', oid: head });
  const prefixes = [parsed.has('heads') ? 'refs/heads/' : '', parsed.has('tags') ? 'refs/tags/' : ''].filter(
    Boolean,
  );
  const found = refs.filter(({ name }) => {
    if (name !== 'HEAD' && prefixes.length > 0 && !prefixes.some((prefix) => name.startsWith(prefix)))
      return false;
    if (parsed.operands.length === 0) return true;
    return parsed.operands.some(
      (each) => name === each || (!parsed.has('verify') && name.endsWith(`/${each}`)),
    );
  });
  if (parsed.has('verify')) {
    const missing = parsed.operands.find((each) => !found.some(({ name }) => name === each));
    if (missing !== undefined) {
      if (parsed.has('quiet')) return 1;
      throw new GitCommandError(`fatal: '${missing}' - not a valid ref`);
    }
  }
  if (parsed.has('quiet')) return found.length > 0 ? 0 : 1;
  const length = Number(parsed.value('hash') || parsed.value('abbrev') || (parsed.has('abbrev') ? 7 : 40));
  for (const { name, oid } of found) {
    git.out.add(`${oid.slice(0, length)}${parsed.has('hash') ? '' : ` ${name}`}\n`);
    if (!parsed.has('dereference')) continue;
    const peeled = await objectOf(repository, `${oid}^{}`);
    if (peeled.oid !== oid)
      git.out.add(`${peeled.oid.slice(0, length)}${parsed.has('hash') ? '' : ` ${name}^{}`}\n`);
  }
  return found.length > 0 ? 0 : 1;
};

const forEachRef: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: [], values: ['format', 'count', ...selectionValues] });
  const repository = await git.open();
  const all = await listRefs(repository);
  const wanted = all.filter(
    ({ name }) => parsed.operands.length === 0 || parsed.operands.some((each) => matches(each, name)),
  );
  const chosen = await chosenRefs(repository, wanted, parsed);
  const facts = sortRefs(
    await Promise.all(chosen.map((ref) => factsOf(repository, ref))),
    parsed.values('sort'),
  );
  const format = parsed.value('format') ?? '%(objectname) %(objecttype)\t%(refname)';
  for (const each of facts.slice(0, parseMost(parsed.value('count')) ?? facts.length)) {
    git.out.add(`${await formatRef(repository, format, each)}\n`);
    if (git.out.isFull) await git.out.flush();
  }
  return 0;
};

const reflog: GitCommand = async (git, words) => {
  const [verb] = words;
  if (verb === 'expire' || verb === 'delete')
    throw new NotInShellError(`fatal: the git of a shell removes nothing from a log (reflog ${verb})`, 128);
  if (verb === 'exists') {
    const ref = words[1] === undefined ? undefined : await fullRef(await git.open(), words[1]);
    return ref !== undefined && (await readReflog(await git.open(), ref)).length > 0 ? 0 : 1;
  }
  const rest = verb === 'show' ? words.slice(1) : words;
  const log = logCommands.log;
  return log ? log(git, ['-g', '--abbrev-commit', '--pretty=oneline', ...rest]) : 1;
};

export const refCommands: Readonly<Record<string, GitCommand>> = {
  'show-ref': showRef,
  'for-each-ref': forEachRef,
  reflog,
};

/** Refs that the options leave. @throws GitCommandError for a commit that is none */
export async function chosenRefs(
  repository: Repository,
  refs: readonly Ref[],
  parsed: ParsedWords,
): Promise<Ref[]> {
  let left = [...refs];
  const commits = new Map<string, string>();
  for (const { oid } of refs) {
    const commit = await commitNamed(repository, oid).catch(() => undefined);
    if (commit !== undefined) commits.set(oid, commit);
  }
  for (const option of ['contains', 'no-contains', 'merged', 'no-merged', 'points-at']) {
    for (const name of parsed.values(option)) {
      const asked = await commitNamed(repository, name || 'HEAD').catch(() => {
        throw new GitCommandError(`error: malformed object name ${name}`, 129);
      });
      if (option === 'points-at')
        left = left.filter(({ oid }) => oid === asked || commits.get(oid) === asked);
      else if (option.endsWith('merged')) {
        const merged = await reachable(repository, [asked]);
        left = left.filter(({ oid }) => merged.has(commits.get(oid) ?? '') === (option === 'merged'));
      } else {
        const kept: Ref[] = [];
        for (const ref of left) {
          const commit = commits.get(ref.oid);
          const has = commit !== undefined && (await reachable(repository, [commit])).has(asked);
          if (has === (option === 'contains')) kept.push(ref);
        }
        left = kept;
      }
    }
  }
  return left;
}

/** Whether a pattern names a ref, or a directory of refs that it is in. */
function matches(pattern: string, name: string): boolean {
  const plain = pattern.replace(/\/$/, '');
  if (name === plain || name.startsWith(`${plain}/`)) return true;
  return (
    /[*?[]/.test(pattern) &&
    globPattern(`^${globSource(pattern, { star: '[^/]*', any: '[^/]' })}$`, pattern).test(name)
  );
}

/** Whether a pattern of `branch --list` or `tag -l` takes a short name. */
export function isListed(patterns: readonly string[], name: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((each) =>
    globPattern(`^${globSource(each, { star: '.*', any: '.' })}$`, each).test(name),
  );
}
