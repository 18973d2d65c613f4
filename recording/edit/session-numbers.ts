import { firstTerminal, type RecordingEvent } from '../format/recording-event.ts';

/** Keeps numbers of terminals and commands, and ids of snapshots, apart between the parts of a session. */
export class SessionNumbers {
  readonly #snapshots = new Set<string>();
  #terminals = firstTerminal;
  #commands = 0;
  #terminalBase = 0;
  #commandBase = 0;

  /** Another part begins. */
  next(): void {
    this.#terminalBase = this.#terminals - firstTerminal;
    this.#commandBase = this.#commands;
  }

  /** Whether it is of a snapshot that an earlier part has. */
  isKnown(event: RecordingEvent): boolean {
    if (event.type === 'objects') return this.#snapshots.has(event.snapshot);
    if (event.type !== 'snapshot') return false;
    const isKnown = this.#snapshots.has(event.id);
    this.#snapshots.add(event.id);
    return isKnown;
  }

  renumber(event: RecordingEvent): RecordingEvent {
    const terminal = 'terminal' in event ? { terminal: this.#terminal(event.terminal) } : {};
    const command = 'command' in event ? { command: this.#command(event.command) } : {};
    return { ...event, ...terminal, ...command } as RecordingEvent;
  }

  #terminal(number: number): number {
    if (number === firstTerminal) return number;
    const renumbered = number + this.#terminalBase;
    this.#terminals = Math.max(this.#terminals, renumbered);
    return renumbered;
  }

  #command(number: number): number {
    const renumbered = number + this.#commandBase;
    this.#commands = Math.max(this.#commands, renumbered);
    return renumbered;
  }
}
