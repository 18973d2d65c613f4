import { Argument, type Command, Option } from 'commander';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import type { Field } from '../control/fields.ts';
import { operations } from '../control/operations.ts';
import { addExamples } from '../examples.ts';

export function addCtl(program: Command, cli: Cli): void {
  const command = program
    .command('ctl')
    .description(
      'ask the supervisor or daemon that serves the folder, through its socket, while the agent runs; prints JSON',
    )
    .enablePositionalOptions();
  for (const [name, { summary, fields }] of Object.entries(operations)) {
    const below = command.command(name).description(asDescription(summary));
    for (const [field, facts] of Object.entries(fields))
      if (field !== 'sandbox') addField(below, field, facts);
    if (Object.values(fields).some(({ kind }) => kind === 'words')) below.passThroughOptions();
    below.action(() => run(name, below, cli));
    addExamples(below, [
      [`coppice ctl ${name}${exampleOf(fields)}`, `{"id":1,"op":"${name}", …} on the socket`],
    ]);
  }
  addExamples(command, [
    ['coppice ctl status', 'how the sandbox, its history and the agent are doing'],
    ['coppice ctl commit "before the migration"', 'a snapshot, durable when it is printed'],
    ['coppice ctl checkout good', 'back to the tag `good`; the agent is started again there'],
    ['coppice ctl events', 'one line of JSON for each thing that happens, until it is interrupted'],
  ]);
}

function addField(command: Command, name: string, { kind, summary, isRequired, isArgument }: Field): void {
  if (isArgument) {
    const shown = kind === 'words' ? `${name}...` : name;
    command.addArgument(new Argument(isRequired ? `<${shown}>` : `[${shown}]`, summary));
    return;
  }
  const option = kebab(name);
  if (kind === 'flag') command.addOption(new Option(`--${option}`, summary));
  else if (kind === 'count') command.addOption(new Option(`--${option} <number>`, summary).argParser(Number));
  else command.addOption(new Option(`--${option} <text>`, summary));
}

async function run(op: string, command: Command, cli: Cli): Promise<void> {
  const { askControl, connectControl } = await import('../control/control-client.ts');
  const options = command.opts<SharedOptions & Record<string, unknown>>();
  if (options.bridge !== undefined) {
    const message = 'Cannot ask a bridge, which has no such socket: leave out --bridge';
    throw new SandboxError('invalid-argument', message);
  }
  const { environment, stdout, signal } = cli.context;
  const folder = options.root ?? hostFolder(environment);
  const socket = await connectControl(folder);
  if (!socket) {
    throw new SandboxError(
      'not-found',
      `Nobody serves ${folder}: start coppice supervise or coppice daemon first`,
    );
  }
  try {
    const print = (value: unknown) => void stdout.write(`${JSON.stringify(value)}\n`);
    const fields = fieldsOf(op, command, { ...options, ...namedSandbox(command, environment) });
    const result = await askControl(socket, { op, fields, signal, onEvent: print });
    // Events go on until they are interrupted, and their end says nothing.
    if (op !== 'events') print(result);
  } finally {
    socket.destroy();
  }
}

/** What was given, by the names that the socket knows. */
function fieldsOf(
  op: string,
  command: Command,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const words = [...command.processedArgs];
  for (const [name, { isArgument }] of Object.entries(operations[op]?.fields ?? {})) {
    const value = isArgument ? words.shift() : options[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** Without a word about it, whoever serves knows which one is usual there. */
function namedSandbox(
  command: Command,
  { COPPICE_SANDBOX }: Cli['context']['environment'],
): { readonly sandbox?: undefined } {
  const isUsual = command.getOptionValueSource('sandbox') === 'default' && !COPPICE_SANDBOX;
  return isUsual ? { sandbox: undefined } : {};
}

function exampleOf(fields: (typeof operations)[string]['fields']): string {
  return Object.entries(fields)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name, { kind }]) =>
      kind === 'words' ? ' -- ls -l' : name === 'snapshot' ? ' HEAD' : ` ${name.toUpperCase()}`,
    )
    .join('');
}

/** As those of other commands read: without a capital and a full stop. */
function asDescription(summary: string): string {
  return summary.charAt(0).toLowerCase() + summary.slice(1).replace(/\.$/, '');
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
