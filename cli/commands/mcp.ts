import { type Command, Option } from 'commander';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { plainText } from '../output/plain-text.ts';

interface McpOptions extends SharedOptions {
  readonly runtime?: 'shell';
  readonly readOnly?: boolean;
  readonly keep?: boolean;
}

export function addMcp(program: Command, cli: Cli): void {
  const command = program
    .command('mcp')
    .description('serve sandboxes to a client of the Model Context Protocol, over standard input and output')
    .addOption(
      new Option(
        '--runtime <name>',
        'shells in this process, kept in its memory, instead of a folder',
      ).choices(['shell']),
    )
    .option('--read-only', 'only tools that read')
    .option('--keep', 'keep the sandboxes that the client makes when it ends')
    .action((options: McpOptions) => serve(options, { cli, version: program.version() ?? '' }));
  addExamples(command, [
    ['coppice mcp', 'what an MCP host starts; its tools mean the sandbox default'],
    ['coppice mcp -s project --read-only', 'to look at one sandbox'],
    ['coppice mcp --runtime shell', 'without jails, nothing stored'],
    ['coppice mcp --bridge https://sandboxes.example.org', 'sandboxes of a bridge'],
  ]);
}

async function serve(
  options: McpOptions,
  { cli, version }: { readonly cli: Cli; readonly version: string },
): Promise<void> {
  const { stdin, stdout, stderr, signal } = cli.context;
  await using stack = new AsyncDisposableStack();
  const backend = await openBackend(options, { cli, stack });
  const { serveMcpOverStdio } = await import('../../mcp/serve-stdio.ts');
  await serveMcpOverStdio({
    ...{ backend, stdin, stdout, signal, version },
    defaultSandbox: options.sandbox,
    isReadOnly: options.readOnly ?? false,
    keepsMade: options.keep ?? false,
    onProblem: (message) => void stderr.write(`${plainText(message)}\n`),
  });
}

async function openBackend(
  options: McpOptions,
  { cli, stack }: { readonly cli: Cli; readonly stack: AsyncDisposableStack },
): Promise<SandboxBackend> {
  if (options.runtime === undefined) return stack.use(await cli.openPlace(options)).backend;
  const { shellBackend } = await import('../shell-backend.ts');
  return shellBackend();
}
