import { type Command, Option } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { allowOption, type NetworkOptions, networkSettings } from '../options/network-options.ts';
import { parseAmount, parseMebibytes } from '../options/quantities.ts';
import { type RuntimeChoice, runtimeOption } from '../options/runtime-option.ts';
import { plainText } from '../output/plain-text.ts';
import { assertNamesFree } from '../place/assert-names-free.ts';

interface CreateOptions extends SharedOptions, NetworkOptions {
  readonly image?: string;
  readonly runtime?: RuntimeChoice;
  readonly memory?: number;
  readonly disk?: number;
  readonly cpus?: number;
  readonly label: Readonly<Record<string, string>>;
}

export function addCreate(program: Command, cli: Cli): void {
  const command = program
    .command('create')
    .description('make another sandbox, beside the one that coppice init makes')
    .argument('<name>', 'what it is called')
    .option('--image <name>', 'the image that it begins with; by default the usual one of the host')
    .addOption(
      runtimeOption('what runs it; auto, as by default, is a jail where this host can, else a shell'),
    )
    .option('--memory <size>', 'the most memory, such as 512M', parseMebibytes)
    .option('--disk <size>', 'the most that its files may take', parseMebibytes)
    .option('--cpus <number>', 'the most processors at once, such as 0.5', parseAmount)
    .addOption(new Option('--network <which>', 'none, or the public internet').choices(['off', 'public']))
    .addOption(allowOption())
    .option('--label <name=value>', 'a label; may be given several times', addLabel, {})
    .action((name: string, options: CreateOptions) => create(name, options, cli));
  addExamples(command, [
    ['coppice create tests', 'then: coppice exec -s tests -- make test'],
    ['coppice create tests --memory 1G --network public', 'with limits, and with a network'],
    [
      'coppice create tests --allow registry.npmjs.org:443',
      'with a network that reaches one name at one port',
    ],
  ]);
}

async function create(name: string, options: CreateOptions, cli: Cli): Promise<void> {
  const { image, runtime, memory, disk, cpus, label: metadata } = options;
  const takesImage = describeRuntime(runtime)?.image ?? true;
  await using place = await cli.openPlace(
    takesImage ? { ...options, imageAhead: image ?? defaultImage } : options,
  );
  const { backend } = place;
  await assertNamesFree([name], place);
  const { Sandbox } = await import('../../sdk/sandbox.ts');
  await using sandbox = await Sandbox.create({
    backend,
    name,
    signal: cli.context.signal,
    ...(image === undefined ? {} : { image }),
    ...(runtime === undefined || runtime === 'auto' ? {} : { runtime }),
    ...(memory === undefined ? {} : { memoryMiB: memory }),
    ...(disk === undefined ? {} : { diskMiB: disk }),
    ...(cpus === undefined ? {} : { cpus }),
    ...networkSettings(options),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
  const { info } = sandbox;
  const printer = cli.printer(options);
  if (place.remark !== undefined && takesImage) printer.note(`coppice: ${place.remark}`);
  printer.result(info, () => `${plainText(info.name)}  ${info.id}`);
}

function addLabel(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = text.indexOf('=');
  if (at > 0) return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  throw new SandboxError(
    'invalid-argument',
    `Cannot read the label ${JSON.stringify(text)}: give NAME=VALUE`,
  );
}
