import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import type { Landmark } from './recording.ts';

type LandmarkEvent = Landmark['event'];

const landmarkTypes: ReadonlySet<string> = new Set([
  'snapshot',
  'command',
  'command-end',
  'head',
  'call',
  'result',
  'message',
  'note',
  'chapter',
  'marker',
  'terminal',
  'terminal-end',
  'resize',
  'redacted',
  'end',
] satisfies LandmarkEvent['type'][]);

/** Takes what happened into a list that is held whole, with its texts cut, up to the limits. */
export class Landmarks {
  readonly #list: Landmark[] = [];
  #characters = 0;
  #isFull = false;

  get list(): readonly Landmark[] {
    return this.#list;
  }

  /** Whether something was left out because there was too much. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** With `isCut`, texts of it were cut before. */
  add(
    event: RecordingEvent,
    { at, line, isCut: wasCut }: { readonly at: number; readonly line: number; readonly isCut?: boolean },
  ): void {
    if (!isLandmark(event)) return;
    const { event: cut, characters, isCut: isCutNow } = cutTexts(event);
    const isCut = isCutNow || wasCut === true;
    this.#isFull ||=
      this.#list.length >= recordingLimits.landmarks ||
      this.#characters + characters > recordingLimits.landmarksCharacters;
    if (this.#isFull) return;
    this.#characters += characters;
    this.#list.push(isCut ? { at, event: cut, line, isCut } : { at, event: cut, line });
  }
}

function isLandmark(event: RecordingEvent): event is LandmarkEvent {
  return landmarkTypes.has(event.type);
}

interface Cut {
  readonly event: LandmarkEvent;
  readonly characters: number;
  readonly isCut: boolean;
}

/** Texts at the top of an event get short, and what is longer than that as JSON is left out or, where a reader expects it, empty. */
function cutTexts(event: LandmarkEvent): Cut {
  let characters = 0;
  let isCut = false;
  const entries = Object.entries(event).map(([key, value]): [string, unknown] => {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return [key, value];
    const size = typeof value === 'string' ? value.length : JSON.stringify(value).length;
    const most = mostOf(key);
    characters += Math.min(size, most);
    if (size <= most) return [key, value];
    isCut = true;
    return [key, typeof value === 'string' ? value.slice(0, most).toWellFormed() : shortened(key, value)];
  });
  return { event: Object.fromEntries(entries) as unknown as LandmarkEvent, characters, isCut };
}

function mostOf(key: string): number {
  // A merge names several snapshots.
  return key === 'parents' ? 2_048 : key === 'changes' ? 1_024 : recordingLimits.landmarkCharacters;
}

function shortened(key: string, value: object): unknown {
  return key === 'changes' ? { ...value, paths: [] } : undefined;
}
