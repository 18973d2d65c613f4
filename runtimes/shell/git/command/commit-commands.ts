import type { GitCommit } from '../../../../protocol/sandbox/git.ts';
import { compareTrees } from '../../../../sandbox/git/library/compare-trees.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { readAll } from '../../../../shell/programs/streams/input.ts';
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
  const isAmended = parsed.has('amend');
  if (isAmended && before === undefined) throw new GitCommandError('fatal: You have nothing yet to amend.');
  const message = await messageOf(git, { parsed, repository, before: isAmended ? before : undefined });
  const nowMs = Date.now();
  const committer = {
    ...(await git.author(repository)),
    timestamp: Math.floor(nowMs / 1_000),
    timezoneOffset: new Date(nowMs).getTimezoneOffset(),
  };
  const amended =
    isAmended && before !== undefined ? (await library.readCommit({ ...at, oid: before })).commit : undefined;
  // Whoever amends a commit is its committer: its author stays, and when it was written.
  const author = authorOf(parsed.value('author')) ?? amended?.author ?? committer;
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
  if (patch === '' && !isAmended && !parsed.has('allow-empty')) {
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
  });
  if (!parsed.has('quiet')) {
    const place = (await repository.branch()) ?? 'detached HEAD';
    const root = base === undefined ? ' (root-commit)' : '';
    git.out.add(`[${place}${root} ${id.slice(0, 7)}] ${message.split('\n')[0]}\n${shortStat(patch)}`);
  }
  return 0;
};

async function messageOf(
  git: GitCall,
  { parsed, repository, before }: { parsed: ParsedWords; repository: Repository; before: string | undefined },
): Promise<string> {
  const file = parsed.value('file');
  let text = parsed.values('message').join('\n\n');
  if (file === '-') text = decodeText(await readAll(git.call.stdin, git.call.signal));
  else if (file !== undefined) text = decodeText(git.call.files.readFile(absolutePath(git.cwd, file)));
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

function authorOf(text: string | undefined): GitCommit['author'] | undefined {
  if (text === undefined) return undefined;
  const [, name, email] = /^(.+?) *<(.+)>$/.exec(text) ?? [];
  if (name && email) return { name, email };
  throw new GitCommandError(`fatal: --author '${text}' is not 'Name <email>' and matches no existing author`);
}

export const commitCommands: Readonly<Record<string, GitCommand>> = { commit };
