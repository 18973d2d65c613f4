import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { firstTerminal } from '../../recording/format/recording-event.ts';

/** An empty terminal again (RIS, ECMA-48 8.3.105). */
const reset = '\x1bc';
/** So much of the end of what was shown is looked for in what is shown next. */
const overlapCharacters = 512;

/** What the first terminal showed at checkpoints, as what came between one and the next. */
export class PastScreens {
  readonly #screenAt: (checkpoint: number) => Uint8Array;
  #shown = '';

  constructor(screenAt: (checkpoint: number) => Uint8Array) {
    this.#screenAt = screenAt;
  }

  show(text: string): readonly RecordingEvent[] {
    return text === '' ? [] : [{ type: 'output', terminal: firstTerminal, data: text }];
  }

  /** Nothing, of one that is no more. */
  at(checkpoint: number): readonly RecordingEvent[] {
    let shown: string;
    try {
      shown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#screenAt(checkpoint));
    } catch {
      return [];
    }
    const before = this.#shown;
    this.#shown = shown;
    if (shown === before) return [];
    const end = before.slice(-overlapCharacters);
    const at = end === '' ? -1 : shown.lastIndexOf(end);
    return this.show(before === '' ? shown : at < 0 ? `${reset}${shown}` : shown.slice(at + end.length));
  }
}
