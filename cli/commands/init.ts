import { type Command, Option } from 'commander';
import { createProgress } from '../../host/progress.ts';
import { type Architecture, architectures } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { type CreateOptions, defaultImage } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import type { ImportedRoot } from '../init/import-root.ts';
import { assertOneOrigin, type OriginOptions, rootOrigin } from '../init/root-origin.ts';
import { collect } from '../options/collect.ts';
import { type HostOptions, takesHostOptions } from '../options/host-options.ts';
import { allowOption, type NetworkOptions, networkSettings } from '../options/network-options.ts';
import { addVariable } from '../options/program-options.ts';
import { parseAmount, parseMebibytes, parseWhole } from '../options/quantities.ts';
import { bytesText } from '../output/amounts.ts';
import { confirm } from '../output/confirm.ts';
import { plainText } from '../output/plain-text.ts';
import type { Place } from '../place/place.ts';

interface InitOptions extends SharedOptions, OriginOptions, HostOptions, NetworkOptions {
  readonly ignore?: readonly string[];
  readonly force?: boolean;
  /** A folder of this host that is to have a history, instead of a sandbox. */
  readonly inPlace?: string;
  readonly architecture?: Architecture;
  readonly memory?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly disk?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function addInit(program: Command, cli: Cli): void {
  const command = takesHostOptions(program.command('init'))
    .description('make a sandbox: of an image, or of a copy of files that are there')
    .option('--in-place <folder>', 'begin a history of a folder of this host: no sandbox, and no walls')
    .option('--image <name>', "the image that it begins with; by default this host's usual one")
    .option('--from <folder>', 'begin with a copy of a folder, of / or of a Nix build output')
    .option('--tarball <archive>', 'begin with a tar archive: a file or a URL; plain, gzip, xz or zstd')
    .option('--sha256 <hex>', 'what the archive has to be')
    .option('--exclude <pattern>', 'leave this out of --from; may be given several times', collect)
    .option('--cross-mounts', 'copy what is mounted below --from as well')
    .addOption(
      new Option('--architecture <name>', 'what programs are for, where none of them says').choices([
        ...architectures,
      ]),
    )
    .option(
      '--memory <size>',
      'the most memory, such as 512M; 2G by default where the host has twice that',
      parseMebibytes,
    )
    .option('--cpus <number>', 'the most processors at once, such as 0.5', parseAmount)
    .option('--pids <number>', 'the most processes and threads', parseWhole)
    .option(
      '--disk <size>',
      'the most that files may take; a quarter of what is free by default',
      parseMebibytes,
    )
    .addOption(new Option('--network <which>', 'none, or the public internet').choices(['off', 'public']))
    .addOption(allowOption())
    .option(
      '--env <name=value>',
      'a variable for all that runs in it; may be given several times',
      addVariable,
    )
    .option(
      '--ignore <directory>',
      'changes in there, as in a cache, wait for the next snapshot; may be given several times',
      collect,
    )
    .option('-f, --force', 'replace a sandbox of that name, with its history')
    .action((options: InitOptions) =>
      options.inPlace === undefined ? init(options, cli) : initInPlace(options, cli),
    );
  addExamples(command, [
    ['coppice init', 'a sandbox with Debian, called default'],
    [
      'coppice init --from / --exclude /home --exclude node_modules',
      'with a copy of the files of this machine',
    ],
    ['coppice init --tarball root.tar.zst --network public', 'with those of an archive, and the internet'],
    ['coppice init --allow "*.debian.org" --allow pypi.org', 'with a network that reaches these names only'],
    ['coppice init --from ./result', 'with what nix build made, and all that it needs'],
    ['coppice init --in-place .', 'no sandbox: a history of this folder, in which an agent works directly'],
    ['coppice init -s other --image debian-amd64 --memory 2G', 'a second one'],
  ]);
}

async function init(options: InitOptions, cli: Cli): Promise<void> {
  assertOneOrigin(options);
  const { sandbox: name, force, from, tarball } = options;
  const { context } = cli;
  const { sandboxesCalled, makeSandbox } = await import('../init/make-sandbox.ts');
  const { roomyAmounts } = await import('../init/roomy-amounts.ts');
  const isOfImage = from === undefined && tarball === undefined;
  await using place = await cli.openPlace(
    isOfImage ? { ...options, imageAhead: options.image ?? defaultImage } : options,
  );
  const replaces = await sandboxesCalled(name, place);
  if (!force) await assertReplaced(replaces, name, cli);
  const progress = createProgress(options.quiet ? { write: () => undefined } : context.stderr);
  const { signal } = context;
  const imported = await importedRoot(options, { cli, place, progress });
  const given = imported?.image ?? options.image;
  const create: CreateOptions = {
    name,
    ...(await roomyAmounts(place)),
    ...limitsOf(options),
    ...(options.ignore ? { ignore: options.ignore } : {}),
    ...(given === undefined ? {} : { image: given }),
  };
  const making = makeSandbox(place, { create, replaces, progress, signal });
  const info = await making.catch(async (error: unknown) => {
    await imported?.drop();
    throw error;
  });
  if (place.remark !== undefined) progress.warn(place.remark);
  const remarks = [...(imported?.remarks ?? []), ...(place.remark === undefined ? [] : [place.remark])];
  const { id, runtime, memoryMiB, diskMiB, pids, cpus } = info;
  const held = {
    memoryMiB,
    diskMiB,
    ...(pids === undefined ? {} : { pids }),
    ...(cpus === undefined ? {} : { cpus }),
  };
  const value = { id, name: info.name, place: place.name, runtime, limits: held, remarks };
  cli
    .printer(options)
    .result(
      value,
      () => `${plainText(info.name)} (${id}) is in ${place.name}, with at most ${describeLimits(info)}`,
    );
}

function describeLimits({ memoryMiB, diskMiB, pids, cpus }: SandboxInfo): string {
  const all = [
    `${bytesText(memoryMiB * 2 ** 20)} of memory`,
    `${bytesText(diskMiB * 2 ** 20)} of disk`,
    ...(pids === undefined ? [] : [`${pids} processes`]),
    ...(cpus === undefined ? [] : [`${cpus} processors`]),
  ];
  return all.join(', ');
}

/** What a folder has now is the first snapshot of its history. */
async function initInPlace(options: InitOptions, cli: Cli): Promise<void> {
  const { beginHistory } = await import('../place/open-history-place.ts');
  const begun = await beginHistory(options, cli.context);
  const printer = cli.printer(options);
  printer.result(begun, () =>
    begun.isNew
      ? `${plainText(begun.folder)} has a history now, of ${begun.files} files and directories`
      : `${plainText(begun.folder)} has a history already`,
  );
  if (!printer.isJson) {
    printer.note(
      'It is no sandbox: programs that work there are on this host, without walls. ' +
        'coppice commit takes a snapshot, coppice wrap AGENT one for each tool call, coppice undo goes back',
    );
  }
}

/** Asks on a terminal. @throws already-exists where there is none; aborted */
async function assertReplaced(found: readonly SandboxInfo[], name: string, { context }: Cli): Promise<void> {
  if (found.length === 0) return;
  if (context.stdin.isTTY && context.stderr.isTTY)
    return confirm(`There is a sandbox ${plainText(name)}. Replace it, with its history?`, context);
  throw new SandboxError(
    'already-exists',
    `There is a sandbox ${name} already: use it, name another with --sandbox, or replace it and its history with --force`,
    { details: { id: found[0]?.id } },
  );
}

async function importedRoot(
  options: InitOptions,
  parts: { readonly cli: Cli; readonly place: Place; readonly progress: ReturnType<typeof createProgress> },
): Promise<ImportedRoot | undefined> {
  const { from, tarball, sandbox, architecture } = options;
  if (from === undefined && tarball === undefined) return undefined;
  const { cli, place, progress } = parts;
  if (place.type === 'bridge') {
    const message =
      'Cannot make a sandbox of files of this host on a bridge: make it here, then `coppice push` it there, ' +
      'or name an image of the bridge with --image';
    throw new SandboxError('unsupported', message, { details: { feature: 'init --from' } });
  }
  // Said before files are copied, which takes minutes; and a shell has none of them.
  if (place.fellBack !== undefined)
    throw new SandboxError('unsupported', place.fellBack, { details: { feature: 'jails' } });
  const { assertWithinUsual } = await import('../../bridge-server/sandboxes/host-resources.ts');
  assertWithinUsual(limitsOf(options));
  const { directory, signal } = cli.context;
  const { importRoot } = await import('../init/import-root.ts');
  const origin = await rootOrigin(options, { directory, without: [place.name] });
  return origin && importRoot(origin, { folder: place.name, sandbox, architecture, progress, signal });
}

function limitsOf({ memory, cpus, pids, disk, network, allow, env }: InitOptions): CreateOptions {
  return {
    ...(memory === undefined ? {} : { memoryMiB: memory }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
    ...(disk === undefined ? {} : { diskMiB: disk }),
    ...networkSettings({ network, allow }),
    ...(env ? { envs: env } : {}),
  };
}
