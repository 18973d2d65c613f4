import { decodeEventLine } from '../format/decode-event.ts';
import type { TimedEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';

const microsecond = 1_000_000;
const ioLine = /^\[\s{0,8}(\d{1,20}(?:\.\d{1,20})?)\s{0,8},\s{0,8}"[oi]"\s{0,8},/;

/** Adds up the times of events, line by line. Counts microseconds, which others write, so that nothing is lost by adding. */
export class EventReader {
  readonly #version: 2 | 3;
  #micros: number;

  /** `atMicros`: of the event before the first. */
  constructor(version: 2 | 3, atMicros = 0) {
    this.#version = version;
    this.#micros = atMicros;
  }

  /** Time of the last event. */
  get micros(): number {
    return this.#micros;
  }

  /** The event of a line; `undefined` for one that is empty or a comment. @throws invalid-argument */
  read(text: string, line: number): TimedEvent | undefined {
    if (text.length < 2 && text.trim() === '') return undefined;
    if (text.startsWith('#')) return undefined;
    const { time, event } = decodeEventLine(text, line);
    this.#advance(time, line);
    return { at: Math.round(this.#micros / 1_000) / 1_000, event };
  }

  /** Whether a line is output or input of the first terminal, by its beginning alone: then its time is taken, and `read` says whether it is right. */
  skim(text: string, line: number): boolean {
    const [, time] = ioLine.exec(text) ?? [];
    if (time === undefined || !text.endsWith(']')) return false;
    this.#advance(Number(time), line);
    return true;
  }

  #advance(seconds: number, line: number): void {
    if (Math.abs(seconds) > recordingLimits.intervalSeconds)
      throw refuseRecording('its time is out of range', { line });
    const micros = Math.round(seconds * microsecond);
    this.#micros = this.#version === 3 ? this.#micros + Math.max(0, micros) : Math.max(this.#micros, micros);
    if (this.#micros > recordingLimits.intervalSeconds * microsecond)
      throw refuseRecording('its time is out of range', { line });
  }
}
