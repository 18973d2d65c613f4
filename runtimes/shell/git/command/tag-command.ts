import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { decodeText } from '../../../../shell/text.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { librarySignature } from './history-commit.ts';
import { listRefs, shortRef } from './list-refs.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';
import { chosenRefs, isListed, selectionValues } from './ref-commands.ts';
import { factsOf, formatRef, sortRefs } from './ref-format.ts';
import { checkedName, isRefName } from './ref-names.ts';

const tag: GitCommand = async (git, words) => {
  const parsed = parseWords(
    words.map((word) => (word === '-n' ? '--lines=1' : word.replace(/^-n(\d+)$/, '--lines=$1'))),
    {
      flags: ['list l', 'delete d', 'annotate a', 'force f', 'no-color'],
      values: ['message m', 'file F', 'format', 'lines', ...selectionValues],
    },
  );
  const repository = await git.open();
  const { library, at } = repository;
  const selects = [...selectionValues, 'lines', 'format'].some((each) =>
    parsed.has(each.split(' ')[0] ?? ''),
  );
  if (parsed.has('delete')) return deleteTags(git, repository, parsed.operands);
  if (parsed.operands.length === 0 || parsed.has('list') || selects) {
    await listTags(git, repository, parsed);
    return 0;
  }
  const [given = '', revision = 'HEAD'] = parsed.operands;
  const name = checkedName(given, 'tag');
  const object = await objectOf(repository, revision).catch(() => {
    throw new GitCommandError(`fatal: Failed to resolve '${revision}' as a valid ref.`);
  });
  const known = await library.resolveRef({ ...at, ref: `refs/tags/${name}` }).catch(() => undefined);
  if (known !== undefined && !parsed.has('force'))
    throw new GitCommandError(`fatal: tag '${name}' already exists`);
  const message = messageOf(git, parsed);
  if (message === undefined && parsed.has('annotate'))
    throw new GitCommandError('error: there is no editor here\nfatal: no tag message?', 1);
  let oid = object.oid;
  if (message !== undefined) {
    if (message.trim() === '') throw new GitCommandError('fatal: no tag message?');
    oid = await library.writeTag({
      ...at,
      tag: {
        object: object.oid,
        type: object.type,
        tag: name,
        tagger: librarySignature(await git.signature(repository, 'COMMITTER')),
        message: message.trim(),
      },
    });
  }
  await library.writeRef({ ...at, ref: `refs/tags/${name}`, value: oid, force: true });
  if (known !== undefined && known !== oid) git.out.add(`Updated tag '${name}' (was ${known.slice(0, 7)})\n`);
  return 0;
};

export const tagCommands: Readonly<Record<string, GitCommand>> = { tag };

function messageOf(git: GitCall, parsed: ParsedWords): string | undefined {
  const file = parsed.value('file');
  if (file === '-')
    throw new NotInShellError('fatal: the git of a shell reads no message of a tag from its input', 128);
  if (file !== undefined) return decodeText(git.call.files.readFile(absolutePath(git.cwd, file)));
  return parsed.has('message') ? parsed.values('message').join('\n\n') : undefined;
}

async function deleteTags(git: GitCall, repository: Repository, names: readonly string[]): Promise<number> {
  const { library, at } = repository;
  let status = 0;
  for (const name of names) {
    const ref = `refs/tags/${name}`;
    const oid = isRefName(name) ? await library.resolveRef({ ...at, ref }).catch(() => undefined) : undefined;
    if (oid === undefined) {
      await git.warn(`error: tag '${name}' not found.`);
      status = 1;
      continue;
    }
    await library.deleteRef({ ...at, ref });
    git.out.add(`Deleted tag '${name}' (was ${oid.slice(0, 7)})\n`);
  }
  return status;
}

async function listTags(git: GitCall, repository: Repository, parsed: ParsedWords): Promise<void> {
  const refs = (await listRefs(repository, 'refs/tags')).filter(({ name }) =>
    isListed(parsed.operands, shortRef(name)),
  );
  const facts = sortRefs(
    await Promise.all((await chosenRefs(repository, refs, parsed)).map((ref) => factsOf(repository, ref))),
    parsed.values('sort'),
  );
  const format = parsed.value('format');
  const lines = Number(parsed.value('lines') ?? 0);
  for (const each of facts) {
    const name = shortRef(each.name);
    if (format !== undefined) git.out.add(`${await formatRef(repository, format, each)}\n`);
    else if (lines === 0) git.out.add(`${name}\n`);
    else {
      const message = each.message
        .trimEnd()
        .split('\n')
        .slice(0, lines)
        .map((line, index) => (index === 0 ? line : `    ${line}`));
      git.out.add(`${name.padEnd(15)} ${message.join('\n')}\n`);
    }
  }
}
