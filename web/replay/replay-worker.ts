import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { Found } from '../../recording/read/recording.ts';
import type {
  KnownRecording,
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
import { type OpenedSource, openSource } from './open-source.ts';
import { recordedConnection } from './recorded-connection.ts';
import { RecordedObjects } from './recorded-objects.ts';
import { nextOutput, screenAt } from './terminal-output.ts';

const never = new AbortController().signal;
const all = Number.POSITIVE_INFINITY;

/** One recording at a time, as `ReplayService` serves it. */
export class ReplayWorker implements Omit<ReplayService, 'connect'> {
  readonly #site: URL;
  #open: OpenedSource | undefined;
  #objects: RecordedObjects | undefined;

  /** `site` is the folder that the site is in. */
  constructor(site: URL) {
    this.#site = site;
  }

  async open(source: ReplaySource, abort?: MessagePort): Promise<OpenedRecording> {
    this.#open?.[Symbol.dispose]();
    this.#open = undefined;
    this.#objects = undefined;
    const signal = signalOfPort(abort) ?? never;
    const open = await openSource(source, { site: this.#site.href, signal });
    this.#open = open;
    return {
      ...(await knownSoon(open, { landmarks: 0, ms: replayLimits.openMs })),
      header: open.recording.header,
    };
  }

  more(landmarks: number): Promise<KnownRecording> {
    return knownSoon(this.#opened(), { landmarks, ms: replayLimits.growthMs });
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

  async useImage(): Promise<void> {
    await (await this.#files()).useImage();
  }

  async connection(): Promise<SandboxConnection> {
    const objects = await this.#files();
    return recordedConnection(this.#opened().recording, objects);
  }

  /** The files of its snapshots, which are listed once all is known. */
  async #files(): Promise<RecordedObjects> {
    const { recording } = this.#opened();
    await recording.reach(all);
    this.#objects ??= new RecordedObjects(recording, (digest) => this.#loadImage(digest));
    return this.#objects;
  }

  async #loadImage(digest: string): ReturnType<typeof openImageToExport> {
    const downloads = new ImageDownloads(new URL('images/', this.#site));
    return openImageToExport(await downloads.take({ digest }));
  }

  #opened(): OpenedSource {
    if (this.#open !== undefined) return this.#open;
    throw new SandboxError('invalid-argument', 'No recording is open');
  }
}

/** What is known of a recording when all is, or after a while. */
async function knownSoon(
  { recording, progress }: OpenedSource,
  { landmarks, ms }: { readonly landmarks: number; readonly ms: number },
): Promise<KnownRecording> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([recording.reach(all), later]).finally(() => clearTimeout(timer));
  const { duration, damage, isWhole } = recording;
  const { doneBytes, totalBytes } = progress;
  return {
    ...{ duration, damage, landmarks: recording.landmarks.slice(landmarks) },
    progress: isWhole ? undefined : { doneBytes, totalBytes },
  };
}
