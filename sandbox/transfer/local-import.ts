import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import { PieceRendezvous } from './piece-rendezvous.ts';

/**
 * Makes something of the bytes that come: a sandbox, or a snapshot of one. Calls `onReady` when it can
 * take some; resolves once it has all and that is durable, and leaves nothing behind when it rejects.
 */
export type TakeIn<Made> = (pieces: PieceRendezvous, onReady: () => void) => Promise<Made>;

/** A snapshot that is coming in: what is written here is what `takeIn` reads. */
export class LocalImport<Made> implements SnapshotImport<Made> {
  readonly #pieces = new PieceRendezvous();
  readonly #made: Promise<Made>;
  /** Rejects as soon as it is known that nothing will be made. */
  readonly #failed: Promise<never>;
  #isBusy = false;
  #isFinished = false;

  private constructor(takeIn: TakeIn<Made>, onReady: () => void) {
    this.#made = takeIn(this.#pieces, onReady).catch((error: unknown) => {
      throw SandboxError.from(error);
    });
    this.#failed = this.#made.then(() => new Promise<never>(() => {}));
    this.#failed.catch(() => undefined);
  }

  /** Resolves when it can take bytes. Rejects with what `takeIn` fails with before. */
  static async open<Made>(takeIn: TakeIn<Made>): Promise<LocalImport<Made>> {
    const ready = Promise.withResolvers<void>();
    const snapshotImport = new LocalImport(takeIn, ready.resolve);
    await Promise.race([ready.promise, snapshotImport.#failed]);
    return snapshotImport;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > limits.archivePieceBytes) {
      const details = { limit: limits.archivePieceBytes, sizeBytes: bytes.length };
      throw new SandboxError('limit-exceeded', `Cannot take in ${bytes.length} bytes at once`, { details });
    }
    this.#assertIdle();
    this.#isBusy = true;
    try {
      await Promise.race([this.#pieces.give(bytes), this.#failed]);
    } finally {
      this.#isBusy = false;
    }
  }

  async finish(): Promise<Made> {
    this.#assertIdle();
    this.#isFinished = true;
    this.#pieces.end();
    return this.#made;
  }

  /** What is finished stays; otherwise resolves when nothing of it is left. */
  async close(): Promise<void> {
    if (!this.#isFinished) {
      this.#pieces.fail(new SandboxError('aborted', 'Cannot take in the snapshot: it was given up'));
    }
    await this.#made.catch(() => undefined); // Whoever wrote or finished is told.
  }

  #assertIdle(): void {
    if (this.#isFinished) throw new SandboxError('invalid-argument', 'The snapshot was taken in already');
    if (this.#isBusy) throw new SandboxError('busy', 'Cannot take in two pieces at once');
  }
}
