import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { firstTerminal } from '../../recording/format/recording-event.ts';
import { recordingLimits } from '../../recording/limits.ts';
import type { ProcessTap } from '../processes/session-taps.ts';

type Size = NonNullable<ProcessTap['size']>;

/** The terminal of an asciicast that nobody has told the size of. */
export const usualSize: Size = { columns: 80, rows: 24 };

/** An empty terminal again (RIS, ECMA-48 8.3.105), as another program begins in it. */
const reset = '\x1bc';

/**
 * Which terminal of the recording shows what. The first one, which every player shows, is that of commands that have none, or of the
 * first terminal of the sandbox, where no command came before it; and of the next once that is closed.
 */
export class RecordedTerminals {
  #next = firstTerminal + 1;
  #commands: number | undefined;
  /** Whose the first one is. */
  #first: ProcessTap | undefined;
  #isFirstUsed = false;

  /** The terminal that shows commands without one. */
  forCommands(add: (event: RecordingEvent) => void): number | undefined {
    if (this.#commands === undefined && !this.#isFirstUsed) this.#commands = firstTerminal;
    this.#commands ??= this.#open({ title: 'commands', ...usualSize }, add);
    return this.#commands;
  }

  /** The terminal of a process that has one; `undefined` where there are too many. */
  forProcess(process: ProcessTap, add: (event: RecordingEvent) => void): number | undefined {
    const size = within(process.size ?? usualSize);
    if (this.#commands === firstTerminal || this.#first)
      return this.#open({ title: process.process.text, ...size }, add);
    add({ type: 'resize', terminal: firstTerminal, ...size });
    if (this.#isFirstUsed) add({ type: 'output', terminal: firstTerminal, data: reset });
    this.#isFirstUsed = true;
    this.#first = process;
    return firstTerminal;
  }

  /** Whether its terminal ends with it: the first one waits for the next. */
  end(process: ProcessTap): boolean {
    if (this.#first !== process) return true;
    this.#first = undefined;
    return false;
  }

  #open(
    terminal: Size & { readonly title: string },
    add: (event: RecordingEvent) => void,
  ): number | undefined {
    if (this.#next > recordingLimits.terminals) return undefined;
    const number = this.#next++;
    add({ type: 'terminal', terminal: number, ...terminal });
    return number;
  }
}

export function within({ columns, rows }: Size): Size {
  const clamp = (value: number, most: number) => Math.min(Math.max(1, Math.floor(value) || 1), most);
  return { columns: clamp(columns, recordingLimits.columns), rows: clamp(rows, recordingLimits.rows) };
}
