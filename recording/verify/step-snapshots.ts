import type { RecordedSnapshot, RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';

/** The snapshots that a recording's commands are compared with, by the numbers of the commands. */
export interface StepSnapshots {
  /** The last one before the next command. */
  readonly after: ReadonlyMap<number, string>;
  /** One of what the command before had done, that came when this one had begun: it may have a part of what this one did. */
  readonly during: ReadonlyMap<number, string>;
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
    if (event.type === 'command') found.begin(event);
    else if (event.type === 'command-end') found.end(event.command);
    else if (event.type === 'snapshot') found.snapshot(event);
  }
  return found;
}

class SnapshotSearch implements StepSnapshots {
  readonly after: Map<number, string> = new Map();
  readonly during: Map<number, string> = new Map();
  /** In the order in which they began: those of which no snapshot has come, and the last one. */
  #begun: Begun[] = [];

  begin({ command, text }: { readonly command: number; readonly text: string }): void {
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
    const next = only && this.#begun[this.#begun.indexOf(only) + 1];
    const last = this.#begun.at(-1);
    if (of.length === 1 && only?.hasEnded && next) {
      if (!this.during.has(next.command)) this.during.set(next.command, id);
      this.#forgetBefore(next);
    } else if (last && this.#begun.every(({ hasEnded }) => hasEnded)) {
      this.after.set(last.command, id);
      this.#forgetBefore(last);
    }
  }

  /** A snapshot has what they did. Those that still run may have another one. */
  #forgetBefore(next: Begun): void {
    const at = this.#begun.indexOf(next);
    this.#begun = this.#begun.filter(({ hasEnded }, index) => index >= at || !hasEnded);
  }
}
