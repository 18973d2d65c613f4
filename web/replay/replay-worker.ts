import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { Found, Recording } from '../../recording/read/recording.ts';
import type {
  OpenedRecording,
  OutputBatch,
  OutputPlace,
  ReplayService,
  ReplaySource,
  ScreenAt,
} from '../transports/replay-link.ts';
import { signalOfPort } from '../transports/signal-port.ts';
import { ImageDownloads } from '../worker/assets/image-downloads.ts';
import { openImageToExport } from '../worker/assets/image-to-export.ts';
import { replayLimits } from './limits.ts';
import { openSource } from './open-source.ts';
import { recordedConnection } from './recorded-connection.ts';
import { RecordedObjects } from './recorded-objects.ts';
import { nextOutput, screenAt } from './terminal-output.ts';

interface Open {
  readonly recording: Recording;
  readonly objects: RecordedObjects;
}

const never = new AbortController().signal;

/** One recording at a time, as `ReplayService` serves it. */
export class ReplayWorker implements Omit<ReplayService, 'connect'> {
  readonly #site: URL;
  #open: Open | undefined;

  /** `site` is the folder that the site is in. */
  constructor(site: URL) {
    this.#site = site;
  }

  async open(
    source: ReplaySource,
    onProgress: (doneBytes: number, totalBytes: number) => void,
    abort?: MessagePort,
  ): Promise<OpenedRecording> {
    this.#open?.recording[Symbol.dispose]();
    this.#open = undefined;
    const signal = signalOfPort(abort) ?? never;
    const recording = await openSource(source, { site: this.#site.href, signal, onProgress });
    this.#open = { recording, objects: new RecordedObjects(recording, (digest) => this.#loadImage(digest)) };
    const { header, duration, landmarks, damage } = recording;
    return { header, duration, landmarks, damage };
  }

  async screen(ask: { readonly terminal: number; readonly at: number }): Promise<ScreenAt> {
    return screenAt(this.#opened().recording, ask);
  }

  async output(ask: { readonly terminal: number; readonly from: OutputPlace }): Promise<OutputBatch> {
    return nextOutput(this.#opened().recording, ask);
  }

  async whole(line: number): Promise<RecordingEvent> {
    return this.#opened().recording.whole(line);
  }

  async search(text: string, abort?: MessagePort): Promise<readonly Found[]> {
    const signal = signalOfPort(abort) ?? never;
    return this.#opened().recording.search(text, { most: replayLimits.found, signal });
  }

  useImage(): Promise<void> {
    return this.#opened().objects.useImage();
  }

  connection(): SandboxConnection {
    const { recording, objects } = this.#opened();
    return recordedConnection(recording, objects);
  }

  async #loadImage(digest: string): ReturnType<typeof openImageToExport> {
    const downloads = new ImageDownloads(new URL('images/', this.#site));
    return openImageToExport(await downloads.take({ digest }));
  }

  #opened(): Open {
    if (this.#open !== undefined) return this.#open;
    throw new SandboxError('invalid-argument', 'No recording is open');
  }
}
