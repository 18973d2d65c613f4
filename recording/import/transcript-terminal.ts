import type { RecordingEvent } from '../format/recording-event.ts';
import type { ShellCall } from './shell-call.ts';

/** What came of a command of a transcript. */
export interface ShellResult {
  readonly stdout: string;
  readonly stderr?: string;
  /** Absent of one that still ran, or of which nothing is known. */
  readonly exitCode?: number | undefined;
  readonly reason?: string;
  readonly durationMs: number;
}

interface ShownCommand {
  readonly command: number;
  readonly call: ShellCall;
  result?: ShellResult;
}

/**
 * A terminal that shows an agent's commands one after the other, as a person would have run them: those that ran at once
 * stand below each other too, each with its output.
 */
export class TranscriptTerminal {
  readonly #terminal: number;
  /** Those that are not shown whole: the first has been begun. */
  readonly #open: ShownCommand[] = [];

  constructor(terminal: number) {
    this.#terminal = terminal;
  }

  begin(command: number, call: ShellCall): RecordingEvent[] {
    const shown: ShownCommand = { command, call };
    this.#open.push(shown);
    return this.#open.length === 1 ? this.#begin(shown) : [];
  }

  end(command: number, result: ShellResult): RecordingEvent[] {
    const found = this.#open.find((each) => each.command === command);
    if (!found) return [];
    found.result = result;
    return this.#showEnded();
  }

  /** Gives up commands that nothing more will come of, as at the next question of a person. */
  release(): RecordingEvent[] {
    const events: RecordingEvent[] = [];
    for (let first = this.#open.shift(); first !== undefined; first = this.#open.shift()) {
      if (first.result) events.push(...this.#end(first, first.result));
      const [next] = this.#open;
      if (next) events.push(...this.#begin(next));
    }
    return events;
  }

  #showEnded(): RecordingEvent[] {
    const events: RecordingEvent[] = [];
    for (let [first] = this.#open; first?.result !== undefined; [first] = this.#open) {
      events.push(...this.#end(first, first.result));
      this.#open.shift();
      const [next] = this.#open;
      if (next) events.push(...this.#begin(next));
    }
    return events;
  }

  #begin({ command, call }: ShownCommand): RecordingEvent[] {
    const { text, argv, cwd } = call;
    const terminal = this.#terminal;
    return [
      {
        type: 'command',
        command,
        text,
        ...(argv === undefined ? {} : { argv }),
        ...(cwd === undefined ? {} : { cwd }),
        by: 'exec',
        terminal,
      },
      { type: 'output', terminal, data: `\x1b[1m$ ${typedText(text)}\x1b[0m\r\n` },
    ];
  }

  #end({ command }: ShownCommand, result: ShellResult): RecordingEvent[] {
    const { stdout, stderr = '', exitCode, reason, durationMs } = result;
    const terminal = this.#terminal;
    const events: RecordingEvent[] = [];
    if (stdout !== '') events.push({ type: 'output', terminal, data: printedText(stdout) });
    if (stderr !== '') {
      events.push({ type: 'source', command, stream: 'stderr' });
      events.push({ type: 'output', terminal, data: printedText(stderr) });
    }
    if (exitCode === undefined) return events;
    const why = reason === undefined ? {} : { reason };
    return [...events, { type: 'command-end', command, exitCode, ...why, durationMs }];
  }
}

/** As a shell echoes what is typed: further lines behind its second prompt, and control characters as `^[`. */
function typedText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, (character) => {
      if (character === '\n' || character === '\t') return character;
      const code = character.charCodeAt(0);
      return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : '?';
    })
    .trimEnd()
    .replaceAll('\n', '\r\n> ');
}

/** As a terminal gets it: with a carriage return before each line feed, and ending with one. */
function printedText(text: string): string {
  const lines = text.replace(/\r?\n/g, '\r\n');
  return lines.endsWith('\n') ? lines : `${lines}\r\n`;
}
