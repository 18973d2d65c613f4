import { absolutePath } from '../files/tree-files.ts';
import { ShellExit } from '../interpret/control-flow.ts';
import type { Interpreter } from '../interpret/interpreter.ts';
import { join, readLine } from '../interpret/read-line.ts';
import { runLine, runSource, tellProblem } from '../interpret/run-source.ts';
import { Shell } from '../interpret/shell.ts';
import type { ShellHost } from '../interpret/shell-host.ts';
import { runShellToEnd } from '../interpret/shell-process.ts';
import { bashVersion } from '../interpret/special-parameters.ts';
import { transformLine } from '../interpret/transform-line.ts';
import { endStep } from '../io/time-slice.ts';
import { shellLimits } from '../limits.ts';
import { descriptorOfPath } from '../processes/process-files.ts';
import type { ProgramStart } from '../processes/program-launcher.ts';
import { ShellError } from '../shell-error.ts';
import type { ScriptNode } from '../syntax/ast.ts';
import { Terminal } from '../terminal/terminal.ts';
import { decodeText, encodeText, type ShellText } from '../text.ts';
import { setInitialVariables } from './initial-variables.ts';
import { InputReader } from './input-reader.ts';
import { runInteractive } from './run-interactive.ts';
import { parseShellArguments, type ShellArguments, ShellUsageError } from './shell-arguments.ts';

const versionText = `GNU bash, version ${bashVersion} (x86_64-pc-linux-gnu)
Copyright (C) 2022 Free Software Foundation, Inc.
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>

This is free software; you are free to change and redistribute it.
There is NO WARRANTY, to the extent permitted by law.
`;

/** Runs `bash` in a process that has been made for it, and answers its exit code. The descriptors are closed then. */
export async function runShellProgram(
  host: ShellHost,
  { start, interpreter }: { start: ProgramStart; interpreter: Interpreter<Shell> },
): Promise<number> {
  const { process, descriptors } = start;
  const [called = 'bash', ...args] = start.argv;
  let parsed: ShellArguments;
  try {
    parsed = parseShellArguments(args);
  } catch (error) {
    if (!(error instanceof ShellUsageError)) throw error;
    await descriptors.get(2)?.write(encodeText(`${called}: ${error.message}\n`), process.signal);
    return 2;
  }
  if (parsed.shows) {
    await descriptors.get(1)?.write(encodeText(versionText), process.signal);
    return 0;
  }
  const shell = createShell(host, { start, parsed, interpreter });
  await runShellToEnd(shell, () => runMain(shell, parsed, start));
  return process.end?.exitCode ?? 1;
}

/** A shell with the options, arguments and variables that it is started with. */
function createShell(
  host: ShellHost,
  {
    start,
    parsed,
    interpreter,
  }: { start: ProgramStart; parsed: ShellArguments; interpreter: Interpreter<Shell> },
): Shell {
  const [called = 'bash'] = start.argv;
  const isAtTerminal =
    start.descriptors.get(0)?.isTerminal === true && start.descriptors.get(2)?.isTerminal === true;
  const readsCommands = parsed.command === undefined && parsed.script === undefined;
  const isInteractive = parsed.isInteractive || (isAtTerminal && readsCommands);
  const shell = new Shell({
    host,
    process: start.process,
    name: parsed.name ?? parsed.script ?? called,
    script: parsed.script,
    command: parsed.command,
    isInteractive,
    descriptors: start.descriptors,
    cwd: start.cwd,
    uid: start.uid,
    gid: start.gid,
    umask: start.umask,
    interpreter,
    invocation: `${isInteractive ? 'i' : ''}${parsed.command === undefined ? '' : 'c'}${parsed.readsInput ? 's' : ''}`,
  });
  for (const signal of start.ignored ?? []) shell.traps.ignoreForGood(signal);
  if (/(^|\/)sh$/.test(called)) shell.options.set('posix', true);
  if (isInteractive) shell.options.setShopt('expand_aliases', true);
  for (const { option, on } of parsed.options) shell.options.set(option, on);
  for (const { option, on } of parsed.shopts) shell.options.setShopt(option, on);
  if (parsed.isLogin) shell.options.setShopt('login_shell', true);
  shell.positional = parsed.positional;
  shell.lastArgument = start.environment.get('_') ?? called;
  setInitialVariables(shell, start.environment);
  return shell;
}

