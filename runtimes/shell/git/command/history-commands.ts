import { limits } from '../../../../protocol/limits.ts';
import type { GitCommit } from '../../../../protocol/sandbox/git.ts';
import { compareTrees } from '../../../../sandbox/git/library/compare-trees.ts';
import { quotePath } from '../../../../sandbox/git/library/quote-path.ts';
import { emptyTree, type Repository } from '../../../../sandbox/git/library/repository.ts';
import { commitNamed } from '../../../../sandbox/git/library/revisions.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { besideLine, isLine } from './log-graph.ts';
import { commitFilter, commitsOfAll, filterOptions, parseMost } from './log-selection.ts';
import { inMachine } from './missing-commands.ts';
import { objectNamed } from './object-named.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { patchedFiles, shortStat, statText } from './patch-text.ts';

const patchFlags = [
  'stat',
  'numstat',
  'shortstat',
  'name-only',
  'name-status',
  'no-color',
  'no-ext-diff',
  'patch p',
  'quiet',
  'exit-code',
];

/** Those with which `git log` shows what a commit changed. */
const changeFlags = ['patch', 'stat', 'numstat', 'shortstat', 'name-only', 'name-status'];

const log: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['oneline', 'graph', 'decorate', 'no-decorate', 'reverse', 'all', 'i', ...patchFlags],
    values: ['max-count n', 'format pretty', ...filterOptions],
  });
  const most = parseMost(parsed.value('max-count') ?? parsed.value('n')) ?? limits.gitLogCommits;
  const { directory } = git;
  const repository = await git.open();
  const { revision: ref, paths } = await git.splitOperands(repository, parsed);
  const isWanted = commitFilter(git, parsed);
  const picks = paths.length > 0 || parsed.has('all') || isWanted !== undefined;
  const ask = { directory, most: picks ? limits.gitLogCommits : Math.min(most, limits.gitLogCommits) };
  const all = parsed.has('all')
    ? await commitsOfAll(git, ask.most)
    : await git.git.log({ ...ask, ...(ref === undefined ? {} : { ref }) });
  const wanted = isWanted === undefined ? all : all.filter(isWanted);
  const commits =
    paths.length > 0
      ? await changing(repository, wanted, { paths: git.treePaths(paths), most })
      : wanted.slice(0, most);
  if (all.length === 0) {
    const { branch = 'HEAD' } = await git.git
      .branches({ directory })
      .then(({ current }) => ({ branch: current }));
    throw new GitCommandError(`fatal: your current branch '${branch}' does not have any commits yet`);
  }
  const isDrawn = parsed.has('graph');
  const isPicked = paths.length > 0 || isWanted !== undefined;
  if (isDrawn) assertDrawable({ commits, parsed, isPicked });
  const shown = parsed.has('reverse') ? [...commits].reverse() : commits;
  for (const [index, commit] of shown.entries()) {
    const isLast = index === shown.length - 1;
    const changes = changeFlags.some((flag) => parsed.has(flag))
      ? `${parsed.has('oneline') ? '' : '\n'}${await changesOf(git, { commit, parsed })}`
      : '';
    if (isDrawn) {
      const end = isLast || isOneLine(parsed) ? '' : '\n';
      const text = commitText(commit, { parsed, isFirst: true }) + changes + end;
      git.out.add(besideLine(text, { goesOn: !isLast || (!isPicked && commit.parents.length > 0) }));
    } else git.out.add(commitText(commit, { parsed, isFirst: index === 0 }) + changes);
    if (git.out.isFull) await git.out.flush();
  }
  return 0;
};

/** A graph is drawn of commits in a line; others are refused, and it is said how to see what they come from. @throws GitCommandError */
function assertDrawable({
  commits,
  parsed,
  isPicked,
}: {
  readonly commits: readonly GitCommit[];
  readonly parsed: ParsedWords;
  readonly isPicked: boolean;
}): void {
  if (parsed.has('reverse')) {
    throw new GitCommandError("fatal: options '--reverse' and '--graph' cannot be used together");
  }
  if (isLine(commits, { isPicked })) return;
  throw new GitCommandError(
    `fatal: the git of a shell draws no branches; git log --format='%h %P %s' shows each commit's parents.\nhint: ${inMachine}`,
  );
}

