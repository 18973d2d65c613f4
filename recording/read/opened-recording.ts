import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { firstTerminal, type RecordingEvent, type TimedEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import type { Found, Landmark, Recording, ScreenStart } from './recording.ts';
import type { Keyframe, RecordingParts } from './recording-parts.ts';
import { searchRecording } from './search-recording.ts';

/** A recording over its parts, wherever they are. */
export class OpenedRecording implements Recording {
  readonly #parts: RecordingParts;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  get header(): RecordingHeader {
    return this.#parts.index.header;
  }

  get isWhole(): boolean {
    return this.#parts.index.isWhole;
  }

  get duration(): number {
    return this.#parts.index.duration;
  }

  get landmarks(): readonly Landmark[] {
    return this.#parts.index.landmarks;
  }

  get damage(): string | undefined {
    return this.#parts.index.damage;
  }

  reach(at: number): Promise<void> {
    return this.#parts.reach(at);
  }

  async *events({
    from,
    to,
    after = 0,
    signal,
  }: Parameters<Recording['events']>[0]): AsyncGenerator<TimedEvent> {
    await this.reach(to);
    const { parts } = this.#parts;
    const first = Math.max(
      0,
      lastWhere(parts, ({ at }) => at < from),
      lastWhere(parts, ({ firstLine }) => firstLine <= after),
    );
    for (let part = first; part < parts.length; part++) {
      if ((parts[part]?.at ?? 0) >= to) return;
      throwIfAborted(signal, 'Cannot read the recording');
      for (const { at, event, line } of await this.#parts.read(part)) {
        if (at >= to) return;
        if (at >= from && line > after) yield { at, event };
      }
    }
  }

  async screenStart(terminal: number, at: number): Promise<ScreenStart> {
    await this.reach(at);
    const keyframes = this.#parts.index.keyframes.get(terminal) ?? [];
    const keyframe = keyframes[lastWhere(keyframes, (each) => each.at <= at)];
    if (keyframe === undefined) return this.#emptyScreen(terminal);
    const event = await this.whole(keyframe.line);
    if (event.type !== 'keyframe') throw notThere(`keyframe in line ${keyframe.line}`);
    const { columns, rows, data: paint } = event;
    return { at: keyframe.at, columns, rows, paint, line: keyframe.line };
  }

  async whole(line: number): Promise<RecordingEvent> {
    const part = lastWhere(this.#parts.parts, ({ firstLine }) => firstLine <= line);
    const events = part < 0 ? [] : await this.#parts.read(part);
    const found = events.find((each) => each.line === line);
    if (found === undefined) throw notThere(`event in line ${line}`);
    return found.event;
  }

  exportOf(snapshot: string): AsyncIterable<Uint8Array> {
    return this.#parts.exportOf(snapshot);
  }

  async search(text: string, options: Parameters<Recording['search']>[1]): Promise<readonly Found[]> {
    await this.reach(Number.POSITIVE_INFINITY);
    return searchRecording(this.#parts, text, options);
  }

  [Symbol.dispose](): void {
    this.#parts[Symbol.dispose]();
  }

  #emptyScreen(terminal: number): ScreenStart {
    const { columns, rows } = this.header;
    if (terminal === firstTerminal) return { at: 0, columns, rows, paint: '', line: 1 };
    for (const { at, event, line } of this.landmarks) {
      if (event.type === 'terminal' && event.terminal === terminal)
        return { at, columns: event.columns, rows: event.rows, paint: '', line };
    }
    throw notThere(`terminal ${terminal}`);
  }
}

function notThere(what: string): SandboxError {
  return new SandboxError('not-found', `The recording has no ${what}`);
}

/** The index of the last of an ordered list for which `holds`, or -1: it holds for all before it. */
function lastWhere<T extends Keyframe | { readonly at: number }>(
  list: readonly T[],
  holds: (each: T) => boolean,
): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = list[middle];
    if (each !== undefined && holds(each)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
