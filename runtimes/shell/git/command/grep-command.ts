import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { objectOf, treeNamed } from '../../../../sandbox/git/library/revisions.ts';
import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { RegexProblem } from '../../../../shell/programs/patterns/regex-node.ts';
import { contentOf, type FileSide, FilesLook, filesOfTree, isBinary, textOf } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { isWithinPaths } from './path-patterns.ts';

const grep: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      ...[
        'ignore-case i',
        'line-number n',
        'no-line-number',
        'files-with-matches l name-only',
        'files-without-match L',
        'count c',
        'word-regexp w',
      ],
      ...[
        'invert-match v',
        'extended-regexp E',
        'basic-regexp G',
        'fixed-strings F',
        'cached',
        'h',
        'H',
        'quiet q',
        'only-matching o',
        'full-name',
        'I',
        'no-color',
        'untracked',
      ],
    ],
    values: ['e', 'after-context A', 'before-context B', 'context C', 'max-depth', 'm max-count'],
  });
  for (const option of [
    'after-context',
    'before-context',
    'context',
    'max-depth',
    'm',
    'only-matching',
    'untracked',
    'word-regexp',
  ])
    if (parsed.has(option) && option !== 'word-regexp')
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of grep; grep -r has`, 128);
  const operands = [...parsed.operands];
  const patterns = parsed.values('e').length > 0 ? parsed.values('e') : operands.splice(0, 1);
  if (patterns.length === 0) throw new GitCommandError('fatal: no pattern given');
  const test = testOf(patterns, parsed);
  const repository = await git.open();
  const trees: string[] = [];
  for (let name = operands[0]; name !== undefined; name = operands[0]) {
    const object = await objectOf(repository, name).catch(() => undefined);
    if (object === undefined || object.type === 'blob') break;
    trees.push(name);
    operands.shift();
  }
  const asked = git.treePaths([...operands, ...parsed.paths]);
  const paths = asked.length > 0 || git.cwd === git.directory ? asked : git.treePaths(['.']);
  let isFound = false;
  const search = new Search(git, repository, { parsed, test });
  for (const tree of trees) {
    for (const [path, file] of await filesOfTree(repository, await treeNamed(repository, tree)))
      if (
        (file.mode & 0o170000) === 0o100000 &&
        isWithinPaths(paths, path) &&
        (await search.file({ ...file, path }, `${tree}:`))
      )
        isFound = true;
  }
  if (trees.length === 0) {
    const files = parsed.has('cached') ? undefined : await FilesLook.open(repository);
    for (const row of await indexRows(repository)) {
      if (row.stage > 1 || !isWithinPaths(paths, row.path) || row.mode === 0o160000) continue;
      const side = files ? await files.at(row.path, row) : { ...row };
      if (side && (side.mode & 0o170000) === 0o100000 && (await search.file(side, ''))) isFound = true;
    }
  }
  return isFound ? 0 : 1;
};

export const grepCommands: Readonly<Record<string, GitCommand>> = { grep };

function testOf(patterns: readonly string[], parsed: ParsedWords): (line: string) => boolean {
  const ignoresCase = parsed.has('ignore-case');
  const isWord = parsed.has('word-regexp');
  const tests = patterns.map((pattern): ((line: string) => boolean) => {
    if (parsed.has('fixed-strings') && !isWord) {
      const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);
      return (line) => fold(line).includes(fold(pattern));
    }
    const plain = parsed.has('fixed-strings') ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
    const syntax = parsed.has('extended-regexp') || parsed.has('fixed-strings') ? 'extended' : 'basic';
    const source = isWord ? (syntax === 'extended' ? `\\<(${plain})\\>` : `\\<\\(${plain}\\)\\>`) : plain;
    try {
      const regex = new Regex(source, { syntax, ignoresCase });
      return (line) => regex.test(line);
    } catch (error) {
      if (!(error instanceof RegexProblem)) throw error;
      throw new GitCommandError(`fatal: command line, '${pattern}': ${error.message}`);
    }
  });
  const isInverted = parsed.has('invert-match');
  return (line) => tests.some((test) => test(line)) !== isInverted;
}

class Search {
  readonly #git: GitCall;
  readonly #repository: Repository;
  readonly #options: { readonly parsed: ParsedWords; readonly test: (line: string) => boolean };

  constructor(
    git: GitCall,
    repository: Repository,
    options: { readonly parsed: ParsedWords; readonly test: (line: string) => boolean },
  ) {
    this.#git = git;
    this.#repository = repository;
    this.#options = options;
  }

  /** Prints what it finds; answers whether that is anything. */
  async file(side: FileSide, prefix: string): Promise<boolean> {
    const { parsed, test } = this.#options;
    const { out } = this.#git;
    this.#repository.signal.throwIfAborted();
    const content = await contentOf(this.#repository, side);
    const lines = textOf(content).split('\n');
    if (lines.at(-1) === '') lines.pop();
    const found = lines.flatMap((line, index) => (test(line) ? [index] : []));
    if (parsed.has('files-without-match')) {
      if (found.length === 0 && !parsed.has('quiet')) out.add(`${this.#name(side, prefix)}\n`);
      return found.length === 0;
    }
    if (found.length === 0) return false;
    if (parsed.has('quiet')) return true;
    const name = this.#name(side, prefix);
    if (parsed.has('files-with-matches')) out.add(`${name}\n`);
    else if (parsed.has('count')) out.add(`${parsed.has('h') ? '' : `${name}:`}${found.length}\n`);
    else if (isBinary(content)) {
      if (!parsed.has('I')) out.add(`Binary file ${name} matches\n`);
    } else {
      for (const index of found)
        out.add(
          `${parsed.has('h') ? '' : `${name}:`}${parsed.has('line-number') ? `${index + 1}:` : ''}${lines[index]}\n`,
        );
    }
    if (out.isFull) await out.flush();
    return true;
  }

  #name({ path }: FileSide, prefix: string): string {
    return `${prefix}${this.#repository.quoted(this.#options.parsed.has('full-name') ? path : this.#git.shownPath(path))}`;
  }
}