async function runMain(
  shell: Shell,
  { command, script, isLogin }: ShellArguments,
  { isDriven = false }: Pick<ProgramStart, 'isDriven'>,
): Promise<void> {
  if (command !== undefined) {
    shell.variables.set('BASH_EXECUTION_STRING', command);
    const { hasSyntaxProblem } = await runSource(shell, command, { origin: '-c' });
    if (hasSyntaxProblem) throw new ShellExit(shell.lastStatus);
  } else if (script !== undefined) {
    await runScript(shell, script);
  } else if (shell.isInteractive && shell.standardInput() instanceof Terminal) {
    await runStartupFiles(shell, { isLogin });
    await runInteractive(shell, shell.standardInput() as Terminal);
  } else {
    await runInput(shell, { isDriven });
  }
}

/** What an interactive shell reads first: what all users have, and the first of the user's own. */
async function runStartupFiles(shell: Shell, { isLogin }: { isLogin: boolean }): Promise<void> {
  const { files } = shell.host;
  const home = shell.variables.get('HOME') ?? '/';
  const own = (isLogin ? ['.bash_profile', '.bash_login', '.profile'] : ['.bashrc']).map(
    (name) => `${home}/${name}`,
  );
  const paths = [
    ...(isLogin ? ['/etc/profile'] : ['/etc/bash.bashrc']),
    ...own.filter((path) => files.exists(path)).slice(0, 1),
  ];
  for (const path of paths) if (files.exists(path)) await runSource(shell, decodeText(files.readFile(path)));
}

async function runScript(shell: Shell, script: ShellText): Promise<void> {
  let source: ShellText;
  try {
    source = await readScript(shell, script);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    await shell.writeStderrText(
      `${shell.start.name === script ? 'bash' : shell.name}: ${script}: ${error.message}\n`,
    );
    throw new ShellExit(error.code === 'ENOENT' ? 127 : 126);
  }
  if (source.slice(0, 80).split('\n')[0]?.includes('\0')) {
    await shell.writeStderrText(`${script}: ${script}: cannot execute binary file\n`);
    throw new ShellExit(126);
  }
  const { hasSyntaxProblem } = await runSource(shell, source);
  if (hasSyntaxProblem) throw new ShellExit(shell.lastStatus);
}

/** A script in the working directory, or else in `PATH`. */
async function readScript(shell: Shell, script: ShellText): Promise<ShellText> {
  if (descriptorOfPath(script) !== undefined) return await readAll(shell, script);
  const { files, executables } = shell.host;
  const here = absolutePath(shell.cwd, script);
  if (files.exists(here) || script.includes('/')) return decodeText(files.readFile(here));
  const found = executables.find(script, { path: shell.variables.get('PATH'), cwd: shell.cwd });
  return decodeText(files.readFile(found === undefined ? here : absolutePath(shell.cwd, found)));
}

async function readAll(shell: Shell, path: ShellText): Promise<ShellText> {
  const file = shell.scope.files.open(path, { read: true }, shell);
  try {
    const chunks: Uint8Array[] = [];
    let lengthBytes = 0;
    for (;;) {
      const bytes = await file.read(65_536, shell.process.signal);
      if (bytes.length === 0) return decodeText(join(chunks));
      chunks.push(bytes);
      lengthBytes += bytes.length;
      if (lengthBytes > shellLimits.sourceBytes) throw new ShellError('EFBIG');
    }
  } finally {
    file.release();
  }
}

/** A script that comes by standard input: a command is read, run, and then the next, such that commands may read what follows. */
async function runInput(shell: Shell, { isDriven }: { isDriven: boolean }): Promise<void> {
  let line = 1;
  let input = new InputReader(shell, { line });
  for (;;) {
    await endStep(shell.process.signal);
    const read = await readLine(shell.standardInput(), { signal: shell.process.signal });
    if (read) input.add(read.isComplete ? `${read.text}\n` : read.text);
    const isAtEnd = !read?.isComplete;
    const state = input.state({ isAtEnd });
    if (state.type === 'incomplete') continue;
    const { source } = input;
    if (shell.options.has('verbose')) await shell.writeStderrText(source);
    if (state.type === 'problem') {
      await tellProblem(shell, state.problem, undefined);
      if (!state.problem.isOfLine && !shell.isInteractive) throw new ShellExit(shell.lastStatus);
    } else for (const script of state.scripts) await runInputLine(shell, script, { isDriven });
    if (isAtEnd) return;
    line += source.split('\n').length - 1;
    input = new InputReader(shell, { line });
  }
}

/** What the host tells a shell that it drives is no script of a client: only what that evaluates is transformed. */
async function runInputLine(
  shell: Shell,
  script: ScriptNode,
  { isDriven }: { isDriven: boolean },
): Promise<void> {
  if (isDriven) shell.process.meter.restart();
  const line = isDriven ? script : await transformLine(shell, script);
  if (!line) throw new ShellExit(shell.lastStatus);
  await runLine(shell, line);
}
