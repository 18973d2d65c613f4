import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { parseCount } from '../options/parse-count.ts';
import { cliProgress } from '../output/cli-progress.ts';
import { plainText } from '../output/plain-text.ts';
import { showUnpacking } from '../output/show-unpacking.ts';
import { assertNamesFree } from '../place/assert-names-free.ts';
import type { Place } from '../place/place.ts';

interface ForkOptions extends SharedOptions {
  readonly from?: string;
  readonly count: number;
  readonly memory?: boolean;
}

export function addFork(program: Command, cli: Cli): void {
  const command = program
    .command('fork')
    .description('make other sandboxes that go on from a snapshot; what they change stays theirs')
    .argument('[name]', 'what it is called; several are numbered')
    .option('--from <ref>', `${referenceHelp}; the files as they are by default`)
    .option('-n, --count <count>', `how many, ${limits.forks} at most`, parseCount, 1)
    .option('--memory', 'with what runs, where the runtime can')
    .action((name: string | undefined, options: ForkOptions) => fork(name, options, cli));
  addExamples(command, [
    ['coppice fork attempt', 'a second sandbox to try something in: -s attempt'],
    ['coppice fork attempt --from good --count 3', 'attempt-1 to attempt-3, from a tag'],
  ]);
}

async function fork(given: string | undefined, options: ForkOptions, cli: Cli): Promise<void> {
  const { from, count, memory = false } = options;
  if (count < 1 || count > limits.forks) {
    throw new SandboxError('limit-exceeded', `Cannot make ${count} forks at once: give 1 to ${limits.forks}`);
  }
  await using opened = await cli.openSandbox(options);
  const { sandbox, place } = opened;
  const name = given ?? `${sandbox.info.name}-fork`;
  const names = count === 1 ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  await assertNamesFree(names, place);
  const snapshot = from === undefined ? undefined : findSnapshot(await sandbox.history.get(), from).id;
  const forks = await showUnpacking(cliProgress(cli.context.stderr, options), (onProgress) =>
    sandbox.fork({
      count,
      memory,
      name,
      ...(snapshot === undefined ? {} : { from: snapshot }),
      onProgress,
    }),
  );
  let failure: SandboxError | undefined;
  for (const [index, made] of forks.entries()) {
    if (made instanceof SandboxError) {
      failure ??= made;
      continue;
    }
    await using fork = made;
    const info = await named(fork.info, { name: names[index] ?? name, place });
    cli.printer(options).result(info, () => `${plainText(info.name)}  ${info.id}`);
  }
  if (failure) throw failure;
}

/** Forks that are made together have one name, and get their own where they can. */
async function named(
  info: SandboxInfo,
  { name, place }: { readonly name: string; readonly place: Place },
): Promise<SandboxInfo> {
  const { backend } = place;
  return info.name === name || !backend.rename ? info : backend.rename({ id: info.id, name });
}
