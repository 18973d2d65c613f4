import { expose, type Remote, releaseProxy, transfer, wrap } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import type { RecordingHeader } from '../../recording/format/recording-header.ts';
import type { Found, Landmark } from '../../recording/read/recording.ts';
import { CrashGuard } from './crash-guard.ts';
import { installErrorTransfer } from './error-transfer.ts';
import { exposeConnection } from './expose-backend.ts';
import { remotePortConnection } from './remote-backend.ts';
import { withSignalPort } from './signal-port.ts';

/** Where a recording is: a file of the user, the files of a folder of segments, or an address of either. */
export type ReplaySource =
  | { readonly type: 'file'; readonly file: Blob; readonly name: string }
  | { readonly type: 'folder'; readonly files: readonly File[] }
  | { readonly type: 'url'; readonly url: string };

/** How much of a file was read, of how many bytes; of 0 where nobody knows. */
export interface ReadProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** What is known of a recording: all, or what its index has so far. */
export interface KnownRecording {
  /** Seconds. */
  readonly duration: number;
  readonly landmarks: readonly Landmark[];
  readonly damage: string | undefined;
  /** `undefined` once all is known. */
  readonly progress: ReadProgress | undefined;
}

/** A recording that was opened, without its long parts. */
export interface OpenedRecording extends KnownRecording {
  readonly header: RecordingHeader;
}

/** What a terminal is told, in order. `at`: seconds since the recording began. */
export type ScreenEvent =
  | { readonly at: number; readonly type: 'output'; readonly data: string }
  | { readonly at: number; readonly type: 'resize'; readonly columns: number; readonly rows: number };

/** What one terminal shows at an instant: an empty terminal of that size, and what it is told. */
export interface ScreenAt {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly ScreenEvent[];
}

/** A place among the events of one terminal: behind `skip` of those that are at `at`. */
export interface OutputPlace {
  readonly at: number;
  readonly skip: number;
}

/** The next events of a terminal. */
export interface OutputBatch {
  readonly events: readonly ScreenEvent[];
  /** Where the next batch begins; `undefined` after the last one. */
  readonly next: OutputPlace | undefined;
}

/** What a worker does for a player. One recording is open at a time. @throws SandboxError */
export interface ReplayService {
  /** Opens a recording, in place of the one before. Resolves when its beginning is known. */
  open(source: ReplaySource, abort?: MessagePort): Promise<OpenedRecording>;
  /** What is known a moment later, or when it is all: of its landmarks those after the first `landmarks`. */
  more(landmarks: number): Promise<KnownRecording>;
  screen(ask: { readonly terminal: number; readonly at: number }): Promise<ScreenAt>;
  output(ask: { readonly terminal: number; readonly from: OutputPlace }): Promise<OutputBatch>;
  whole(line: number): Promise<RecordingEvent>;
  search(text: string, abort?: MessagePort): Promise<readonly Found[]>;
  /** Has files that the recording does not hold read from the site's copy of its image, which may fetch it. */
  useImage(): Promise<void>;
  /** Serves the recording's snapshots as a sandbox that can only be read. */
  connect(port: MessagePort): Promise<void>;
}

/** `ReplayService` as a page calls it. */
export interface ReplayLink extends Disposable {
  open(source: ReplaySource, options: { readonly signal: AbortSignal }): Promise<OpenedRecording>;
  more: ReplayService['more'];
  screen: ReplayService['screen'];
  output: ReplayService['output'];
  whole: ReplayService['whole'];
  search(text: string, options: { readonly signal: AbortSignal }): Promise<readonly Found[]>;
  useImage: ReplayService['useImage'];
  /** The recording's snapshots as a sandbox that can only be read. */
  connect(): Promise<SandboxConnection>;
}

/** Serves a player on this worker's own port. */
export function exposeReplay(
  service: Omit<ReplayService, 'connect'> & { connection(): Promise<SandboxConnection> },
): void {
  installErrorTransfer();
  const wire: ReplayService = {
    open: (source, abort) => service.open(source, abort),
    more: (landmarks) => service.more(landmarks),
    screen: (ask) => service.screen(ask),
    output: (ask) => service.output(ask),
    whole: (line) => service.whole(line),
    search: (text, abort) => service.search(text, abort),
    useImage: () => service.useImage(),
    connect: async (port) => exposeConnection(await service.connection(), port),
  };
  expose(wire);
}

/** A player's worker, which ends with the link. */
export function openReplayLink(startWorker: () => Worker): ReplayLink {
  installErrorTransfer();
  const worker = startWorker();
  const guard = new CrashGuard();
  const lost = (): void => {
    guard.crash(new SandboxError('connection-lost', 'What reads the recording has ended. Open it again'));
  };
  worker.addEventListener('error', lost);
  const remote: Remote<ReplayService> = wrap<ReplayService>(worker);
  const call = <T>(promise: Promise<T>): Promise<T> => guard.wait(promise);
  return {
    open: (source, { signal }) => withSignalPort(signal, (abort) => call(remote.open(source, abort))),
    more: (landmarks) => call(remote.more(landmarks)),
    screen: (ask) => call(remote.screen(ask)),
    output: (ask) => call(remote.output(ask)),
    whole: (line) => call(remote.whole(line) as Promise<RecordingEvent>),
    search: (text, { signal }) => withSignalPort(signal, (abort) => call(remote.search(text, abort))),
    useImage: () => call(remote.useImage()),
    connect: async () => {
      const { port1, port2 } = new MessageChannel();
      await call(remote.connect(transfer(port2, [port2])));
      return remotePortConnection(port1, guard);
    },
    [Symbol.dispose]: () => {
      lost();
      remote[releaseProxy]();
      worker.terminate();
    },
  };
}
