import { SandboxError } from '../../protocol/errors.ts';
import type { ReadFile } from '../../recording/read/folder-parts.ts';
import { openGrowingRecording, openRecordingFolder } from '../../recording/read/open-recording.ts';
import type { Recording } from '../../recording/read/recording.ts';
import type { RecordingSource } from '../../recording/read/text-blocks.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { fetchSharedFile, parseSharedUrl } from '../elements/share/fetch-shared-file.ts';
import type { ReadProgress, ReplaySource } from '../transports/replay-link.ts';
import { FetchedSource } from './fetched-source.ts';
import { asRecording } from './imported-source.ts';
import { replayLimits } from './limits.ts';

interface OpenOptions {
  /** The page's address, against which that of a recording is read. */
  readonly site: string;
  readonly signal: AbortSignal;
}

/** A recording whose beginning is known, and how much of its file was read. Ends what fetches the rest. */
export interface OpenedSource extends Disposable {
  readonly recording: Recording;
  readonly progress: ReadProgress;
}

const what = 'the recording';

/**
 * Opens a recording wherever it is, or a session of an agent as the recording that is made of it.
 * @throws invalid-argument, asset-unavailable, limit-exceeded, timeout, version-mismatch
 */
export async function openSource(source: ReplaySource, options: OpenOptions): Promise<OpenedSource> {
  switch (source.type) {
    case 'file': {
      const { file } = source;
      const read = async (from: number, to: number) =>
        new Uint8Array(await file.slice(from, to).arrayBuffer());
      return openFile({ read }, options, () => file.size);
    }
    case 'folder':
      return openFolder((path) => readFrom(source.files, path));
    case 'url': {
      const url = parseSharedUrl(source.url, options.site, what);
      if (url.pathname.endsWith('/index.json')) return openFolder((path) => fetchSegment(path, url));
      return openFetched(url, options);
    }
  }
}

async function openFolder(read: ReadFile): Promise<OpenedSource> {
  const recording = await openRecordingFolder(read);
  const progress = { doneBytes: 0, totalBytes: 0 };
  return { recording, progress, [Symbol.dispose]: () => recording[Symbol.dispose]() };
}

async function openFetched(url: URL, { signal, ...options }: OpenOptions): Promise<OpenedSource> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let totalBytes = 0;
  const pieces = fetchSharedFile(url, {
    ...{ what, most: replayLimits.fileBytes, signal: either },
    onProgress: (_, total) => {
      totalBytes = total;
    },
  });
  const file = new FetchedSource(pieces);
  const opened = await openFile(file, { ...options, signal: either }, () => totalBytes);
  return { ...opened, [Symbol.dispose]: () => stop.abort() };
}

async function openFile(
  source: RecordingSource,
  { signal }: OpenOptions,
  totalBytes: () => number,
): Promise<OpenedSource> {
  let doneBytes = 0;
  const read = async (from: number, to: number): Promise<Uint8Array> => {
    const bytes = await source.read(from, to);
    doneBytes = Math.max(doneBytes, from + bytes.length);
    return bytes;
  };
  const recording = await openGrowingRecording(await asRecording({ read }), { signal });
  return {
    recording,
    [Symbol.dispose]: () => recording[Symbol.dispose](),
    progress: {
      get doneBytes() {
        return doneBytes;
      },
      get totalBytes() {
        return totalBytes();
      },
    },
  };
}

/** A browser tells the path of a file within a folder that was chosen, and only its name otherwise. */
async function readFrom(files: readonly File[], path: string): Promise<Uint8Array> {
  const isIt = (file: File): boolean => file.webkitRelativePath.endsWith(`/${path}`) || file.name === path;
  const file = files.find(isIt) ?? files.find(({ name }) => name === path.slice(path.lastIndexOf('/') + 1));
  if (file === undefined)
    throw new SandboxError('asset-unavailable', `Cannot open the recording: its folder has no “${path}”`, {
      details: { path },
    });
  return new Uint8Array(await file.arrayBuffer());
}

/** The paths of a folder lead into it: a recording has nothing fetched from elsewhere. */
async function fetchSegment(path: string, index: URL): Promise<Uint8Array> {
  const url = new URL(index);
  url.pathname = index.pathname.replace(/[^/]*$/, path.split('/').map(encodeURIComponent).join('/'));
  const pieces: Uint8Array[] = [];
  const most = replayLimits.segmentBytes;
  const { signal } = new AbortController();
  const onProgress = () => undefined;
  for await (const piece of fetchSharedFile(url, { what, most, signal, onProgress })) pieces.push(piece);
  return joinBytes(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}
