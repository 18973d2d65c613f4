import { CaptureOutput } from '../io/capture-output.ts';
import { nullFile } from '../io/null-file.ts';
import type { OpenFile } from '../io/open-file.ts';
import { createPipe } from '../io/pipe.ts';
import type { Process } from '../processes/process-table.ts';
import { killWith } from '../processes/program-launcher.ts';
import type { ScriptNode, SimpleCommandNode } from '../syntax/ast.ts';
import { decodeText, type ShellText } from '../text.ts';
import { type ForkOptions, forkShell } from './fork-shell.ts';
import { openInput } from './redirections.ts';
import type { Shell } from './shell.ts';
import { runShellToEnd } from './shell-process.ts';

export interface SubshellStart extends ForkOptions {
  /** Held once for the subshell, which releases it. */
  readonly stdin?: OpenFile | undefined;
  readonly stdout?: OpenFile | undefined;
  /** What its `$?` starts with and its status is, unless it exits. */
  readonly run: (subshell: Shell) => Promise<unknown>;
}

export interface Subshell {
  readonly process: Process;
}

/** Starts a copy of the shell in a process of its own. */
export function startSubshell(shell: Shell, start: SubshellStart): Subshell {
  let subshell: Shell;
  try {
    subshell = forkShell(shell, start);
  } catch (error) {
    start.stdin?.release();
    start.stdout?.release();
    throw error;
  }
  const { process } = subshell;
  if (start.stdin) subshell.descriptors.put(0, start.stdin);
  if (start.stdout) subshell.descriptors.put(1, start.stdout);
  const link = start.isBackground ? undefined : killWith(process, shell.process.signal);
  void runShellToEnd(subshell, () => start.run(subshell)).finally(() => link?.[Symbol.dispose]());
  return { process };
}

/** `( … )`. Answers its status. */
export async function runSubshell(shell: Shell, run: (subshell: Shell) => Promise<unknown>): Promise<number> {
  const { process } = startSubshell(shell, { command: '', run });
  const [status = 0] = await shell.waitForAll([process]);
  return status;
}

/** `$( … )`: what it prints, without newlines at the end and zero bytes. The shell's `$?` is its status then. */
export async function substituteCommand(shell: Shell, script: ScriptNode): Promise<ShellText> {
  const output = new CaptureOutput();
  output.retain();
  const { process } = startSubshell(shell, {
    command: '',
    stdout: output,
    isSubstitution: true,
    run: (subshell) => runSubstituted(subshell, script),
  });
  const [status = 0] = await shell.waitForAll([process]);
  // What the substitution left in the background may still write.
  output.release();
  await output.closed(shell.process.signal);
  shell.lastStatus = status;
  shell.substitutionStatus = status;
  const bytes = output.take();
  const text = decodeText(bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes);
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 10) end -= 1;
  return text.slice(0, end);
}

/** `<( … )` and `>( … )`: a path in `/dev/fd` that is open until the command that has it has ended. */
export async function substituteProcess(
  shell: Shell,
  script: ScriptNode,
  direction: 'input' | 'output',
): Promise<ShellText> {
  const { reader, writer } = createPipe();
  const [theirs, ours] = direction === 'input' ? [writer, reader] : [reader, writer];
  const fd = shell.descriptors.pickHigh();
  const { process } = startSubshell(shell, {
    command: '',
    isSubstitution: false,
    [direction === 'input' ? 'stdout' : 'stdin']: theirs,
    run: (subshell) => runSubstituted(subshell, script),
  });
  shell.descriptors.put(fd, ours);
  shell.processSubstitutions.push({ fd, process });
  shell.lastBackgroundPid = process.pid;
  shell.jobs.note(process);
  return `/dev/fd/${fd}`;
}

/** `$(<file)` is the file's content. */
async function runSubstituted(subshell: Shell, script: ScriptNode): Promise<void> {
  const file = inputOf(script);
  if (file) await copyFile(subshell, file);
  else if (script.statements.length === 0) subshell.lastStatus = 0;
  else await subshell.runStatements(script.statements);
}

/** The command of `$(<file)`. */
function inputOf(script: ScriptNode): SimpleCommandNode | undefined {
  const [statement, ...statements] = script.statements;
  if (!statement || statements.length > 0 || statement.background) return undefined;
  const [pipeline, ...pipelines] = statement.pipelines;
  const [command, ...commands] = pipeline?.commands ?? [];
  if (pipelines.length > 0 || commands.length > 0 || pipeline?.negated) return undefined;
  if (command?.type !== 'SimpleCommand' || command.name || command.assignments.length > 0) return undefined;
  const [redirection, ...redirections] = command.redirections;
  if (redirections.length > 0 || redirection?.operator !== '<' || (redirection.fd ?? 0) !== 0)
    return undefined;
  return command;
}

async function copyFile(shell: Shell, command: SimpleCommandNode): Promise<void> {
  const [redirection] = command.redirections;
  const input = redirection && (await openInput(shell, redirection));
  if (!input) {
    shell.lastStatus = 1;
    return;
  }
  const output = shell.descriptors.get(1) ?? nullFile;
  const { signal } = shell.process;
  try {
    for (;;) {
      const bytes = await input.read(65_536, signal);
      if (bytes.length === 0) break;
      await output.write(bytes, signal);
    }
    shell.lastStatus = 0;
  } finally {
    input.release();
  }
}
