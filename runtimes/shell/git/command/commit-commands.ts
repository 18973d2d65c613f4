import type { GitCommit } from '../../../../protocol/sandbox/git.ts';
import { compareTrees } from '../../../../sandbox/git/library/compare-trees.ts';
import { indexRows } from '../../../../sandbox/git/library/index-rows.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { readAll } from '../../../../shell/programs/streams/input.ts';
import { now, zoneOfCall } from '../../../../shell/programs/time/now.ts';
import { parseDate } from '../../../../shell/programs/time/parse-date.ts';
import { decodeText } from '../../../../shell/text.ts';
import { addTracked } from './file-commands.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { shortStat } from './patch-text.ts';

const commit: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: ['all a', 'quiet q', 'amend', 'allow-empty', 'no-edit', 'no-verify n', 'no-gpg-sign', 'verbose v'],
    values: ['message m', 'file F', 'author'],
  });
  if (parsed.operands.length > 0 || parsed.paths.length > 0) {
    throw new GitCommandError(
      'fatal: commit takes no paths here: use git add, and commit what is staged',
      129,
    );
  }
  if (parsed.has('all')) await addTracked(git);
  const repository = await git.open();
  const { library, at } = repository;
  const before = await repository.head();
  const merged = await mergedCommits(git, repository);
  const isAmended = parsed.has('amend');
  if (isAmended && before === undefined) throw new GitCommandError('fatal: You have nothing yet to amend.');
  const message = await messageOf(git, { parsed, repository, before: isAmended ? before : undefined });
  const person = await git.author(repository);
  const committer = { ...person, ...timeOf(git, 'GIT_COMMITTER_DATE') };
  const writer = { ...person, ...timeOf(git, 'GIT_AUTHOR_DATE') };
  const amended =
    isAmended && before !== undefined ? (await library.readCommit({ ...at, oid: before })).commit : undefined;
  // Whoever amends a commit is its committer: its author stays, and when it was written.
  const author = authorOf(parsed.value('author')) ?? amended?.author ?? writer;
  const base = amended ? amended.parent[0] : before;
  const { patch } = await compareTrees(
    repository,
    {
      directory: git.directory,
      staged: true,
      ...(base === undefined || base === before ? {} : { from: base }),
    },
    git.parts.files.compareText,
  );
  if (isAmended && merged.length > 0)
    throw new GitCommandError('fatal: You are in the middle of a merge -- cannot amend.');
  if (patch === '' && !isAmended && merged.length === 0 && !parsed.has('allow-empty')) {
    git.out.add(
      `On branch ${(await repository.branch()) ?? 'HEAD'}\nnothing to commit, working tree clean\n`,
    );
    return 1;
  }
  const id = await library.commit({
    ...at,
    message: `${message}\n`,
    author,
    committer,
    amend: isAmended,
    ...(merged.length > 0 && before !== undefined ? { parent: [before, ...merged] } : {}),
  });
  await forgetMerge(git, repository);
  if (!parsed.has('quiet')) {
    const place = (await repository.branch()) ?? 'detached HEAD';
    const root = base === undefined ? ' (root-commit)' : '';
    git.out.add(`[${place}${root} ${id.slice(0, 7)}] ${message.split('\n')[0]}\n${shortStat(patch)}`);
  }
  return 0;
};

/** What of a merge, a pick or a revert is kept between commands. */
const stateFiles = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'AUTO_MERGE',
  'SQUASH_MSG',
];

/** The commits of the merge that is under way, begun here or by another git. @throws GitCommandError for conflicts, and for a rebase */
async function mergedCommits(git: GitCall, repository: Repository): Promise<string[]> {
  const { fs, dir } = repository.at;
  const unmerged = new Set(
    (await indexRows(repository)).flatMap(({ path, stage }) => (stage === 0 ? [] : [path])),
  );
  if (unmerged.size > 0) {
    for (const path of unmerged) git.out.add(`U\t${path}\n`);
    throw new GitCommandError(
      "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
    );
  }
  const text = String(await fs.promises.readFile(`${dir}/.git/MERGE_HEAD`, 'utf8').catch(() => ''));
  return text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line));
}

async function forgetMerge(git: GitCall, { at }: Repository): Promise<void> {
  for (const name of stateFiles) {
    const path = `${at.dir}/.git/${name}`;
    if (git.parts.files.isThere(path)) await at.fs.promises.unlink(path);
  }
}

async function messageOf(
  git: GitCall,
  { parsed, repository, before }: { parsed: ParsedWords; repository: Repository; before: string | undefined },
): Promise<string> {
  const file = parsed.value('file');
  let text = parsed.values('message').join('\n\n');
  if (file === '-') text = decodeText(await readAll(git.call.stdin, git.call.signal));
  else if (file !== undefined) text = decodeText(git.call.files.readFile(absolutePath(git.cwd, file)));
  if (text === '' && before === undefined && parsed.values('message').length === 0 && file === undefined) {
    const { fs, dir } = repository.at;
    const prepared = String(await fs.promises.readFile(`${dir}/.git/MERGE_MSG`, 'utf8').catch(() => ''));
    text = prepared.replaceAll(/^#.*\n?/gm, '');
  }
  if (text === '' && before !== undefined) {
    const { commit } = await repository.library.readCommit({ ...repository.at, oid: before });
    text = commit.message;
  }
  if (text.trim() !== '') return text.trim();
  if (parsed.has('message') || file !== undefined)
    throw new GitCommandError('Aborting commit due to empty commit message.', 1);
  throw new GitCommandError(
    'error: there is no editor here\nPlease supply the message using either -m or -F option.',
    1,
  );
}

/** Now, or what a variable says. @throws GitCommandError */
function timeOf(
  git: GitCall,
  variable: string,
): { readonly timestamp: number; readonly timezoneOffset: number } {
  const text = git.call.environment.get(variable);
  const nowMs = Date.now();
  if (!text) {
    return {
      timestamp: Math.floor(nowMs / 1_000),
      timezoneOffset: new Date(nowMs).getTimezoneOffset(),
    };
  }
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  const timezoneOffset = (sign === '+' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) || 0;
  const [, seconds] = /^@?(\d{5,}) [+-]\d{4}$/.exec(text) ?? [];
  const parsed = parseDate(text, { now: now(), zone: zoneOfCall(git.call) });
  const timestamp = seconds === undefined ? parsed?.seconds : Number(seconds);
  if (timestamp === undefined) throw new GitCommandError(`fatal: invalid date format: ${text}`);
  return { timestamp, timezoneOffset };
}

function authorOf(text: string | undefined): GitCommit['author'] | undefined {
  if (text === undefined) return undefined;
  const [, name, email] = /^(.+?) *<(.+)>$/.exec(text) ?? [];
  if (name && email) return { name, email };
  throw new GitCommandError(`fatal: --author '${text}' is not 'Name <email>' and matches no existing author`);
}

export const commitCommands: Readonly<Record<string, GitCommand>> = { commit };
