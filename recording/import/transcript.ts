import { latestMs } from '../format/date-text.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { importLimits } from './limits.ts';
import { type ShellCall, shellCallOf } from './shell-call.ts';
import { type ShellResult, TranscriptTerminal } from './transcript-terminal.ts';

/** An event, and when it happened: milliseconds since the Unix epoch. */
export interface DatedEvent {
  readonly ms: number;
  readonly event: RecordingEvent;
}

export interface TranscriptCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** What it runs, where the tool's name does not tell. */
  readonly shell?: ShellCall;
  /** HEAD when it began, where the file says. */
  readonly snapshot?: string;
}

export interface TranscriptResult {
  readonly id: string;
  readonly result: unknown;
  readonly isError?: boolean;
  /** Of a call that ran a command. */
  readonly shell?: Omit<ShellResult, 'durationMs'> & { readonly durationMs?: number };
  readonly snapshot?: string;
}

interface OpenCall {
  readonly command: number | undefined;
  readonly terminal: number;
  readonly beganMs: number;
}

/** Makes events of what a transcript says: an agent's calls of a shell go to a terminal as well. */
export class Transcript {
  readonly #format: string;
  #ms = 0;
  #events: DatedEvent[] = [];
  #commands = 0;
  #leftOut = 0;
  readonly #calls = new Map<string, OpenCall>();
  readonly #terminals = [new TranscriptTerminal(1)];

  constructor(format: string) {
    this.#format = format;
  }

  /** When what follows happened; what has no time of its own happened with what is before it. */
  at(ms: number | undefined): void {
    if (ms !== undefined && ms >= 0 && ms <= latestMs) this.#ms = ms;
  }

  get ms(): number {
    return this.#ms;
  }

  /** A terminal beside the first, such as a sub-agent's; the last one where there are too many. */
  openTerminal(title: string): number {
    if (this.#terminals.length >= recordingLimits.terminals) return this.#terminals.length;
    const terminal = this.#terminals.length + 1;
    this.#terminals.push(new TranscriptTerminal(terminal));
    this.add({ type: 'terminal', terminal, title: cutTitle(title), ...terminalSize });
    return terminal;
  }

  message(event: Omit<Extract<RecordingEvent, { readonly type: 'message' }>, 'type'>, terminal = 1): void {
    if (event.text.trim() === '') return;
    // A person goes on only when the agent is done, or was interrupted.
    if (event.role === 'user') this.#addAll(this.#terminals[terminal - 1]?.release() ?? []);
    this.add({ type: 'message', ...event });
  }

  call({ shell, snapshot, ...call }: TranscriptCall, terminal = 1): void {
    this.add({ type: 'call', ...call, ...(snapshot === undefined ? {} : { snapshot }) });
    const ran = shell ?? shellCallOf(call.tool, call.arguments);
    if (ran) this.#commands += 1;
    const command = ran ? this.#commands : undefined;
    if (this.#calls.size >= importLimits.openCalls) this.#forgetOldest();
    this.#calls.set(call.id, { command, terminal, beganMs: this.#ms });
    if (ran) this.#addAll(this.#terminals[terminal - 1]?.begin(this.#commands, ran) ?? []);
  }

  /** Whether a call has begun and not ended. */
  isOpen(id: string): boolean {
    return this.#calls.has(id);
  }

  /** Whether a call that is open runs a command. */
  isShell(id: string): boolean {
    return this.#calls.get(id)?.command !== undefined;
  }

  result({ id, result, isError, shell, snapshot }: TranscriptResult): void {
    const open = this.#calls.get(id);
    this.#calls.delete(id);
    if (open?.command !== undefined && shell) {
      const durationMs = between(0, shell.durationMs ?? this.#ms - open.beganMs, latestMs);
      const ended = { ...shell, exitCode: exitCodeOf(shell.exitCode), durationMs };
      this.#addAll(this.#terminals[open.terminal - 1]?.end(open.command, ended) ?? []);
    }
    this.add({
      type: 'result',
      id,
      result,
      ...(isError === true ? { isError } : {}),
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  }

  note(text: string): void {
    this.add({ type: 'note', text });
  }

  /** A line that says something which has no event. */
  foreign(line: string): void {
    this.add({ type: 'foreign', format: this.#format, line });
  }

  /** A line that is not kept, and why. */
  leftOut(line: number, why: string): void {
    this.#leftOut += 1;
    if (this.#leftOut <= importLimits.leftOutNotes) this.note(`Line ${line} was left out: ${why}`);
  }

  add(event: RecordingEvent): void {
    this.#events.push({ ms: this.#ms, event });
  }

  /** What has been made since the last call. */
  take(): DatedEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** What is left to be shown at the end. */
  finish(): DatedEvent[] {
    for (const terminal of this.#terminals) this.#addAll(terminal.release());
    return this.take();
  }

  #addAll(events: readonly RecordingEvent[]): void {
    for (const event of events) this.add(event);
  }

  #forgetOldest(): void {
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#calls.delete(oldest);
  }
}

/** Of terminals that a transcript says nothing of. */
export const terminalSize = { columns: 100, rows: 30 } as const;

/** A number as an exit code; nothing where it is none. */
export function exitCodeOf(value: number | undefined): number | undefined {
  return Number.isInteger(value) && Math.abs(Number(value)) < 1e9 ? value : undefined;
}

function between(least: number, value: number, most: number): number {
  return Math.round(Math.min(Math.max(least, value || 0), most));
}

/** The first line of a text, as a title. */
export function cutTitle(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const most = importLimits.titleUnits;
  return line.length > most ? `${line.slice(0, most - 1).replace(/\p{Cs}$/u, '')}…` : line.trimEnd();
}
