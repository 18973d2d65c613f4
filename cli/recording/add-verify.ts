import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { takesHostOptions } from '../options/host-options.ts';
import { allowOption } from '../options/network-options.ts';
import { parseDurationMs } from '../options/quantities.ts';
import { runtimeOption } from '../options/runtime-option.ts';
import type { VerifyOptions } from './verify.ts';

const defaultTimeoutMs = 600_000;

/** The command that runs a recording again. */
export function addVerify(above: Command, cli: Cli): void {
  const command = takesHostOptions(above.command('verify'))
    .description(
      'run the commands of a recording again in a new sandbox, and tell the first that does something else; exit code 1 then',
    )
    .argument('<file>', 'a recording with its files, or a folder of segments')
    .addOption(runtimeOption('what runs it: by default what was recorded, where this host can'))
    .option('--image <name>', 'what the sandbox is made from: it has to be the image of the recording')
    .addOption(new Option('--network <which>', 'none, or the public internet').choices(['off', 'public']))
    .addOption(allowOption())
    .option('--timeout <time>', 'the most for each command, such as 30s', parseDurationMs, defaultTimeoutMs)
    .option(
      '--ignore <pattern>',
      'a regular expression: what it matches may differ; may be given several times',
      addPattern,
      [],
    )
    .option('--all', 'go on after a command that does something else')
    .action(async (file: string, options: VerifyOptions) => {
      const { verify } = await import('./verify.ts');
      await verify(file, options, cli);
    });
  addExamples(command, [
    ['coppice recording verify tutorial.cast.gz', 'whether a tutorial still does what it shows'],
    ['coppice recording verify --json --all work.cast.gz', 'all that differs, for programs'],
    ['coppice recording verify --ignore "build [0-9]+" work.cast.gz', 'with a number that means nothing'],
  ]);
}

function addPattern(text: string, before: readonly RegExp[]): readonly RegExp[] {
  try {
    return [...before, new RegExp(text, 'g')];
  } catch (error) {
    throw new InvalidArgumentError(`It is no regular expression: ${(error as Error).message}`);
  }
}
