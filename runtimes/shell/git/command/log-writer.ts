import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { byPath, type FileChange, fileChanges } from '../diff/file-changes.ts';
import { changesText, chosenChanges, showsChanges } from './change-output.ts';
import { CommitGraph } from './commit-graph.ts';
import type { GitCall } from './git-call.ts';
import type { HistoryCommit } from './history-commit.ts';
import { type CommitStyle, commitText, isOneLine } from './log-format.ts';
import type { ParsedWords } from './parse-words.ts';
import type { ShownCommit } from './reflog-commits.ts';

export interface SelectedCommit extends ShownCommit {
  /** What it changed, where that was looked at. */
  readonly changes?: readonly FileChange[] | undefined;
}

/** Compared with its first parent. */
export async function changesOf(
  repository: Repository,
  { tree, parents }: HistoryCommit,
): Promise<FileChange[]> {
  return fileChanges(repository, { older: { tree: parents[0] ?? emptyTree }, newer: { tree } });
}

interface WriterOptions {
  readonly parsed: ParsedWords;
  readonly style: CommitStyle;
  readonly left: ReadonlySet<string>;
  readonly paths: readonly string[];
}

/** Prints commits one after the other, with what they changed, or beside a graph. */
export class LogWriter {
  readonly #git: GitCall;
  readonly #repository: Repository;
  readonly #options: WriterOptions;
  #isFirst = true;

  constructor(git: GitCall, repository: Repository, options: WriterOptions) {
    this.#git = git;
    this.#repository = repository;
    this.#options = options;
  }

  async write(shown: SelectedCommit): Promise<void> {
    const { style } = this.#options;
    const { out } = this.#git;
    if (!this.#isFirst && !style.isTerminated) out.add('\n');
    this.#isFirst = false;
    const text = commitText({ ...shown, style, mark: this.#markOf(shown) });
    const changes = await this.#changesText(shown, 80);
    const isEnded = text.endsWith('\n') && !style.format.startsWith('%');
    const isEmpty = style.format === '%';
    if (!isEmpty) out.add(isEnded || (!style.isTerminated && changes === '') ? text : `${text}\n`);
    if (changes !== '') out.add(`${style.format === 'oneline' || isEmpty ? '' : this.#dash()}${changes}`);
    if (out.isFull) await out.flush();
  }

  async drawAll(
    selected: readonly SelectedCommit[],
    parentsOf: (commit: HistoryCommit) => readonly string[],
  ): Promise<void> {
    const graph = new CommitGraph();
    const { style, parsed } = this.#options;
    const { out } = this.#git;
    const shownIds = new Set(selected.map(({ commit }) => commit.id));
    const known = parsed.has('first-parent')
      ? (commit: HistoryCommit) => parentsOf(commit).slice(0, 1)
      : parentsOf;
    for (const shown of selected) {
      // Of a range, what is left out has no column; where only the count ended it, the lines go on.
      const mark = this.#markOf(shown).trim();
      graph.update(
        shown.commit.id,
        this.#parentsWithin(known(shown.commit), shownIds),
        mark === '' ? '*' : mark,
      );
      if (!this.#isFirst && !style.isTerminated) out.add(`${graph.padding()}\n`);
      this.#isFirst = false;
      for (let line = graph.next(); ; line = graph.next()) {
        out.add(line.text);
        if (line.isCommit) break;
        out.add('\n');
      }
      const text = commitText({ ...shown, style });
      const lines = text.replace(/\n$/, '').split('\n');
      out.add(`${lines[0]}\n`);
      for (const line of lines.slice(1)) out.add(`${graph.next().text}${line}\n`);
      while (!graph.isFinished) out.add(`${graph.next().text}\n`);
      const width = graph.padding().length;
      const changes = await this.#changesText(shown, 80 - width);
      if (changes !== '') {
        const all = `${isOneLine(style) && style.format === 'oneline' ? '' : this.#dash()}${changes}`
          .replace(/\n$/, '')
          .split('\n');
        for (const line of all) out.add(`${graph.padding()}${line}\n`);
      }
      if (out.isFull) await out.flush();
    }
  }

  #parentsWithin(parents: readonly string[], shown: ReadonlySet<string>): readonly string[] {
    const { parsed } = this.#options;
    const isCut = parsed.has('max-count') || parsed.has('n');
    return isCut ? parents : parents.filter((parent) => shown.has(parent));
  }

  #dash(): string {
    const { parsed } = this.#options;
    const isBoth = (parsed.has('patch') && parsed.has('stat')) || parsed.has('patch-with-stat');
    return isBoth ? '---\n' : '\n';
  }

  #markOf({ commit }: SelectedCommit): string {
    const { parsed, left } = this.#options;
    if (!parsed.has('left-right')) return '';
    return left.has(commit.id) ? '< ' : '> ';
  }

  async #changesText(shown: SelectedCommit, width: number): Promise<string> {
    const { parsed, paths } = this.#options;
    if (!showsChanges(parsed) || parsed.has('no-patch')) return '';
    const isMerge = shown.commit.parents.length > 1;
    if (isMerge && !parsed.has('m') && !parsed.has('first-parent')) return '';
    const follows = parsed.has('follow');
    const changes =
      shown.changes ??
      (await chosenChanges(this.#repository, await changesOf(this.#repository, shown.commit), {
        parsed,
        paths,
      }));
    return changesText(this.#repository, follows ? byPath(changes) : changes, { parsed, width });
  }
}
