import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type { RecordingOptions, RecordingSummary } from '../protocol/sandbox/recording.ts';
import type { RecordingEvent } from '../recording/format/recording-event.ts';
import { Archive } from './archive.ts';
import { takesCalls } from './record-call.ts';

/** What of a session is recorded, and how. */
export type RecordOptions = Omit<RecordingOptions, 'id'>;

type EventOf<Type extends RecordingEvent['type']> = Omit<
  Extract<RecordingEvent, { readonly type: Type }>,
  'type'
>;

/**
 * A recording of a sandbox that is under way: `for await` its pieces, once, while the session goes on; `stop` writes the end.
 * Leaving the loop, or `close`, gives it up: what was read until then is a recording. Whoever does not read holds nothing up, and
 * loses the recording once it is too far behind.
 */
export class SandboxRecording implements AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly #connection: SandboxConnection;
  readonly #id: string;
  readonly #file: Archive;
  /** Calls of tools are no longer for it. */
  readonly #letGo: () => void;

  private constructor(connection: SandboxConnection, { id, file }: { id: string; file: Archive }) {
    this.#connection = connection;
    this.#id = id;
    this.#file = file;
    this.#letGo = takesCalls(connection, this);
  }

  /** @throws limit-exceeded, forbidden, unsupported (an older bridge) */
  static async start(connection: SandboxConnection, options: RecordOptions): Promise<SandboxRecording> {
    const id = crypto.randomUUID();
    const file = new Archive(await connection.recording.start({ ...options, id }));
    return new SandboxRecording(connection, { id, file });
  }

  /** The file, in pieces as they come. @throws limit-exceeded where this was read too slowly; connection-lost */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#file;
    } finally {
      this.#letGo();
    }
  }

  /** Says something about what is going on. @throws not-found once it has ended */
  note(text: string): Promise<void> {
    return this.#add({ type: 'note', text });
  }

  /** Begins a chapter. @throws not-found once it has ended */
  chapter(title: string): Promise<void> {
    return this.#add({ type: 'chapter', title });
  }

  /** A tool is called. Adapters do this for their tools while a recording goes on. The snapshot is the one that HEAD is at, unless it is given. @throws invalid-argument, not-found */
  call(call: EventOf<'call'>): Promise<void> {
    return this.#add({ type: 'call', ...call });
  }

  /** What came of a call, by its id. @throws invalid-argument, not-found */
  result(result: EventOf<'result'>): Promise<void> {
    return this.#add({ type: 'result', ...result });
  }

  /** Something that a person or a model has said. @throws invalid-argument, not-found */
  message(message: EventOf<'message'>): Promise<void> {
    return this.#add({ type: 'message', ...message });
  }

  /**
   * Ends it with what commands that have ended changed: then its file has its last piece. Where nobody reads meanwhile, snapshots
   * that do not fit are left out after a minute. @throws not-found once it has ended
   */
  stop({ exitCode }: { readonly exitCode?: number } = {}): Promise<RecordingSummary> {
    this.#letGo();
    return this.#connection.recording.stop({ id: this.#id, ...(exitCode === undefined ? {} : { exitCode }) });
  }

  /** Gives it up. */
  close(): Promise<void> {
    this.#letGo();
    return this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #add(event: RecordingEvent): Promise<void> {
    return this.#connection.recording.add({ id: this.#id, event: JSON.stringify(event) });
  }
}
