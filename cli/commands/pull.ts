import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { findSnapshot } from '../history/references.ts';
import { type NetworkOptions, takesNetworkOfCopy } from '../options/network-options.ts';
import { findSandbox } from '../place/find-sandbox.ts';

interface PullOptions extends SharedOptions, NetworkOptions {
  readonly from: string;
  readonly ref?: string;
  readonly as?: string;
  readonly into?: string;
}

export function addPull(program: Command, cli: Cli): void {
  const command = takesNetworkOfCopy(program.command('pull'))
    .description(
      'copy a snapshot, under the same id, from a bridge: as a new sandbox, or into one that is here',
    )
    .argument('<sandbox>', 'the name or id of the sandbox there')
    .requiredOption('--from <url>', 'the bridge')
    .option('--token-file <file>', 'what opens it; or COPPICE_TOKEN')
    .option(
      '--ref <ref>',
      'a snapshot of it; of now by default, which is a new one where something has changed',
    )
    .option('--as <name>', 'what the copy is called; as there by default')
    .option('--into <name>', 'add it to the history of that sandbox, beside its HEAD')
    .action((which: string, options: PullOptions) => pull(which, options, cli));
  addExamples(command, [
    ['coppice pull review --from https://host:8443 --token-file token', 'a sandbox of a bridge comes here'],
    ['coppice pull review --from https://host:8443 --into default', 'what it has that default has not'],
  ]);
}

async function pull(which: string, options: PullOptions, cli: Cli): Promise<void> {
  const { context } = cli;
  const { openBridgePlace } = await import('../place/open-bridge-place.ts');
  const { copyText, lostNetwork, moveSnapshot } = await import('../transfer/move-snapshot.ts');
  const { tokenFile, ...own } = options;
  await using there = await openBridgePlace(
    options.from,
    tokenFile === undefined ? {} : { tokenFile },
    context,
  );
  await using here = await cli.openPlace(own);
  const { backend } = there;
  const { id } = await findSandbox(backend, which);
  const { Sandbox } = await import('../../sdk/sandbox.ts');
  await using sandbox = await Sandbox.open(id, { backend });
  const snapshot =
    options.ref === undefined ? undefined : findSnapshot(await sandbox.history.get(), options.ref).id;
  const moved = await moveSnapshot(sandbox, { to: here, snapshot, options, context, label: 'pull' });
  const printer = cli.printer(options);
  printer.result(moved, () => copyText(moved));
  const lost = lostNetwork(sandbox, options);
  if (lost !== undefined) printer.note(`coppice: ${lost}`);
}
