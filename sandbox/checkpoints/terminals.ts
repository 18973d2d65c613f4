import type { ShownTerminal } from '../machine/sandbox-machine.ts';
import { type OutputMark, shownAt, TerminalOutput } from './terminal-output.ts';

/** `ESC c` resets a terminal (RIS, ECMA-48 8.3.105); `CSI 3 J` drops what was scrolled out of it, as xterm does. */
const reset = new TextEncoder().encode('\x1bc\x1b[3J');

/** How a terminal is to be told what it shows, and what runs in it. */
export interface TerminalLine {
  show(bytes: Uint8Array): void | Promise<void>;
  /** What its shell runs, and what of a mark has come, are those of another time now. */
  onRestored(command: string | undefined): void;
  /** What its shell runs. */
  command(): string | undefined;
}

/** A terminal of the sandbox, while it is open. */
export interface OpenTerminal {
  /** Of the process in it; 0 before that runs. */
  pid: number;
  readonly output: TerminalOutput;
  close(): void;
}

/** One terminal at an instant. */
export interface TerminalMark {
  readonly pid: number;
  readonly shown: OutputMark | undefined;
  readonly command: string | undefined;
}

interface Entry extends OpenTerminal {
  readonly line: TerminalLine;
}

/** The terminals of a sandbox: what each shows, now and at the instants that were marked. */
export class Terminals {
  readonly #open = new Set<Entry>();

  open(line: TerminalLine): OpenTerminal {
    const terminal: Entry = {
      pid: 0,
      line,
      output: new TerminalOutput(),
      close: () => this.#open.delete(terminal),
    };
    this.#open.add(terminal);
    return terminal;
  }

  mark(): readonly TerminalMark[] {
    return [...this.#open].map(({ pid, line, output }) => ({
      pid,
      shown: output.mark(),
      command: line.command(),
    }));
  }

  /** What each shows now, of those in which something runs. */
  shown(): ShownTerminal[] {
    const marks = this.mark().filter(({ pid }) => pid !== 0);
    return marks.map(({ pid, shown, command }) => ({ pid, shown: shownAt(shown), command }));
  }

  /** Has every terminal that was there show what it showed then. */
  restore(marks: readonly TerminalMark[]): void {
    for (const { pid, line, output } of this.#open) {
      const mark = marks.find((one) => one.pid === pid);
      if (!mark) continue; // What runs in it is no more, which it is told.
      output.restore(mark.shown);
      line.onRestored(mark.command);
      const shown = shownAt(mark.shown);
      const bytes = new Uint8Array(reset.length + shown.length);
      bytes.set(reset);
      bytes.set(shown, reset.length);
      Promise.resolve(line.show(bytes)).catch(() => undefined); // Whoever has left needs nothing.
    }
  }
}
