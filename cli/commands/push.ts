import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot, referenceHelp } from '../history/references.ts';
import { type NetworkOptions, takesNetworkOfCopy } from '../options/network-options.ts';

interface PushOptions extends SharedOptions, NetworkOptions {
  readonly to: string;
  readonly as?: string;
  readonly into?: string;
}

export function addPush(program: Command, cli: Cli): void {
  const command = takesNetworkOfCopy(program.command('push'))
    .description(
      'copy a snapshot, under the same id, to a bridge: as a new sandbox, or into one that is there',
    )
    .argument(
      '[ref]',
      `${referenceHelp}; of now by default, which is a new snapshot where something has changed`,
    )
    .requiredOption('--to <url>', 'the bridge')
    .option('--token-file <file>', 'what opens it; or COPPICE_TOKEN')
    .option('--as <name>', 'what the copy is called; as this sandbox by default')
    .option('--into <name>', 'add it to the history of that sandbox, beside its HEAD')
    .action((reference: string | undefined, options: PushOptions) => push(reference, options, cli));
  addExamples(command, [
    ['coppice push --to https://host:8443 --token-file token', 'HEAD becomes a sandbox there'],
    ['coppice push good --to https://host:8443 --into review', 'only what that sandbox has not is sent'],
  ]);
}

async function push(reference: string | undefined, options: PushOptions, cli: Cli): Promise<void> {
  const { context } = cli;
  const { openBridgePlace } = await import('../place/open-bridge-place.ts');
  const { copyText, lostNetwork, moveSnapshot } = await import('../transfer/move-snapshot.ts');
  const { tokenFile, ...own } = options;
  await using opened = await cli.openSandbox(own);
  await using there = await openBridgePlace(
    options.to,
    tokenFile === undefined ? {} : { tokenFile },
    context,
  );
  const { sandbox } = opened;
  const snapshot =
    reference === undefined ? undefined : findSnapshot(await sandbox.history.get(), reference).id;
  const moved = await moveSnapshot(sandbox, {
    ...{ to: there, snapshot, options, context },
    label: `push to ${there.name}`,
  });
  const printer = cli.printer(options);
  printer.result(moved, () => copyText(moved));
  const lost = lostNetwork(sandbox, options);
  if (lost !== undefined) printer.note(`coppice: ${lost}`);
}
