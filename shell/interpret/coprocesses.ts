import { createPipe } from '../io/pipe.ts';
import { IndexedElements } from '../state/elements.ts';
import type { CoprocessNode } from '../syntax/ast.ts';
import { encodeText } from '../text.ts';
import { sourceOfCommand } from './command-text.ts';
import type { Shell } from './shell.ts';
import { startSubshell } from './subshells.ts';

/**
 * `coproc [name] command`: a process in the background whose standard input and output the shell has, by descriptors that are in the
 * array of that name: what it prints is read from the first, what it reads is written to the second. Answers 0.
 */
export async function runCoprocess(shell: Shell, command: CoprocessNode): Promise<number> {
  const { name = 'COPROC', body } = command.coprocess;
  closeEarlier(shell, name);
  const [input, output] = [createPipe(), createPipe()];
  const { process } = startSubshell(shell, {
    command: sourceOfCommand(command),
    isBackground: true,
    stdin: input.reader,
    stdout: output.writer,
    run: (subshell) => subshell.runCommand(body),
  });
  const reads = shell.descriptors.pickHigh();
  shell.descriptors.put(reads, output.reader);
  const writes = shell.descriptors.pickHigh();
  shell.descriptors.put(writes, input.writer);
  shell.coprocesses.set(name, [reads, writes]);
  const elements = IndexedElements.of([reads, writes].map((fd, index) => [index, String(fd)] as const));
  shell.variables.setArray(name, { type: 'indexed', elements });
  shell.variables.set(`${name}_PID`, String(process.pid));
  const job = shell.jobs.add(process, sourceOfCommand(command));
  shell.lastBackgroundPid = process.pid;
  if (shell.isInteractive) await shell.writeStderr(encodeText(`[${job.number}] ${process.pid}\n`));
  return 0;
}

/** A loop that starts one after another does not use up the shell's descriptors. */
function closeEarlier(shell: Shell, name: string): void {
  for (const fd of shell.coprocesses.get(name) ?? []) shell.descriptors.close(fd);
  shell.coprocesses.delete(name);
}
