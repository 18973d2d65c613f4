import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { FileChange } from '../diff/file-changes.ts';
import { findRenames } from '../diff/find-renames.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { changeFlags, changeValues, chosenChanges } from './change-output.ts';
import type { GitCommand } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit } from './history-commit.ts';
import { decorations } from './list-refs.ts';
import { type CommitStyle, parseFormat } from './log-format.ts';
import { type CommitTest, commitTest, filterFlags, filterOptions, parseMost } from './log-selection.ts';
import { changesOf, LogWriter, type SelectedCommit } from './log-writer.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { PathHistory } from './path-history.ts';
import { areAllPaths } from './path-patterns.ts';
import { reflogCommits, type ShownCommit } from './reflog-commits.ts';
import { refFlags, revisionRange } from './revision-range.ts';
import { inTopologicalOrder, walkHistory } from './walk-history.ts';

/** Options of all commands that show commits. */
export const styleFlags: readonly string[] = [
  'oneline',
  'decorate',
  'no-decorate',
  'abbrev-commit',
  'no-abbrev-commit',
];
export const styleValues: readonly string[] = ['format pretty', 'date'];

const log: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      ...[
        'graph',
        'reverse',
        'follow',
        'left-right',
        'first-parent',
        'topo-order',
        'date-order',
        'walk-reflogs g',
        'm',
        'cc',
        'c',
      ],
      ...[...styleFlags, ...refFlags, ...filterFlags, ...changeFlags],
    ],
    values: ['max-count n', 'skip', ...styleValues, ...filterOptions, ...changeValues],
  });
  if (parsed.has('cc') || parsed.has('c'))
    throw new NotInShellError('fatal: the git of a shell shows merges with both sides in git show only', 128);
  const repository = await git.open();
  const range = await revisionRange(git, repository, parsed);
  if (range.tips.length === 0 && parsed.operands.length === 0 && !refFlags.some((flag) => parsed.has(flag))) {
    const branch = (await repository.branch()) ?? 'HEAD';
    throw new GitCommandError(`fatal: your current branch '${branch}' does not have any commits yet`);
  }
  const isDrawn = parsed.has('graph');
  if (isDrawn && parsed.has('reverse'))
    throw new GitCommandError("fatal: options '--reverse' and '--graph' cannot be used together");
  const most = parseMost(parsed.value('max-count') ?? parsed.value('n')) ?? Number.POSITIVE_INFINITY;
  const skipped = parseMost(parsed.value('skip')) ?? 0;
  const paths = git.treePaths(range.paths);
  const follower = parsed.has('follow') ? new Follower(paths, repository) : undefined;
  const history = follower || areAllPaths(paths) ? undefined : new PathHistory(repository, paths);
  const test = commitTest(git, parsed);
  const source = parsed.has('walk-reflogs')
    ? reflogCommits(repository, parsed)
    : walked(repository, { range, parsed, isDrawn, history });
  const selected = selectedCommits(repository, source, {
    parsed,
    paths,
    follower,
    history,
    test,
    most: most + skipped,
  });
  const style = await styleOf(repository, parsed);
  const writer = new LogWriter(git, repository, { parsed, style, left: range.left, paths });
  if (isDrawn) {
    const all: SelectedCommit[] = [];
    for await (const commit of selected) all.push(commit);
    await writer.drawAll(all.slice(skipped), await keptParents(repository, all, history));
    return 0;
  }
  const held: SelectedCommit[] = [];
  let count = 0;
  for await (const commit of selected) {
    count += 1;
    if (count <= skipped) continue;
    if (parsed.has('reverse')) held.push(commit);
    else await writer.write(commit);
  }
  for (const commit of held.reverse()) await writer.write(commit);
  return 0;
};

export const logCommands: Readonly<Record<string, GitCommand>> = { log };

export async function styleOf(repository: Repository, parsed: ParsedWords): Promise<CommitStyle> {
  const format = parsed.has('oneline') ? 'oneline' : parsed.value('format');
  const style = parseFormat(format);
  const wants = /%[-+ ]?[dD]/.test(style.format) || parsed.has('decorate');
  const isFull = parsed.value('decorate') === 'full';
  const isWhole = parsed.has('oneline')
    ? parsed.has('no-abbrev-commit')
    : !parsed.has('abbrev-commit') && style.format !== 'reference';
  const date = parsed.value('date') ?? (await repository.setting('log.date'));
  return {
    ...style,
    date,
    isWholeId: isWhole,
    decorations: wants && !parsed.has('no-decorate') ? await decorations(repository, { isFull }) : undefined,
  };
}

