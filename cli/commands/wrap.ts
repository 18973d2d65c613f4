import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { beforePrefix } from '../../sdk/undo/steps.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { type Agent, agents } from '../wrap/agents.ts';
import { findAgent } from '../wrap/find-agent.ts';
import type { HookCommand } from '../wrap/merge-settings.ts';

interface WrapOptions extends SharedOptions {
  readonly write?: boolean;
  readonly undo?: boolean;
}

export function addWrap(program: Command, cli: Cli): void {
  const command = program
    .command('wrap')
    .description('have each tool call of an agent on this host become a snapshot, by its own hooks')
    .argument('[agent]', `one of ${Object.keys(agents).join(', ')}; without it, all of them are listed`)
    .option('--write', 'put it into the configuration of the agent, beside what is there')
    .option('--undo', 'take it out again')
    .action((name: string | undefined, options: WrapOptions, acting: Command) =>
      name === undefined ? list(options, cli) : wrap(name, options, { cli, acting }),
    );
  addExamples(command, [
    ['coppice wrap claude', 'what would be put in, and where'],
    ['coppice init --in-place . && coppice wrap claude --write', 'then coppice undo takes its steps back'],
    ['coppice wrap claude --undo', 'its configuration as it was'],
  ]);
}

function list(options: WrapOptions, cli: Cli): void {
  for (const [name, { title, file, step }] of Object.entries(agents)) {
    cli
      .printer(options)
      .result({ name, title, file, step }, () => `${name.padEnd(8)}${title}: ${file}; ${step}`);
  }
}

async function wrap(
  name: string,
  options: WrapOptions,
  { cli, acting }: { readonly cli: Cli; readonly acting: Command },
): Promise<void> {
  const agent = findAgent(name);
  const { addSettings, removeSettings, settingsText } = await import('../wrap/merge-settings.ts');
  const hook = hookCommand(name, options, acting);
  const path = pathOf(agent, cli);
  const printer = cli.printer(options);
  const text = settingsText(agent.settings, hook);
  if (!options.write && !options.undo) {
    printer.result({ file: path, text }, () => text);
    if (!printer.isJson) printer.note(`Put this into ${path}, or have it done: coppice wrap ${name} --write`);
  } else {
    const { assertInFolder, readSettings, replaceSettings } = await import('../wrap/change-file.ts');
    if (!isOfHome(agent)) await assertInFolder(path, cli.context.directory);
    const before = await readSettings(path);
    const change = options.undo ? removeSettings : addSettings;
    const now = change(before ?? '', agent.settings, hook);
    const isChanged = now !== (before ?? '');
    // With our part in it, it is no original: that was kept when we put it in.
    const keeps = before !== undefined && removeSettings(before, agent.settings, hook) === before;
    if (isChanged) await replaceSettings(path, { before, now, keeps });
    if (isChanged) await keepInHistory(name, options, { cli, acting });
    printer.result({ file: path, isChanged }, () => `${path}${isChanged ? '' : ': nothing to change'}`);
  }
  if (printer.isJson || options.undo) return;
  if (agent.remark !== undefined) printer.note(agent.remark);
  await noteHistory(options, { cli, step: agent.step });
}

/** A hook that is in the folder itself is in its history, so that who takes back the first step has it still, or no longer. */
async function keepInHistory(
  name: string,
  options: WrapOptions,
  { cli, acting }: { readonly cli: Cli; readonly acting: Command },
): Promise<void> {
  if (acting.getOptionValueSource('sandbox') === 'cli') return;
  const { findHistory } = await import('../place/choose-history.ts');
  const inPlace = findHistory(options, cli.context);
  if (inPlace === undefined) return;
  await using opened = await cli.openSandbox({ ...options, inPlace });
  const what = options.undo ? `what is done without the hook of ${name}` : `the steps of ${name}`;
  await opened.sandbox.createSnapshot({ label: `${beforePrefix}${what}` });
}

/** Its words name a sandbox or a root folder where they were given; otherwise the hook looks for the history of the folder it runs in. */
function hookCommand(name: string, { sandbox, root }: WrapOptions, acting: Command): HookCommand {
  const isNamed = acting.getOptionValueSource('sandbox') === 'cli';
  return {
    mark: `coppice hook ${name}`,
    words: [
      'coppice',
      'hook',
      name,
      ...(isNamed ? ['--sandbox', sandbox] : []),
      ...(root === undefined ? [] : ['--root', resolve(root)]),
    ],
  };
}

function isOfHome({ file }: Agent): boolean {
  return file.startsWith('~/');
}

function pathOf(agent: Agent, { context }: Cli): string {
  const { directory, environment } = context;
  const { file } = agent;
  return isOfHome(agent) ? join(environment.HOME ?? homedir(), file.slice(2)) : join(directory, file);
}

async function noteHistory(
  options: WrapOptions,
  { cli, step }: { readonly cli: Cli; readonly step: string },
): Promise<void> {
  const { findHistory } = await import('../place/choose-history.ts');
  const found = findHistory(options, cli.context);
  const printer = cli.printer(options);
  printer.note(`A snapshot is taken for ${step}.`);
  if (found === undefined)
    printer.note('This folder has no history yet: coppice init --in-place . begins one');
}
