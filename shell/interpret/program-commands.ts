import { absolutePath } from '../files/tree-files.ts';
import { killWith, NotExecutableError } from '../processes/program-launcher.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { findProgram, programEnvironment } from './command-lookup.ts';
import { headOfCommand } from './command-text.ts';
import { tellDeath } from './death-message.ts';
import { callFunction } from './function-calls.ts';
import type { Shell } from './shell.ts';
import { runSubshell } from './subshells.ts';

/** Runs a program that `PATH` finds, and waits for it. Answers its status: 127 where there is none, 126 where it cannot run. */
export async function runProgram(
  shell: Shell,
  words: readonly ShellText[],
  { searchPath, inPlace = false }: { searchPath?: ShellText | undefined; inPlace?: boolean } = {},
): Promise<number> {
  const [name = ''] = words;
  const path =
    searchPath === undefined
      ? findProgram(shell, name)
      : shell.host.executables.find(name, { path: searchPath, cwd: shell.cwd });
  if (path === undefined) return await notFound(shell, words);
  const { table, launcher } = shell.host;
  const process = inPlace ? shell.process : table.create({ parent: shell.process, command: words.join(' ') });
  process.command = words.join(' ');
  using _link = inPlace ? undefined : killWith(process, shell.process.signal);
  try {
    const code = await launcher.execute({
      argv: words,
      path: absolutePath(shell.cwd, path),
      environment: programEnvironment(shell, path),
      cwd: shell.cwd,
      uid: shell.uid,
      gid: shell.gid,
      umask: shell.umask,
      descriptors: shell.descriptors.clone(),
      process,
      ignored: shell.traps.ignored(),
    });
    if (inPlace) return code;
    process.exit(code);
  } catch (error) {
    const status = await tellFailure(shell, error, { name, path });
    if (status === undefined && process.killedBy === undefined) throw error;
    if (error instanceof ShellLimitError) process.noteLimit(error.limit);
    if (inPlace) return status ?? 1;
    process.exit(status ?? 1);
  } finally {
    if (!inPlace) process.exit(1);
  }
  shell.process.signal.throwIfAborted();
  const { exitCode } = await process.ended;
  const { currentCommand } = shell;
  await tellDeath(shell, process, currentCommand ? headOfCommand(currentCommand) : words.join(' '));
  return exitCode;
}

/** Where systems have their programs: a file that is missing elsewhere is one of the script's own. */
const isProgramPath = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/;

/** Tells why a program could not be run, or ended. `undefined` of what is no error of programs. */
async function tellFailure(
  shell: Shell,
  error: unknown,
  { name, path }: { name: ShellText; path: ShellText },
): Promise<number | undefined> {
  if (error instanceof ShellLimitError) {
    await shell.tell(`${name}: ${error.message}`);
    return 126;
  }
  if (error instanceof ShellError || error instanceof NotExecutableError) {
    await shell.tell(`${path}: ${error.message}`);
    if (error instanceof NotExecutableError) return error.exitCode;
    if (error.code !== 'ENOENT') return 126;
    if (isProgramPath.test(path)) shell.process.noteMissing(path);
    return 127;
  }
  return undefined;
}

async function notFound(shell: Shell, words: readonly ShellText[]): Promise<number> {
  const [name = ''] = words;
  if (name.includes('/')) {
    await shell.tell(`${name}: No such file or directory`);
    return 127;
  }
  const handler = shell.functions.get('command_not_found_handle');
  if (!handler) {
    shell.process.noteMissing(name);
    await shell.tell(`${name}: command not found`);
    return 127;
  }
  return await runSubshell(shell, (subshell) => callFunction(subshell, handler, { args: words }));
}