function isOneLine(parsed: ParsedWords): boolean {
  return parsed.has('oneline') || parsed.has('format');
}

const show: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['oneline', 'no-patch s', ...patchFlags],
    values: ['format pretty'],
  });
  const names = parsed.operands.length === 0 ? ['HEAD'] : parsed.operands;
  let isFirst = true;
  for (const name of names) {
    await showObject(git, { name, parsed, isFirst });
    isFirst = false;
  }
  return 0;
};

/** A commit with its changes, a tag with what it is of, the names in a tree, or the content of a file. */
async function showObject(
  git: GitCall,
  {
    name,
    parsed,
    isFirst,
  }: { readonly name: string; readonly parsed: ParsedWords; readonly isFirst: boolean },
): Promise<void> {
  const repository = await git.open();
  const { library, at } = repository;
  const { oid, type } = await objectNamed(repository, name);
  if (type === 'blob') {
    await git.out.flush();
    await git.call.stdout.write((await library.readBlob({ ...at, oid })).blob, git.call.signal);
  } else if (type === 'tree') {
    const { tree } = await library.readTree({ ...at, oid });
    const entries = tree.map((entry) => `${quotePath(entry.path)}${entry.type === 'tree' ? '/' : ''}\n`);
    git.out.add(`${isFirst ? '' : '\n'}tree ${name}\n\n${entries.join('')}`);
  } else if (type === 'tag') {
    const { tag } = await library.readTag({ ...at, oid });
    const by = tag.tagger
      ? `Tagger: ${tag.tagger.name} <${tag.tagger.email}>\nDate:   ${dateText(tag.tagger.timestamp * 1_000)}\n`
      : '';
    git.out.add(`${isFirst ? '' : '\n'}tag ${tag.tag}\n${by}\n${tag.message.trimEnd()}\n\n`);
    await showObject(git, { name: tag.object, parsed, isFirst: true });
  } else {
    const [commit] = await git.git.log({ directory: git.directory, ref: oid, most: 1 });
    if (!commit) return;
    git.out.add(commitText(commit, { parsed, isFirst }));
    if (!parsed.has('no-patch'))
      git.out.add(`${parsed.has('oneline') ? '' : '\n'}${await changesOf(git, { commit, parsed })}`);
  }
}

