import type { Process } from '../processes/process-table.ts';
import { signalWords } from '../processes/signals.ts';
import type { ShellText } from '../text.ts';
import type { Shell } from './shell.ts';

/** Tells that a signal has ended a process that the shell has waited for. bash says nothing of SIGINT and SIGPIPE. */
export async function tellDeath(shell: Shell, process: Process, text: ShellText): Promise<void> {
  const words = process.end?.signal === undefined ? undefined : signalWords.get(process.end.signal);
  if (words !== undefined) await shell.tell(`${String(process.pid).padStart(5)} ${words.padEnd(23)} ${text}`);
}
