import { SandboxError } from '../../protocol/errors.ts';
import { openRecording, openRecordingFolder } from '../../recording/read/open-recording.ts';
import type { Recording } from '../../recording/read/recording.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { fetchSharedFile, parseSharedUrl } from '../elements/share/fetch-shared-file.ts';
import type { ReplaySource } from '../transports/replay-link.ts';
import { replayLimits } from './limits.ts';

interface OpenOptions {
  /** The page's address, against which that of a recording is read. */
  readonly site: string;
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

const what = 'the recording';

/** Opens a recording wherever it is. @throws invalid-argument, asset-unavailable, limit-exceeded, timeout, version-mismatch */
export async function openSource(source: ReplaySource, options: OpenOptions): Promise<Recording> {
  switch (source.type) {
    case 'file':
      return openBlob(source.file, options);
    case 'folder':
      return openRecordingFolder((path) => readFrom(source.files, path));
    case 'url': {
      const url = parseSharedUrl(source.url, options.site, what);
      if (!url.pathname.endsWith('/index.json')) return openBlob(await fetchBlob(url, options), options);
      return openRecordingFolder((path) => fetchSegment(path, url));
    }
  }
}

/** The browser may keep it on disk, and gives parts of it. */
function openBlob(blob: Blob, { signal, onProgress }: OpenOptions): Promise<Recording> {
  const read = async (from: number, to: number) => new Uint8Array(await blob.slice(from, to).arrayBuffer());
  const tell = (share: number): void => onProgress(Math.round(share * blob.size), blob.size);
  return openRecording({ sizeBytes: blob.size, read }, { signal, onProgress: tell });
}

async function fetchBlob(url: URL, { signal, onProgress }: OpenOptions): Promise<Blob> {
  const pieces: BlobPart[] = [];
  const most = replayLimits.fileBytes;
  for await (const piece of fetchSharedFile(url, { what, most, signal, onProgress }))
    pieces.push(piece as Uint8Array<ArrayBuffer>);
  return new Blob(pieces);
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
