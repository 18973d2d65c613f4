import { type Command, Option } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { inColumns } from '../output/columns.ts';
import { plainText } from '../output/plain-text.ts';

interface TagOptions extends SharedOptions {
  readonly delete?: boolean;
}

export function addTag(program: Command, cli: Cli): void {
  const command = program
    .command('tag')
    .description('list tags, or give a snapshot one: a name that keeps it')
    .argument('[tag]', 'the name; without it, all tags are listed')
    .argument('[ref]', `${referenceHelp}; HEAD by default`)
    .addOption(new Option('-d, --delete', 'take the tag away; its snapshot stays'))
    .action(async (name: string | undefined, reference: string | undefined, options: TagOptions) => {
      if (name === undefined) return list(options, cli);
      if (options.delete) return remove(name, options, cli);
      return set(name, reference ?? 'HEAD', options, cli);
    });
  addExamples(command, [
    ['coppice tag', 'which tags there are'],
    ['coppice tag good', 'HEAD is called good; a tag of that name moves'],
    ['coppice tag good 1a2b3c', 'another snapshot is'],
    ['coppice tag --delete good', 'no more'],
  ]);
}

async function list(options: TagOptions, cli: Cli): Promise<void> {
  if (options.delete) throw new SandboxError('invalid-argument', 'Which tag? Give its name after --delete');
  await using opened = await cli.openToRead(options);
  const { snapshots } = await opened.sandbox.history.get();
  const tagged = snapshots
    .flatMap((snapshot) => snapshot.tags.map((tag) => ({ tag, snapshot })))
    .toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
  const rows = inColumns(
    tagged.map(({ tag, snapshot }) => [plainText(tag), shortId(snapshot.id), snapshotTitle(snapshot)]),
  );
  const printer = cli.printer(options);
  for (const [index, { tag, snapshot }] of tagged.entries())
    printer.result({ tag, id: snapshot.id }, () => rows[index] ?? '');
}

async function remove(name: string, options: TagOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { history } = opened.sandbox;
  if (!(await history.tags()).has(name))
    throw new SandboxError('not-found', `There is no tag ${name}: coppice tag lists those that there are`);
  await history.deleteTag(name);
  cli.printer(options).result({ tag: name }, () => '');
}

async function set(name: string, reference: string, options: TagOptions, cli: Cli): Promise<void> {
  await using opened = await cli.openSandbox(options);
  const { sandbox } = opened;
  const { id } = findSnapshot(await sandbox.history.get(), reference);
  await sandbox.history.setTag(name, id);
  cli.printer(options).result({ tag: name, id }, () => `${plainText(name)} is ${shortId(id)}`);
}
