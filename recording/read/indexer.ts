import { SandboxError } from '../../protocol/errors.ts';
import { decodeHeader } from '../format/decode-header.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import type { RecordingHeader } from '../format/recording-header.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';
import { EventReader } from './event-reader.ts';
import { Landmarks } from './landmark.ts';
import { cutAfter } from './read-recording.ts';
import type { Landmark } from './recording.ts';
import type { Keyframe, RecordingIndex, RecordingPart, SnapshotLines } from './recording-parts.ts';
import type { BlockPlace, TextBlock } from './text-blocks.ts';

interface IndexedBlock extends RecordingPart {
  readonly place: BlockPlace;
  readonly micros: number;
}

export interface TextIndex extends RecordingIndex {
  readonly version: 2 | 3;
  /** The last line that is right. */
  readonly lastLine: number;
  readonly blocks: readonly IndexedBlock[];
  readonly snapshots: ReadonlyMap<string, SnapshotLines>;
}

/** What is known of a file, block by block. */
export class Indexer implements TextIndex {
  readonly header: RecordingHeader;
  readonly version: 2 | 3;
  readonly #reader: EventReader;
  readonly #landmarks = new Landmarks();
  readonly blocks: IndexedBlock[] = [];
  readonly keyframes: Map<number, Keyframe[]> = new Map();
  readonly snapshots: Map<string, SnapshotLines> = new Map();
  #keyframeCount = 0;
  #line = 0;
  #hasEnded: boolean;
  #damage: string | undefined;
  #isWhole = false;

  /** @throws invalid-argument, version-mismatch for a header that is none */
  constructor(first: TextBlock) {
    const { version, header } = decodeHeader(textOf(first).split('\n', 1)[0] ?? '');
    this.header = header;
    this.version = version;
    this.#reader = new EventReader(version);
    this.#hasEnded = header.coppice.source === 'asciicast';
  }

  get lastLine(): number {
    return this.#line;
  }

  get duration(): number {
    return Math.round(this.#reader.micros / 1_000) / 1_000;
  }

  get landmarks(): readonly Landmark[] {
    return this.#landmarks.list;
  }

  get damage(): string | undefined {
    return this.#damage;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Answers what is wrong with a line, where something is; those before it are there then. */
  add(block: TextBlock): string | undefined {
    const lines = textOf(block).split('\n');
    const rest = lines.pop() ?? '';
    this.blocks.push({
      place: block.place,
      at: this.duration,
      micros: this.#reader.micros,
      firstLine: this.#line + 1,
    });
    try {
      for (const text of lines) this.#add(text);
    } catch (error) {
      return `${SandboxError.from(error).message}; nothing from there on is shown`;
    }
    if (rest === '') return undefined;
    try {
      this.#add(rest, { isWhole: false });
    } catch {
      this.#hasEnded = false;
    }
    return undefined;
  }

  /** Nothing comes any more. */
  finish(damage: string | undefined): void {
    const full = this.#landmarks.isFull ? 'It has more events than a list can show' : undefined;
    this.#damage = damage ?? (this.#hasEnded ? full : cutAfter(this.#line));
    this.#isWhole = true;
  }

  #add(text: string, { isWhole = true } = {}): void {
    const line = this.#line + 1;
    const timed =
      line === 1 || (isWhole && this.#reader.skim(text, line)) ? undefined : this.#reader.read(text, line);
    this.#line = line;
    if (timed === undefined) return;
    this.#landmarks.add(timed.event, { at: timed.at, line });
    this.#note(timed.event, { at: timed.at, line });
  }

  #note(event: RecordingEvent, { at, line }: Keyframe): void {
    if (event.type === 'end') this.#hasEnded = true;
    else if (event.type === 'keyframe') {
      if (this.#keyframeCount++ >= recordingLimits.keyframes) return;
      const list = this.keyframes.get(event.terminal);
      if (list === undefined) this.keyframes.set(event.terminal, [{ at, line }]);
      else list.push({ at, line });
    } else if (event.type === 'objects' || event.type === 'snapshot') {
      const id = event.type === 'objects' ? event.snapshot : event.id;
      const known = this.snapshots.get(id);
      if (known === undefined && this.snapshots.size >= recordingLimits.snapshots)
        throw refuseRecording(`it has more than ${recordingLimits.snapshots} snapshots`, { line });
      this.snapshots.set(id, { first: known?.first ?? line, last: line });
    }
  }
}

function textOf({ bytes }: TextBlock): string {
  return new TextDecoder().decode(bytes);
}
