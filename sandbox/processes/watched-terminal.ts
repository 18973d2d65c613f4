import { type CommandMark, CommandMarks } from '../../protocol/init/command-marks.ts';
import type { OnArrival } from '../../protocol/machine-process.ts';
import type { CommandEnd } from '../../protocol/sandbox/events.ts';
import type { CaptureTimer } from '../capture/capture-timer.ts';
import type { CommandLog } from '../capture/command-log.ts';
import type { CheckpointHistory } from '../checkpoints/checkpoint-history.ts';
import type { OpenTerminal } from '../checkpoints/terminals.ts';
import type { ProcessTap } from './session-taps.ts';

export interface TerminalParts {
  readonly commands: CommandLog;
  readonly captures: CaptureTimer;
  readonly checkpoints: CheckpointHistory;
  /** Told of every command that ends in a terminal. */
  readonly onCommand: (ended: CommandEnd) => void;
}

/**
 * Takes the shell's marks out of what a terminal shows, and notes what both say as it arrives: by the time the client
 * takes it, it is the machine's past.
 */
export function watchTerminal(
  {
    stream,
    tap,
    show,
  }: {
    readonly stream: object;
    readonly tap: ProcessTap;
    readonly show: (bytes: Uint8Array) => void | Promise<void>;
  },
  { commands, captures, checkpoints, onCommand }: TerminalParts,
): { readonly arrived: OnArrival; readonly terminal: OpenTerminal } {
  const ended: string[] = [];
  const said: { readonly mark: CommandMark; readonly at: number }[] = [];
  const marks = new CommandMarks((mark, at) => {
    said.push({ mark, at });
    if (mark.type === 'start') {
      commands.start(stream, mark.command, { by: 'terminal' });
      return;
    }
    const command = commands.end(stream, { exitCode: mark.exitCode });
    captures.hurry();
    if (command === undefined) return;
    ended.push(command);
    onCommand({ command, exitCode: mark.exitCode });
  });
  const terminal = checkpoints.terminals.open({
    show: (bytes) => {
      tap.output('stdout', bytes);
      return show(bytes);
    },
    command: () => commands.in(stream),
    onRestored: (command) => {
      marks.flush();
      commands.goBack(stream, command);
    },
  });
  const arrived: OnArrival = (raw) => {
    const bytes = marks.filter(raw);
    let from = 0;
    for (const { mark, at } of said.splice(0)) {
      tap.output('stdout', bytes.subarray(from, at));
      tap.mark(mark);
      from = at;
    }
    tap.output('stdout', bytes.subarray(from));
    if (bytes.length > 0) checkpoints.noteOutput(terminal, bytes);
    for (const command of ended.splice(0)) noteCommandEnd(command, checkpoints);
    return bytes;
  };
  return { arrived, terminal };
}

/** The checkpoint of a command is taken once the machine pauses, with all the output that came along with its end. */
export function noteCommandEnd(command: string, checkpoints: CheckpointHistory): void {
  queueMicrotask(() => checkpoints.commandEnded(command));
}
