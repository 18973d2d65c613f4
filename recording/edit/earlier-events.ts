import type { RecordingEvent } from '../format/recording-event.ts';
import { editLimits } from './limits.ts';

interface EarlierTerminal {
  /** Opened by this; absent of the first, which is there from the beginning. */
  opened?: RecordingEvent;
  resized?: RecordingEvent;
  keyframe?: RecordingEvent;
  /** What it showed since the keyframe. */
  output: string;
}

/** What of the events before a part its reader needs: terminals, and snapshots with their objects. */
export class EarlierEvents {
  readonly #terminals = new Map<number, EarlierTerminal>();
  readonly #snapshots: RecordingEvent[] = [];
  #head: RecordingEvent | undefined;

  add(event: RecordingEvent): void {
    switch (event.type) {
      case 'objects':
      case 'snapshot':
        this.#snapshots.push(event);
        this.#head = undefined;
        break;
      case 'head':
        this.#head = event;
        break;
      case 'terminal':
        this.#terminals.set(event.terminal, { opened: event, output: '' });
        break;
      case 'terminal-end':
        this.#terminals.delete(event.terminal);
        break;
      case 'resize':
        this.#of(event.terminal).resized = event;
        break;
      case 'keyframe':
        this.#terminals.set(event.terminal, { ...this.#of(event.terminal), keyframe: event, output: '' });
        break;
      case 'output':
        this.#of(event.terminal).output = endOf(this.#of(event.terminal).output + event.data);
        break;
      default:
        break;
    }
  }

  take(): RecordingEvent[] {
    const terminals = [...this.#terminals].flatMap(([terminal, { opened, resized, keyframe, output }]) => [
      ...(opened ? [opened] : []),
      ...(resized ? [resized] : []),
      ...(keyframe ? [keyframe] : []),
      ...(output === '' ? [] : [{ type: 'output' as const, terminal, data: output }]),
    ]);
    return [...this.#snapshots, ...(this.#head ? [this.#head] : []), ...terminals];
  }

  #of(terminal: number): EarlierTerminal {
    const known = this.#terminals.get(terminal) ?? { output: '' };
    this.#terminals.set(terminal, known);
    return known;
  }
}

/** The screen is made by the end of what was shown. */
function endOf(output: string): string {
  const most = editLimits.screenUnits;
  return output.length > 2 * most ? output.slice(-most) : output;
}