const diff: GitCommand = async (git, words) => {
  const parsed = parseWords(words, { flags: ['staged cached', ...patchFlags] });
  const revisions: string[] = [];
  const names = [...parsed.operands];
  const repository = await git.open();
  while (names.length > 0 && revisions.length < 2) {
    const [first = ''] = names;
    const sides = await sidesOf(repository, first);
    if (sides === undefined) break;
    revisions.push(...sides);
    names.shift();
  }
  const [from, to] = revisions;
  const ask = {
    directory: git.directory,
    staged: parsed.has('staged'),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  const { patch } = await compareTrees(repository, ask, git.parts.files.compareText);
  const text = onlyPaths(patch, git.treePaths([...names, ...parsed.paths]));
  if (!parsed.has('quiet')) git.out.add(patchText(text, parsed));
  return (parsed.has('quiet') || parsed.has('exit-code')) && text !== '' ? 1 : 0;
};

/** The ends of `A`, `A..B`, or `A...B`, which begins where both come from. `undefined` of what is none. @throws GitCommandError */
async function sidesOf(repository: Repository, word: string): Promise<string[] | undefined> {
  const [, from, dots, to = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(word) ?? [];
  const names = dots === undefined ? [word] : [from || 'HEAD', to || 'HEAD'];
  const ids: string[] = [];
  for (const name of names) {
    const id = await commitNamed(repository, name).catch(() => undefined);
    if (id === undefined) return undefined;
    ids.push(id);
  }
  if (dots !== '...') return ids;
  const [base] = await repository.library.findMergeBase({ ...repository.at, oids: ids });
  if (base === undefined) throw new GitCommandError(`fatal: ${word}: no merge base`);
  return [base, ids[1] ?? ''];
}

export const historyCommands: Readonly<Record<string, GitCommand>> = { log, show, diff };

/** The first of these commits that have one of the paths otherwise than each of their parents. */
async function changing(
  repository: Repository,
  commits: readonly GitCommit[],
  { paths, most }: { readonly paths: readonly string[]; readonly most: number },
): Promise<GitCommit[]> {
  if (paths.includes('.')) return commits.slice(0, most);
  const { library, at, signal } = repository;
  const idsIn = async (oid: string) => {
    const found = paths.map((filepath) =>
      library.readObject({ ...at, oid, filepath, format: 'deflated' }).then(
        (object) => object.oid,
        () => '',
      ),
    );
    return (await Promise.all(found)).join();
  };
  const none = paths.map(() => '').join();
  const found: GitCommit[] = [];
  for (const commit of commits) {
    if (found.length >= most) break;
    signal.throwIfAborted();
    const ids = await idsIn(commit.id);
    const before = commit.parents.length > 0 ? await Promise.all(commit.parents.map(idsIn)) : [none];
    if (before.every((each) => each !== ids)) found.push(commit);
  }
  return found;
}

async function changesOf(
  git: GitCall,
  { commit, parsed }: { readonly commit: GitCommit; readonly parsed: ParsedWords },
): Promise<string> {
  const repository = await git.open();
  const parent = commit.parents[0];
  const ask = { directory: git.directory, from: parent ?? emptyTree, to: commit.id };
  const { patch } = await compareTrees(repository, ask, git.parts.files.compareText);
  return patchText(patch, parsed);
}

function patchText(patch: string, parsed: ParsedWords): string {
  if (parsed.has('stat')) return statText(patch);
  if (parsed.has('shortstat')) return shortStat(patch, { listsFiles: false });
  if (parsed.has('numstat'))
    return patchedFiles(patch)
      .map(({ added, removed, path }) => `${added}\t${removed}\t${path}\n`)
      .join('');
  if (parsed.has('name-only'))
    return patchedFiles(patch)
      .map(({ path }) => `${path}\n`)
      .join('');
  if (parsed.has('name-status')) {
    return patchedFiles(patch)
      .map(({ change, path }) => `${change}\t${path}\n`)
      .join('');
  }
  return patch;
}

function onlyPaths(patch: string, paths: readonly string[]): string {
  if (paths.length === 0 || paths.includes('.')) return patch;
  return patchedFiles(patch)
    .filter(({ path }) => paths.some((each) => path === each || path.startsWith(`${each}/`)))
    .map(({ text }) => text)
    .join('');
}

function commitText(
  commit: GitCommit,
  { parsed, isFirst }: { readonly parsed: ParsedWords; readonly isFirst: boolean },
): string {
  const [subject = '', ...rest] = commit.message.split('\n');
  const format = parsed.value('format')?.replace(/^t?format:/, '');
  if (parsed.has('oneline') || format === 'oneline') return `${commit.id.slice(0, 7)} ${subject}\n`;
  if (format !== undefined) {
    const parts: Readonly<Record<string, string>> = {
      H: commit.id,
      h: commit.id.slice(0, 7),
      P: commit.parents.join(' '),
      s: subject,
      b: rest.join('\n').trim(),
      B: commit.message,
      an: commit.author.name,
      ae: commit.author.email,
      at: String(commit.authoredAtMs / 1_000),
      ct: String(commit.authoredAtMs / 1_000),
      ad: dateText(commit.authoredAtMs),
      aI: dateOf(commit.authoredAtMs)
        .toISOString()
        .replace(/\.\d+Z$/, '+00:00'),
      cd: dateText(commit.authoredAtMs),
      n: '\n',
      d: '',
      D: '',
      '%': '%',
    };
    return `${format.replaceAll(/%(a[neItd]|c[dt]|[HhPsbBnDd%])/g, (whole, key: string) => parts[key] ?? whole)}\n`;
  }
  const lines = commit.message.split('\n').map((line) => `    ${line}\n`);
  const { name, email } = commit.author;
  const merge =
    commit.parents.length > 1 ? `Merge: ${commit.parents.map((id) => id.slice(0, 7)).join(' ')}\n` : '';
  return `${isFirst ? '' : '\n'}commit ${commit.id}\n${merge}Author: ${name} <${email}>\nDate:   ${dateText(commit.authoredAtMs)}\n\n${lines.join('')}`;
}

/** As git, which shows the epoch for a date that it cannot tell. */
function dateOf(ms: number): Date {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

/** `Thu Jan 1 00:00:00 1970 +0000` */
function dateText(ms: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = dateOf(ms)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${Number(date)} ${time} ${year} +0000`;
}
