import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { fileChanges } from '../diff/file-changes.ts';
import type { HistoryCommit } from './history-commit.ts';
import { isWithinPaths } from './path-patterns.ts';

/**
 * The history of some paths as git shows it ("history simplification"): commits that have them otherwise than each parent, and of a
 * merge that took them from one side as they were, that side alone.
 */
export class PathHistory {
  readonly #repository: Repository;
  readonly #paths: readonly string[];
  #last: { readonly id: string; readonly same: string | undefined } | undefined;

  constructor(repository: Repository, paths: readonly string[]) {
    this.#repository = repository;
    this.#paths = paths;
  }

  async isIn(commit: HistoryCommit): Promise<boolean> {
    return (await this.#sameParent(commit)) === undefined;
  }

  /** Those to go on with. */
  async parentsOf(commit: HistoryCommit): Promise<readonly string[]> {
    if (commit.parents.length < 2) return commit.parents;
    const same = await this.#sameParent(commit);
    return same === undefined ? commit.parents : [same];
  }

  /** The first parent that has the paths as the commit has them; of the first commit, nothing as it had before. */
  async #sameParent({ id, tree, parents }: HistoryCommit): Promise<string | undefined> {
    if (this.#last?.id === id) return this.#last.same;
    let same: string | undefined;
    for (const parent of parents.length > 0 ? parents : [emptyTree]) {
      const changes = await fileChanges(this.#repository, {
        older: { tree: parent },
        newer: { tree },
      });
      if (changes.some(({ older, newer }) => isWithinPaths(this.#paths, (newer ?? older)?.path ?? '')))
        continue;
      same = parent;
      break;
    }
    this.#last = { id, same };
    return same;
  }
}
