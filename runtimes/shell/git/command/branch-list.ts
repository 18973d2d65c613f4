import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCall } from './git-call.ts';
import { readHistoryCommit, subjectOf } from './history-commit.ts';
import { listRefs, shortRef } from './list-refs.ts';
import { operationUnderWay } from './operation-state.ts';
import type { ParsedWords } from './parse-words.ts';
import { chosenRefs, isListed } from './ref-commands.ts';
import { factsOf, formatRef, sortRefs, trackText } from './ref-format.ts';
import { detachedLine } from './status-command.ts';
import { upstreamState } from './upstream-state.ts';

/** Lists branches as the options ask for them. */
export async function listBranches(git: GitCall, repository: Repository, parsed: ParsedWords): Promise<void> {
  const current = await repository.branch();
  const prefixes = parsed.has('remotes')
    ? ['refs/remotes']
    : parsed.has('all')
      ? ['refs/heads', 'refs/remotes']
      : ['refs/heads'];
  const refs = (await Promise.all(prefixes.map((prefix) => listRefs(repository, prefix)))).flat();
  const chosen = await chosenRefs(
    repository,
    refs.filter(({ name }) => isListed(parsed.operands, shortRef(name))),
    parsed,
  );
  const facts = sortRefs(
    await Promise.all(chosen.map((ref) => factsOf(repository, ref))),
    parsed.values('sort'),
  );
  const format = parsed.value('format');
  if (format !== undefined) {
    for (const each of facts) git.out.add(`${await formatRef(repository, format, each)}\n`);
    return;
  }
  const head = await repository.head();
  const shown = (name: string) =>
    parsed.has('all') && name.startsWith('refs/remotes/') ? name.slice(5) : shortRef(name);
  const rows = facts.map(({ name, oid }) => ({
    mark: name === `refs/heads/${current}` ? '*' : ' ',
    text: shown(name),
    name,
    oid,
  }));
  if (current === undefined && head !== undefined && !parsed.has('remotes') && parsed.operands.length === 0) {
    const operation = await operationUnderWay(repository);
    const text =
      operation?.kind === 'rebase'
        ? `(no branch, rebasing ${operation.branch.replace('refs/heads/', '')})`
        : `(${await detachedLine(repository, head)})`;
    rows.unshift({ mark: '*', text, name: 'HEAD', oid: head });
  }
  const verbosity = parsed.values('verbose').length;
  const width = Math.max(0, ...rows.map(({ text }) => text.length));
  for (const { mark, text, name, oid } of rows) {
    const [, pointed] =
      name.endsWith('/HEAD') && name.startsWith('refs/remotes/')
        ? [0, await pointedAt(repository, name)]
        : [];
    if (verbosity === 0 || pointed !== undefined)
      git.out.add(
        `${mark} ${text}${pointed === undefined ? '' : `${verbosity > 0 ? ' '.repeat(width - text.length) : ''} -> ${pointed}`}\n`,
      );
    else {
      const { message } = await readHistoryCommit(repository, oid);
      const state = name.startsWith('refs/heads/')
        ? await upstreamState(repository, name.slice(11))
        : undefined;
      const track = state ? trackText(state).slice(1, -1) : '';
      const full =
        state && verbosity > 1
          ? `[${state.name}${track === '' ? '' : `: ${track}`}] `
          : track === ''
            ? ''
            : `[${track}] `;
      git.out.add(`${mark} ${text.padEnd(width)} ${oid.slice(0, 7)} ${full}${subjectOf(message)}\n`);
    }
    if (git.out.isFull) await git.out.flush();
  }
}

async function pointedAt({ at }: Repository, name: string): Promise<string | undefined> {
  const text = String(await at.fs.promises.readFile(`${at.dir}/.git/${name}`, 'utf8').catch(() => ''));
  const [, target] = /^ref: refs\/remotes\/(\S+)/.exec(text) ?? [];
  return target;
}
