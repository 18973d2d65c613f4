import { SandboxError } from '../../../protocol/errors.ts';
import { embedLimits } from '../limits.ts';

/**
 * The file of a recording, or those of a folder of segments where its address ends with `index.json`: this page reads them, with its own rights.
 * @throws asset-unavailable, limit-exceeded
 */
export async function fetchRecording(url: URL, signal: AbortSignal): Promise<readonly File[]> {
  const room = { bytes: embedLimits.recordingBytes };
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  const file = await fetchFile(url, { name, signal, room });
  if (name !== 'index.json') return [file];
  const files = [file];
  for (const path of segmentsOf(await file.text())) {
    // A path of the index leads into its folder.
    const segment = new URL(path.split('/').map(encodeURIComponent).join('/'), url);
    files.push(await fetchFile(segment, { name: path, signal, room }));
  }
  return files;
}

/** @throws limit-exceeded, and Error where it is no index */
function segmentsOf(index: string): string[] {
  const { segments } = Object(JSON.parse(index)) as { readonly segments?: unknown };
  const paths = Array.isArray(segments) ? segments.map((segment) => String(Object(segment).url)) : [];
  if (paths.length < embedLimits.recordingFiles) return paths;
  throw new SandboxError('limit-exceeded', 'Cannot play the recording: its folder has too many segments');
}

async function fetchFile(
  url: URL,
  {
    name,
    signal,
    room,
  }: { readonly name: string; readonly signal: AbortSignal; readonly room: { bytes: number } },
): Promise<File> {
  const response = await fetch(url, { signal }).catch((cause) => {
    throw new SandboxError('asset-unavailable', `${url.host} does not let this page read the recording`, {
      cause,
    });
  });
  if (!response.ok)
    throw new SandboxError('asset-unavailable', `${url.host} answers ${response.status} for the recording`);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    room.bytes -= read.value.length;
    if (room.bytes < 0) {
      await reader?.cancel();
      throw new SandboxError('limit-exceeded', `The recording at ${url.host} is too large for an embed`);
    }
    pieces.push(read.value);
  }
  return new File(pieces, name);
}
