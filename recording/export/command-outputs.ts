import type { RecordingEvent } from '../format/recording-event.ts';
import { exportLimits } from './limits.ts';

interface Running {
  readonly terminal: number;
  text: string;
}

/** What terminals showed while commands ran: the last that began on a terminal has its output. */
export class CommandOutputs {
  readonly #running = new Map<number, Running>();

  add(event: RecordingEvent): void {
    if (event.type === 'command') {
      if (this.#running.size >= exportLimits.runningCommands) this.#forgetOldest();
      this.#running.set(event.command, { terminal: event.terminal, text: '' });
      return;
    }
    if (event.type !== 'output') return;
    const last = [...this.#running.values()].findLast(({ terminal }) => terminal === event.terminal);
    const room = exportLimits.outputUnits - (last?.text.length ?? 0);
    if (last && room > 0) last.text += event.data.slice(0, room);
  }

  /** Of a command that has ended. */
  take(command: number): string {
    const text = this.#running.get(command)?.text ?? '';
    this.#running.delete(command);
    return text;
  }

  #forgetOldest(): void {
    const [oldest] = this.#running.keys();
    if (oldest !== undefined) this.#running.delete(oldest);
  }
}
