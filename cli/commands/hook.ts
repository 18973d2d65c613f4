import type { Command } from 'commander';
import { SandboxError } from '../../protocol/errors.ts';
import { beforePrefix, labelOf, wrappedTag } from '../../sdk/undo/steps.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import type { CliInput } from '../context.ts';
import { addExamples } from '../examples.ts';
import { plainText } from '../output/plain-text.ts';
import type { Agent } from '../wrap/agents.ts';
import { describeCall, type ToldCall } from '../wrap/describe-call.ts';
import { findAgent } from '../wrap/find-agent.ts';

/** What an agent says of one event: tool inputs have whole files in them. */
const payloadBytes = 16 * 1024 * 1024;

export function addHook(program: Command, cli: Cli): void {
  const command = program
    .command('hook')
    .description('take a snapshot of what an agent has just done: what coppice wrap has it run')
    .argument('<agent>', 'which agent calls, and so what it says')
    .option('--in-place <folder>', 'the history of this folder, instead of that where the agent works')
    .argument('[payload]', 'what it says, where it gives that as an argument')
    .action((name: string, payload: string | undefined, options: SharedOptions, acting: Command) =>
      hook(name, payload, { options, cli, acting }),
    );
  addExamples(command, [
    [
      `echo '{"hook_event_name":"PostToolUse","tool_name":"Bash"}' | coppice hook claude`,
      'as Claude Code calls it',
    ],
  ]);
}

/** An agent goes on whatever happens here: what fails is said on standard error, and nothing on standard output, which agents read. */
async function hook(
  name: string,
  argument: string | undefined,
  { options, cli, acting }: { readonly options: SharedOptions; readonly cli: Cli; readonly acting: Command },
): Promise<void> {
  try {
    const agent = findAgent(name);
    if (agent.payload.from === 'stdin' && isNamed(acting, cli)) await cli.prepareToOpen(options);
    const call = describeCall(await payloadOf(agent, argument, cli.context.stdin), agent);
    if (call) await take(call, await placeOf(call, options, { cli, acting }), cli);
  } catch (cause) {
    cli.context.stderr.write(`coppice hook: ${plainText(SandboxError.from(cause).message)}\n`);
  }
}

/** Whether a sandbox is, by a flag or a variable. */
function isNamed(acting: Command, { context }: Cli): boolean {
  return acting.getOptionValueSource('sandbox') === 'cli' || Boolean(context.environment.COPPICE_SANDBOX);
}

async function payloadOf(
  { payload }: Agent,
  argument: string | undefined,
  stdin: CliInput,
): Promise<unknown> {
  if (payload.from === 'none') return undefined;
  const text = payload.from === 'argument' ? (argument ?? '{}') : await readAll(stdin);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SandboxError('invalid-argument', 'What the agent says is no JSON', { cause });
  }
}

async function readAll(stdin: CliInput): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > payloadBytes) throw new SandboxError('limit-exceeded', 'What the agent says is too long');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString();
}

/** The sandbox or the folder that is named; otherwise the history of where the agent works. */
async function placeOf(
  { directory = '.' }: ToldCall,
  options: SharedOptions,
  { cli, acting }: { readonly cli: Cli; readonly acting: Command },
): Promise<SharedOptions | undefined> {
  if (isNamed(acting, cli) || options.inPlace !== undefined) return options;
  const { findHistory } = await import('../place/choose-history.ts');
  const inPlace = findHistory({ ...options, inPlace: directory }, cli.context);
  return inPlace === undefined ? undefined : { ...options, inPlace };
}

async function take({ when, what }: ToldCall, place: SharedOptions | undefined, cli: Cli): Promise<void> {
  // A configuration for all folders is called in those without a history as well.
  if (!place) return;
  await using opened = await cli.openSandbox({ ...place, isAgents: when !== 'before' });
  const { sandbox } = opened;
  const { snapshots, head } = await sandbox.history.get();
  const last = snapshots.find(({ id }) => id === head);
  // Nothing to take back of a call that changed nothing. Where HEAD has no label, somebody has changed files since the last step.
  const ifChanged = last !== undefined && labelOf(last) !== undefined;
  const label = when === 'before' ? `${beforePrefix}${what}` : what;
  const { id } = await sandbox.createSnapshot({ label, ifChanged });
  const isNoted = snapshots.some(({ tags }) => tags.includes(wrappedTag));
  if (!isNoted) await sandbox.history.setTag(wrappedTag, id);
}
