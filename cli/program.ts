import { Command, Option } from 'commander';
import { packageVersion } from '../protocol/package-version.ts';
import { Cli } from './cli.ts';
import { addBranches } from './commands/branches.ts';
import { addBridge } from './commands/bridge.ts';
import { addCheckout } from './commands/checkout.ts';
import { addCommit } from './commands/commit.ts';
import { addCompletion } from './commands/completion.ts';
import { addCp } from './commands/cp.ts';
import { addCreate } from './commands/create.ts';
import { addCtl } from './commands/ctl.ts';
import { addDaemon } from './commands/daemon.ts';
import { addDelete } from './commands/delete.ts';
import { addDiff } from './commands/diff.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExec } from './commands/exec.ts';
import { addExport } from './commands/export.ts';
import { addFork } from './commands/fork.ts';
import { addGc } from './commands/gc.ts';
import { addHead } from './commands/head.ts';
import { addHelp } from './commands/help.ts';
import { addHook } from './commands/hook.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addKeep } from './commands/keep.ts';
import { addList } from './commands/list.ts';
import { addLog } from './commands/log.ts';
import { addMan } from './commands/man.ts';
import { addMcp } from './commands/mcp.ts';
import { addMerge } from './commands/merge.ts';
import { addPull } from './commands/pull.ts';
import { addPush } from './commands/push.ts';
import { addRecord } from './commands/record.ts';
import { addRecording } from './commands/recording.ts';
import { addRename } from './commands/rename.ts';
import { addRestore } from './commands/restore.ts';
import { addRun } from './commands/run.ts';
import { addShell } from './commands/shell.ts';
import { addShow } from './commands/show.ts';
import { addSnapshot } from './commands/snapshot.ts';
import { addStatus } from './commands/status.ts';
import { addSupervise } from './commands/supervise.ts';
import { addTag } from './commands/tag.ts';
import { addTournament } from './commands/tournament.ts';
import { addUndo } from './commands/undo.ts';
import { addWrap } from './commands/wrap.ts';
import type { CliContext } from './context.ts';
import { takesHistory } from './place/choose-history.ts';

/** Each adds one command, with its help and its completion. */
type AddCommand = (program: Command, cli: Cli) => void;

/** Commands under it are about the history of a folder of the host, too. */
const historyHeading = 'History:';

/** In the order in which `--help` lists them, by the heading that they are under. They take `sharedOptions`. */
const commands: Readonly<Record<string, readonly AddCommand[]>> = {
  'Run:': [addRun, addShell, addExec, addTournament, addSupervise, addRecord],
  'Serve:': [addDaemon, addCtl],
  'Sandboxes:': [addInit, addCreate, addList, addFork, addRename, addDelete, addCp],
  [historyHeading]: [
    addStatus,
    addLog,
    addShow,
    addDiff,
    addCommit,
    addCheckout,
    addUndo,
    addTag,
    addHead,
    addBranches,
    addMerge,
    addKeep,
    addGc,
  ],
  'Agents:': [addWrap, addHook, addMcp],
  'Recordings:': [addRecording],
  'Move:': [addExport, addImport, addSnapshot, addRestore, addPush, addPull],
};

/** These have no sandbox to be about. */
const ownCommands: Readonly<Record<string, readonly AddCommand[]>> = {
  'This machine:': [addDoctor, addBridge],
  'About coppice:': [addHelp, addCompletion, addMan],
};

const bridgeOptions = ['bridge', 'tokenFile'];

/** These read and write files only: what of the shared options they take. */
const ofFiles = ['recording', 'recording inspect', 'recording redact', 'recording cut', 'recording join'];
const fileOptions = ['json', 'quiet'];

/** Options that every command of `commands` takes, unless it has one of that name. */
function sharedOptions({ COPPICE_SANDBOX }: CliContext['environment']): readonly Option[] {
  return [
    new Option('--root <folder>', 'where sandboxes are kept; or COPPICE_ROOT'),
    new Option('--bridge <url>', 'use the sandboxes of a bridge instead; or COPPICE_BRIDGE'),
    new Option('--token-file <file>', 'a file with a token of the bridge; or COPPICE_TOKEN'),
    new Option('-s, --sandbox <name>', 'a sandbox by its name or id; or COPPICE_SANDBOX').default(
      COPPICE_SANDBOX || 'default',
    ),
    new Option('--json', 'print JSON, one object a line where there are several'),
    new Option('-q, --quiet', 'no progress and no notes'),
  ];
}

/** The whole command line as one value: help, completion, the man page and the reference are made from it. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('coppice')
    .description('A computer you can rewind and branch.')
    .version(packageVersion, '-V, --version', 'print the version')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      getOutHelpWidth: () => context.stdout.columns || 100,
      getOutHasColors: () => context.stdout.isTTY === true && !context.environment.NO_COLOR,
    })
    .addHelpText(
      'after',
      '\ncoppice COMMAND --help tells more; coppice help exit-codes what exit codes say.',
    );
  const cli = new Cli(context);
  addAll(program, cli, commands);
  for (const command of program.commands) addShared(command, sharedOptions(context.environment));
  addAll(program, cli, ownCommands);
  return program;
}

function addAll(program: Command, cli: Cli, groups: typeof commands): void {
  for (const [heading, group] of Object.entries(groups)) {
    program.commandsGroup(heading);
    const known = program.commands.length;
    for (const add of group) add(program, cli);
    if (heading === historyHeading)
      for (const command of program.commands.slice(known)) takesHistory(command, cli.context);
  }
}

/** To it and to those below it. */
function addShared(command: Command, options: readonly Option[], isLocal = isOfThisHost(command)): void {
  const has = (option: Option) => command.options.some(({ long }) => long === option.long);
  for (const option of options) {
    if (has(option) || (isOfFiles(command) && !fileOptions.includes(option.attributeName()))) continue;
    const isOfBridge = bridgeOptions.includes(option.attributeName());
    command.addOption(isLocal && isOfBridge ? hidden(option) : option);
  }
  for (const below of command.commands) addShared(below, options, isLocal);
}

/** Whether it serves a folder of this host, or asks who does: it takes a bridge only to say that this cannot be. */
function isOfThisHost(command: Command): boolean {
  return ['ctl', 'daemon', 'supervise'].includes(command.name());
}

function isOfFiles(command: Command): boolean {
  const above = command.parent?.parent ? `${command.parent.name()} ` : '';
  return ofFiles.includes(`${above}${command.name()}`);
}

function hidden({ flags, description }: Option): Option {
  return new Option(flags, description).hideHelp();
}
