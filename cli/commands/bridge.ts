import type { Command } from 'commander';
import { bridgeUsage } from '../bridge/bridge-usage.ts';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';

const bridgeCommand = 'coppice bridge';

export function addBridge(program: Command, cli: Cli): void {
  const bridge = program
    .command('bridge')
    .description('serve the sandboxes of this host to pages, the SDK and HTTP clients')
    .argument('[options...]', 'those that coppice bridge --help lists')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .configureHelp({ formatHelp: () => `${bridgeUsage(bridgeCommand)}\n` })
    .action(async (args: readonly string[]) => {
      const { runBridgeCommand } = await import('../bridge/start-bridge.ts');
      await runBridgeCommand(args, { command: bridgeCommand, environment: cli.context.environment });
    });
  addExamples(bridge, [
    ['coppice bridge', 'for this machine alone, at port 7070'],
    ['coppice bridge --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem', 'for others, with TLS'],
    ['coppice bridge --allow-origin https://example.org --token-file token', 'for a page, as a service'],
  ]);
}
