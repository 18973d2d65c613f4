import { SandboxError } from '../../protocol/errors.ts';
import { fromBase64 } from '../format/base64.ts';
import { EventReader } from './event-reader.ts';
import { GrowingIndex, type IndexOptions } from './index-recording.ts';
import type { TextIndex } from './indexer.ts';
import type { NumberedEvent, RecordingIndex, RecordingPart, RecordingParts } from './recording-parts.ts';
import { type RecordingSource, readBlock } from './text-blocks.ts';

/** Blocks whose events are kept, as a player reads the same ones again while it is scrubbed. */
const cachedBlocks = 4;

/** The blocks of a file. */
export class FileParts implements RecordingParts {
  readonly #source: RecordingSource;
  readonly #growing: GrowingIndex;
  readonly #cache = new Map<number, Promise<readonly NumberedEvent[]>>();

  private constructor(source: RecordingSource, growing: GrowingIndex) {
    this.#source = source;
    this.#growing = growing;
  }

  /** Resolves when the beginning is known. */
  static async open(source: RecordingSource, options?: IndexOptions): Promise<FileParts> {
    return new FileParts(source, await GrowingIndex.open(source, options));
  }

  get index(): RecordingIndex {
    return this.#index;
  }

  get #index(): TextIndex {
    return this.#growing.index;
  }

  get parts(): readonly RecordingPart[] {
    return this.#index.blocks;
  }

  reach(at: number): Promise<void> {
    return this.#growing.reach(at);
  }

  read(part: number): Promise<readonly NumberedEvent[]> {
    const events = this.#cache.get(part) ?? this.#read(part);
    this.#cache.delete(part);
    this.#cache.set(part, events);
    events.catch(() => this.#cache.delete(part));
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= cachedBlocks) break;
      this.#cache.delete(oldest);
    }
    return events;
  }

  async *exportOf(snapshot: string): AsyncGenerator<Uint8Array> {
    await this.reach(Number.POSITIVE_INFINITY);
    const lines = this.#index.snapshots.get(snapshot);
    if (lines === undefined) throw new SandboxError('not-found', `The recording has no snapshot ${snapshot}`);
    for (const [part, { firstLine }] of this.parts.entries()) {
      const next = this.parts[part + 1]?.firstLine ?? Number.POSITIVE_INFINITY;
      if (next <= lines.first || firstLine > lines.last) continue;
      // Not through the cache: objects are read once.
      for (const { event } of await this.#read(part)) {
        if (event.type !== 'objects' || event.snapshot !== snapshot) continue;
        yield fromBase64(event.data);
        if (event.isLast) return;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#growing[Symbol.dispose]();
    this.#cache.clear();
  }

  async #read(part: number): Promise<readonly NumberedEvent[]> {
    const block = this.#index.blocks[part];
    if (block === undefined) return [];
    const lines = (await readBlock(this.#source, block.place)).split('\n');
    const reader = new EventReader(this.#index.version, block.micros);
    const events: NumberedEvent[] = [];
    let line = block.firstLine;
    for (const text of lines) {
      if (line > this.#index.lastLine) break;
      const timed = line === 1 ? undefined : reader.read(text, line);
      if (timed !== undefined) events.push({ ...timed, line });
      line++;
    }
    return events;
  }
}