async function* walked(
  repository: Repository,
  {
    range,
    parsed,
    isDrawn,
    history,
  }: {
    readonly range: { readonly tips: readonly string[]; readonly excluded: readonly string[] };
    readonly parsed: ParsedWords;
    readonly isDrawn: boolean;
    readonly history: PathHistory | undefined;
  },
): AsyncGenerator<ShownCommit> {
  const walk = walkHistory(repository, { ...range, history, isFirstParent: parsed.has('first-parent') });
  if (!isDrawn && !parsed.has('topo-order')) {
    for await (const commit of walk) yield { commit };
    return;
  }
  const all: HistoryCommit[] = [];
  for await (const commit of walk) all.push(commit);
  for (const commit of inTopologicalOrder(all)) yield { commit };
}

async function* selectedCommits(
  repository: Repository,
  source: AsyncIterable<ShownCommit>,
  {
    parsed,
    paths,
    follower,
    history,
    test,
    most,
  }: {
    readonly parsed: ParsedWords;
    readonly paths: readonly string[];
    readonly follower: Follower | undefined;
    readonly history: PathHistory | undefined;
    readonly test: CommitTest | undefined;
    readonly most: number;
  },
): AsyncGenerator<SelectedCommit> {
  const picks = parsed.has('S') || parsed.has('G') || parsed.has('diff-filter');
  let count = 0;
  for await (const shown of source) {
    if (count >= most) return;
    const { commit } = shown;
    let changes: readonly FileChange[] | undefined;
    if (follower) {
      changes = await follower.changes(commit);
      if (changes.length === 0) continue;
    } else if (history && !(await history.isIn(commit))) continue;
    if (test && !test(commit)) continue;
    if (picks) {
      if (commit.parents.length > 1) continue;
      changes = await chosenChanges(repository, changes ?? (await changesOf(repository, commit)), {
        parsed,
        paths: follower ? [] : paths,
      });
      if (changes.length === 0) continue;
    }
    count += 1;
    yield { ...shown, changes };
  }
}

/** Follows one file to the names that it had before (`--follow`). */
class Follower {
  #path: string;
  readonly #repository: Repository;

  constructor(paths: readonly string[], repository: Repository) {
    const [path] = paths;
    if (path === undefined || paths.length > 1)
      throw new GitCommandError('fatal: --follow requires exactly one pathspec');
    this.#path = path;
    this.#repository = repository;
  }

  async changes(commit: HistoryCommit): Promise<readonly FileChange[]> {
    if (commit.parents.length > 1) return [];
    const all = await changesOf(this.#repository, commit);
    const own = all.filter(({ older, newer }) => (newer ?? older)?.path === this.#path);
    if (own[0]?.kind !== 'A') return own;
    const [renamed] = (await findRenames(this.#repository, all)).filter(
      ({ newer }) => newer?.path === this.#path,
    );
    if (renamed?.kind !== 'R' || !renamed.older) return own;
    this.#path = renamed.older.path;
    return [renamed];
  }
}

/** The nearest shown ancestors of shown commits, where others between them are left out. */
async function keptParents(
  repository: Repository,
  selected: readonly SelectedCommit[],
  history: PathHistory | undefined,
): Promise<(commit: HistoryCommit) => readonly string[]> {
  const shown = new Set(selected.map(({ commit }) => commit.id));
  if (!history) return ({ parents }) => parents;
  const found = new Map<string, readonly string[]>();
  const nearest = async (id: string): Promise<readonly string[]> => {
    for (let at = id; ; ) {
      repository.signal.throwIfAborted();
      if (shown.has(at)) return [at];
      const known = found.get(at);
      if (known) return known;
      const commit = await readHistoryCommit(repository, at);
      const parents = await history.parentsOf(commit);
      if (parents.length !== 1) {
        const all: string[] = [];
        for (const parent of parents) all.push(...(await nearest(parent)));
        found.set(at, [...new Set(all)]);
        return found.get(at) ?? [];
      }
      at = parents[0] ?? '';
    }
  };
  const parents = new Map<string, readonly string[]>();
  for (const { commit } of selected) {
    const all: string[] = [];
    for (const parent of await history.parentsOf(commit)) all.push(...(await nearest(parent)));
    parents.set(commit.id, [...new Set(all)]);
  }
  return ({ id }) => parents.get(id) ?? [];
}
