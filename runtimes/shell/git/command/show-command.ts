import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { combinedPatches } from '../diff/combined-patch.ts';
import { fileChanges } from '../diff/file-changes.ts';
import { changeFlags, changesText, changeValues, chosenChanges, showsChanges } from './change-output.ts';
import { dateText } from './date-text.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { type HistoryCommit, readHistoryCommit, signatureOf } from './history-commit.ts';
import { styleFlags, styleOf, styleValues } from './log-command.ts';
import { type CommitStyle, commitText } from './log-format.ts';
import { changesOf } from './log-writer.ts';
import { objectNamed } from './object-named.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';
import { assertPaths, endsOf } from './revision-range.ts';
import { walkHistory } from './walk-history.ts';

const show: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['m', 'cc', 'first-parent', ...styleFlags, ...changeFlags],
    values: [...styleValues, ...changeValues],
  });
  const repository = await git.open();
  const names: string[] = [];
  const paths: string[] = [];
  for (const word of parsed.operands) {
    if (paths.length === 0 && (names.length === 0 || (await isObject(repository, word)))) names.push(word);
    else paths.push(word);
  }
  await assertPaths(git, repository, paths);
  const shown = new Shower(git, repository, {
    parsed,
    style: await styleOf(repository, parsed),
    paths: git.treePaths([...paths, ...parsed.paths]),
  });
  for (const name of names.length === 0 ? ['HEAD'] : names) await shown.show(name);
  return 0;
};

export const showCommands: Readonly<Record<string, GitCommand>> = { show };

async function isObject(repository: Repository, word: string): Promise<boolean> {
  return objectNamed(repository, word).then(
    () => true,
    () => false,
  );
}

class Shower {
  readonly #git: GitCall;
  readonly #repository: Repository;
  readonly #options: {
    readonly parsed: ParsedWords;
    readonly style: CommitStyle;
    readonly paths: readonly string[];
  };
  #isFirst = true;

  constructor(
    git: GitCall,
    repository: Repository,
    options: { readonly parsed: ParsedWords; readonly style: CommitStyle; readonly paths: readonly string[] },
  ) {
    this.#git = git;
    this.#repository = repository;
    this.#options = options;
  }

  /** A commit with its changes, a tag with what it is of, the names in a tree, or the content of a file. */
  async show(name: string): Promise<void> {
    const { library, at } = this.#repository;
    const { out } = this.#git;
    if (name.includes('..')) {
      const ends = await endsOf(this.#repository, name);
      if (ends) {
        for await (const commit of walkHistory(this.#repository, {
          tips: ends.included,
          excluded: ends.excluded,
        }))
          await this.#showCommit(commit);
        return;
      }
    }
    const { oid, type } = await objectNamed(this.#repository, name);
    const between = this.#isFirst ? '' : '\n';
    if (type === 'commit') {
      await this.#showCommit(await readHistoryCommit(this.#repository, oid));
    } else if (type === 'blob') {
      await out.flush();
      await this.#git.call.stdout.write((await library.readBlob({ ...at, oid })).blob, this.#git.call.signal);
    } else if (type === 'tree') {
      const { tree } = await library.readTree({ ...at, oid });
      const entries = tree.map(
        (entry) => `${this.#repository.quoted(entry.path)}${entry.type === 'tree' ? '/' : ''}\n`,
      );
      out.add(`${between}tree ${name}\n\n${entries.join('')}`);
    } else {
      const { tag } = await library.readTag({ ...at, oid });
      const by = tag.tagger
        ? `Tagger: ${tag.tagger.name} <${tag.tagger.email}>\nDate:   ${dateText(signatureOf(tag.tagger), this.#options.style.date)}\n`
        : '';
      out.add(`${between}tag ${tag.tag}\n${by}\n${tag.message.trimEnd()}\n`);
      this.#isFirst = false;
      await this.show(tag.object);
    }
    this.#isFirst = false;
  }

  async #showCommit(commit: HistoryCommit): Promise<void> {
    const { parsed, style, paths } = this.#options;
    const { out } = this.#git;
    const changes = parsed.has('no-patch') ? '' : await this.#changes(commit, paths);
    if (style.format !== '%') {
      const text = commitText({ commit, style });
      if (!this.#isFirst && !style.isTerminated) out.add('\n');
      const isOwn = style.format.startsWith('%');
      // What only stands between commits does not end the last one.
      out.add((text.endsWith('\n') && !isOwn) || (isOwn && !style.isTerminated) ? text : `${text}\n`);
      const isCombined = commit.parents.length > 1 && !showsChanges(parsed) && !parsed.has('no-patch');
      if ((changes !== '' || isCombined) && style.format !== 'oneline')
        out.add(parsed.has('stat') && parsed.has('patch') ? '---\n' : '\n');
    }
    this.#isFirst = false;
    out.add(changes);
    if (out.isFull) await out.flush();
  }

  async #changes(commit: HistoryCommit, paths: readonly string[]): Promise<string> {
    const { parsed } = this.#options;
    const isMerge = commit.parents.length > 1 && !parsed.has('m') && !parsed.has('first-parent');
    if (isMerge && !showsChanges(parsed))
      return combinedPatches(this.#repository, commit, (path) => isWithinPaths(paths, path));
    if (isMerge) {
      const all = await this.#changedFromAll(commit);
      const changes = (await changesOf(this.#repository, commit)).filter(({ older, newer }) =>
        all.has((newer ?? older)?.path ?? ''),
      );
      // What a merge changed in itself is told by its files; how much, by its first parent.
      const isCounted = parsed.has('stat') || parsed.has('numstat') || parsed.has('shortstat');
      return changesText(
        this.#repository,
        await chosenChanges(
          this.#repository,
          isCounted ? await changesOf(this.#repository, commit) : changes,
          { parsed, paths },
        ),
        { parsed },
      );
    }
    const changes = await chosenChanges(this.#repository, await changesOf(this.#repository, commit), {
      parsed,
      paths,
    });
    return changesText(this.#repository, changes, { parsed });
  }

  async #changedFromAll({ tree, parents }: HistoryCommit): Promise<Set<string>> {
    let found: Set<string> | undefined;
    for (const parent of parents) {
      const changes = await fileChanges(this.#repository, { older: { tree: parent }, newer: { tree } });
      const paths = new Set(changes.map(({ older, newer }) => (newer ?? older)?.path ?? ''));
      const before: Set<string> | undefined = found;
      found = before === undefined ? paths : new Set([...before].filter((path) => paths.has(path)));
    }
    return found ?? new Set();
  }
}
