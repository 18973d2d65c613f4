import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { WorkSlices } from '../../tree/next-task.ts';
import { refuseRecording } from '../recording-error.ts';
import { Indexer, type TextIndex } from './indexer.ts';
import { type RecordingSource, scanBlocks, type TextBlock } from './text-blocks.ts';

export interface IndexOptions {
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly at: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The index of a file, which is read once to know where in it everything is. Grows until the file's end, or until it is disposed of. */
export class GrowingIndex implements Disposable {
  readonly index: TextIndex;
  readonly #indexer: Indexer;
  readonly #stop = new AbortController();
  #waiting: Waiting[] = [];
  #failure: unknown;

  private constructor(indexer: Indexer) {
    this.index = indexer;
    this.#indexer = indexer;
  }

  /** Resolves when the beginning is known. @throws invalid-argument, version-mismatch, unsupported, aborted */
  static async open(source: RecordingSource, { signal }: IndexOptions = {}): Promise<GrowingIndex> {
    throwIfAborted(signal, 'Cannot open the recording');
    const blocks = scanBlocks(source);
    const { value: first, done } = await blocks.next();
    if (done) throw refuseRecording('it is empty');
    const growing = new GrowingIndex(new Indexer(first));
    const stop = growing.#stop.signal;
    void growing.#grow(first, blocks, signal === undefined ? stop : AbortSignal.any([signal, stop]));
    return growing;
  }

  /** Resolves once something after `at` seconds is known, or all is. @throws aborted */
  async reach(at: number): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isKnown(at)) return;
    await new Promise<void>((resolve, reject) => this.#waiting.push({ at, resolve, reject }));
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #grow(first: TextBlock, blocks: AsyncGenerator<TextBlock>, signal: AbortSignal): Promise<void> {
    const slices = new WorkSlices();
    let damage = this.#indexer.add(first);
    try {
      while (damage === undefined) {
        this.#settle();
        await slices.end();
        throwIfAborted(signal, 'Cannot open the recording');
        const { value, done } = await blocks.next();
        if (done) break;
        damage = this.#indexer.add(value);
      }
    } catch (error) {
      if (SandboxError.from(error).code === 'aborted') return this.#fail(error);
      // What came before is worth seeing.
      damage = `${SandboxError.from(error).message}; nothing after line ${this.index.lastLine} is shown`;
    } finally {
      await blocks.return(undefined);
    }
    this.#indexer.finish(damage);
    this.#settle();
  }

  #isKnown(at: number): boolean {
    return this.index.isWhole || this.index.duration > at;
  }

  #settle(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ at }) => !this.#isKnown(at));
    for (const { at, resolve } of waiting) if (this.#isKnown(at)) resolve();
  }

  #fail(error: unknown): void {
    this.#failure = error;
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting = [];
  }
}
