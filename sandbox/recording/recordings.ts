import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import type {
  PastOptions,
  RecordingAddition,
  RecordingFacet,
  RecordingOptions,
  RecordingSummary,
} from '../../protocol/sandbox/recording.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { SecretReplacer } from '../../recording/redact/secret-replacer.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { SessionTaps } from '../processes/session-taps.ts';
import { settlesWithin } from '../shells/settles-within.ts';
import { parseAddition } from './parse-addition.ts';
import { openPastRecording, type PastParts } from './past-recording.ts';
import { Recorder } from './recorder.ts';
import { recordingHeader } from './recording-header.ts';
import { SnapshotObjects } from './snapshot-objects.ts';

export interface RecordingsParts extends PastParts {
  readonly taps: SessionTaps;
  readonly subscribe: (listener: (event: SandboxEvent) => void) => () => void;
  /** Resolves to where HEAD is, once there is a first snapshot. */
  readonly head: () => Promise<SnapshotId>;
  /** Resolves once the history has what commands have changed that have ended. */
  readonly settle: () => Promise<void>;
  /** Stores what was shown by now, as far as that is possible. */
  readonly flushOutput: () => Promise<void>;
}

/** The recordings of a sandbox that are under way. */
export class Recordings implements RecordingFacet {
  readonly #parts: RecordingsParts;
  readonly #running = new Map<string, Recorder>();
  #starting = 0;

  constructor(parts: RecordingsParts) {
    this.#parts = parts;
  }

  async start(ask: RecordingOptions): Promise<ArchiveReader> {
    if (this.#running.size + this.#starting >= limits.recordings) {
      const message = `Cannot record the sandbox: ${limits.recordings} recordings of it are under way. Stop one`;
      throw new SandboxError('limit-exceeded', message, { details: { limit: limits.recordings } });
    }
    this.#starting++;
    try {
      // What commands did that have ended is before the recording.
      await settlesWithin(this.#settled(), limits.recordingStopMs);
      const head = await this.#parts.head();
      this.#assertNew(ask.id);
      const recorder = this.#begin(ask, head);
      this.#running.set(ask.id, recorder);
      return recorder.file;
    } finally {
      this.#starting--;
    }
  }

  async save(ask: PastOptions): Promise<ArchiveReader> {
    await this.#parts.head();
    await this.#parts.flushOutput();
    return openPastRecording(ask, this.#parts);
  }

  async add({ id, event }: RecordingAddition): Promise<void> {
    const recorder = this.#get(id);
    const added = parseAddition(event);
    // What the call has changed is in the snapshot that it is told with.
    const isOfChanges = added.type === 'result' && added.snapshot === undefined;
    if (isOfChanges) await recorder.addAfter(settlesWithin(this.#settled(), limits.recordingSettleMs), added);
    else recorder.add(added);
  }

  async stop({
    id,
    exitCode = 0,
  }: {
    readonly id: string;
    readonly exitCode?: number | undefined;
  }): Promise<RecordingSummary> {
    const recorder = this.#get(id);
    this.#running.delete(id);
    await settlesWithin(this.#settled(), limits.recordingStopMs);
    return recorder.stop(exitCode);
  }

  /** The sandbox ends, and so do they. */
  async close(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map((recorder) => recorder.stop(0)));
  }

  #begin(ask: RecordingOptions, head: SnapshotId): Recorder {
    const { id, title, gzip = false, input = false, memory = false, history = false, secrets } = ask;
    const { state, info, taps, subscribe } = this.#parts;
    const holdsImage = ask.image === true && hasImage(info);
    const objects = new SnapshotObjects(state, { keepsMemory: memory, holdsImage });
    const before = history
      ? state.history
          .log(head)
          .slice(1, limits.recordingWaitingSnapshots - 1)
          .reverse()
      : [];
    const begin = [...before, head];
    const replacer = new SecretReplacer({ secrets, environments: info.envs ? [info.envs] : [] });
    const recorder: Recorder = new Recorder({
      header: recordingHeader({
        ...{ info, image: state.image, holdsImage, input, memory, title: title && replacer.replace(title) },
        begin: objects.open(begin[0] ?? head).snapshot,
      }),
      ...{ gzip, input, objects, secrets: replacer, taps, subscribe, begin },
      stopMs: holdsImage ? limits.recordingImageStopMs : limits.recordingStopMs,
      onEnd: () => {
        if (this.#running.get(id) === recorder) this.#running.delete(id);
      },
    });
    return recorder;
  }

  /** What cannot be saved is not waited for. */
  async #settled(): Promise<void> {
    await this.#parts.settle().catch(() => undefined);
  }

  #assertNew(id: string): void {
    if (!this.#running.has(id)) return;
    throw new SandboxError('already-exists', `There is a recording ${JSON.stringify(id)} under way already`);
  }

  /** @throws not-found */
  #get(id: string): Recorder {
    const recorder = this.#running.get(id);
    if (recorder) return recorder;
    throw new SandboxError('not-found', `There is no recording ${JSON.stringify(id)} under way`, {
      details: { id },
    });
  }
}
