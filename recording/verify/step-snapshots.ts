import type { RecordedSnapshot, RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';

/** The snapshots that a recording's commands are compared with, by the numbers of the commands. */
export interface StepSnapshots {
  /** The last one before the next command. */
  readonly after: ReadonlyMap<number, string>;
  /** One of what the command before had done, that came when this one had begun: it may have a part of what this one did. */
  readonly during: ReadonlyMap<number, string>;
  /** One of this command by its label, that came amid it or when the next had begun: it may have less than what this one did, or more. */
  readonly named: ReadonlyMap<number, string>;
}

interface Begun {
  readonly command: number;
  readonly text: string;
  hasEnded: boolean;
}

/**
 * Which command each snapshot is of, by its label where it came late: on a busy host several commands may have begun, and ended,
 * since. One whose label fits several commands, or one that runs, is of none.
 */
export function stepSnapshots(events: Iterable<RecordingEvent>): StepSnapshots {
  const found = new SnapshotSearch();
  for (const event of events) {
    if (event.type === 'marker') continue;
    if (event.type === 'head') found.head(event.id);
    found.forgetLast();
    if (event.type === 'command') found.begin(event);
    else if (event.type === 'command-end') found.end(event.command);
    else if (event.type === 'snapshot') found.snapshot(event);
  }
  found.takeLast();
  return found;
}

class SnapshotSearch implements StepSnapshots {
  readonly after: Map<number, string> = new Map();
  readonly during: Map<number, string> = new Map();
  readonly named: Map<number, string> = new Map();
  /** Snapshots that came amid a command while no other ran. */
  readonly #amid = new Map<number, string>();
  /** In the order in which they began: those of which no snapshot has come, and the last one. */
  #begun: Begun[] = [];
  /** The snapshot that just came, and what it was taken for. */
  #last: { readonly id: string; readonly command: number; readonly before: string | undefined } | undefined;

  /** HEAD moved. To a snapshot that comes with that, it came from elsewhere: from a fork that won a race. */
  head(id: string): void {
    if (this.#last?.id !== id) return;
    const { command, before } = this.#last;
    if (before === undefined) this.after.delete(command);
    else this.after.set(command, before);
  }

  forgetLast(): void {
    this.#last = undefined;
  }

  begin({ command, text }: { readonly command: number; readonly text: string }): void {
    const last = this.#begun.at(-1);
    if (last?.hasEnded === false) this.#amid.delete(last.command);
    this.#begun.push({ command, text, hasEnded: false });
    if (this.#begun.length > recordingLimits.verifyLateCommands) this.#begun.shift();
  }

  end(command: number): void {
    const ended = this.#begun.findLast((each) => each.command === command);
    if (ended) ended.hasEnded = true;
  }

  snapshot({ id, label }: RecordedSnapshot): void {
    const of = this.#begun.filter(({ text }) => text === label);
    const [only] = of;
    if (of.length === 1 && only) this.named.set(only.command, id);
    const running = this.#begun.filter(({ hasEnded }) => !hasEnded);
    if (only && of.length === 1 && running.length === 1 && running[0] === only)
      this.#amid.set(only.command, id);
    const next = only && this.#begun[this.#begun.indexOf(only) + 1];
    const last = this.#begun.at(-1);
    if (of.length === 1 && only?.hasEnded && next) {
      if (!this.during.has(next.command)) this.during.set(next.command, id);
      this.#forgetBefore(next);
    } else if (last && this.#begun.every(({ hasEnded }) => hasEnded)) {
      const { command } = last;
      this.#last = { id, command, before: this.after.get(command) };
      this.after.set(command, id);
      this.#forgetBefore(last);
    }
  }

  /** What a command did after its last snapshot would be in a further one: so that has all that it did, once it has ended. */
  takeLast(): void {
    const runs = new Set(this.#begun.filter(({ hasEnded }) => !hasEnded).map(({ command }) => command));
    for (const [command, id] of this.#amid)
      if (!runs.has(command) && !this.after.has(command) && this.named.get(command) === id)
        this.after.set(command, id);
  }

  /** A snapshot has what they did. Those that still run may have another one. */
  #forgetBefore(next: Begun): void {
    const at = this.#begun.indexOf(next);
    this.#begun = this.#begun.filter(({ hasEnded }, index) => index >= at || !hasEnded);
  }
}
