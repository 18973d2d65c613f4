import { CommandMarks } from '../../protocol/init/command-marks.ts';
import type { OnArrival } from '../../protocol/machine-process.ts';
import type { CommandEnd } from '../../protocol/sandbox/events.ts';
import type { CaptureTimer } from '../capture/capture-timer.ts';
import type { CommandLog } from '../capture/command-log.ts';
import type { Recording } from '../checkpoints/recording.ts';
import type { OpenTerminal } from '../checkpoints/terminals.ts';

export interface TerminalParts {
  readonly commands: CommandLog;
  readonly captures: CaptureTimer;
  readonly recording: Recording;
  /** Told of every command that ends in a terminal. */
  readonly onCommand: (ended: CommandEnd) => void;
}

/**
 * Takes the shell's marks out of what a terminal shows, and notes what both say as it arrives: by the time the client
 * takes it, it is the machine's past.
 */
export function watchTerminal(
  { stream, show }: { readonly stream: object; readonly show: (bytes: Uint8Array) => void | Promise<void> },
  { commands, captures, recording, onCommand }: TerminalParts,
): { readonly arrived: OnArrival; readonly terminal: OpenTerminal } {
  const ended: string[] = [];
  const marks = new CommandMarks((mark) => {
    if (mark.type === 'start') {
      commands.start(stream, mark.command);
      return;
    }
    const command = commands.end(stream, { exitCode: mark.exitCode });
    captures.hurry();
    if (command === undefined) return;
    ended.push(command);
    onCommand({ command, exitCode: mark.exitCode });
  });
  const terminal = recording.terminals.open({
    show,
    command: () => commands.in(stream),
    wentBack: (command) => {
      marks.flush();
      commands.goBack(stream, command);
    },
  });
  const arrived: OnArrival = (raw) => {
    const bytes = marks.filter(raw);
    if (bytes.length > 0) recording.noteOutput(terminal, bytes);
    for (const command of ended.splice(0)) noteCommandEnd(command, recording);
    return bytes;
  };
  return { arrived, terminal };
}

/** The moment of a command is taken once the machine pauses, with all the output that came along with its end. */
export function noteCommandEnd(command: string, recording: Recording): void {
  queueMicrotask(() => recording.commandEnded(command));
}
