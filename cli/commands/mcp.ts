import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { plainText } from '../output/plain-text.ts';

interface McpOptions extends SharedOptions {
  readonly runtime?: 'shell';
  readonly readOnly?: boolean;
  readonly keep?: boolean;
  readonly record?: string;
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
    .option('--record <folder>', 'record each sandbox that the client uses, with its calls, in a file there')
    .action((options: McpOptions) => serve(options, { cli, version: program.version() ?? '' }));
  addExamples(command, [
    ['coppice mcp', 'what an MCP host starts; its tools mean the sandbox default'],
    ['coppice mcp -s project --read-only', 'to look at one sandbox'],
    ['coppice mcp --record sessions', 'what an agent did, as files of the folder `sessions`'],
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
  const { record } = options;
  await serveMcpOverStdio({
    ...(record === undefined ? {} : { record: recordInto(record, cli.context) }),
    ...{ backend, stdin, stdout, signal, version },
    defaultSandbox: options.sandbox,
    isReadOnly: options.readOnly ?? false,
    keepsMade: options.keep ?? false,
    onProblem: (message) => void stderr.write(`${plainText(message)}\n`),
  });
}

/** Each into a file of its own that is named after the sandbox. */
function recordInto(folder: string, context: Cli['context']): (sandbox: Sandbox) => Promise<AsyncDisposable> {
  const directory = resolve(context.directory, folder);
  return async (sandbox) => {
    const { recordTo } = await import('../record/record-to.ts');
    const { name } = sandbox.info;
    const to = { output: undefined, name, force: false, title: name };
    const note = (text: string) => void context.stderr.write(`${text}\n`);
    const record = async () => {
      await mkdir(directory, { recursive: true });
      return recordTo(to, { sandbox, printer: { note }, context: { ...context, directory } });
    };
    const recording = await record().catch((error: unknown) => {
      note(`coppice: ${plainText(SandboxError.from(error).message)}`);
      throw error;
    });
    return {
      [Symbol.asyncDispose]: async () => {
        await recording.stop(0);
        await recording[Symbol.asyncDispose]();
      },
    };
  };
}

async function openBackend(
  options: McpOptions,
  { cli, stack }: { readonly cli: Cli; readonly stack: AsyncDisposableStack },
): Promise<SandboxBackend> {
  if (options.runtime === undefined) return stack.use(await cli.openPlace(options)).backend;
  const { shellBackend } = await import('../shell-backend.ts');
  return shellBackend();
}
