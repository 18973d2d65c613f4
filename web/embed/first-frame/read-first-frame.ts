import { SandboxError } from '../../../protocol/errors.ts';
import { firstTerminal } from '../../../recording/format/recording-event.ts';
import { readRecording } from '../../../recording/read/read-recording.ts';
import { embedLimits } from '../limits.ts';
import { PlainScreen } from './plain-screen.ts';

export interface FirstFrame {
  readonly screen: PlainScreen;
  /** Of the recording; data. */
  readonly title: string | undefined;
}

/** So much is asked for at a time, where the server gives parts. */
const rangeBytes = 16_384;

/**
 * What the first terminal of a recording shows `atSeconds` after its beginning, or as far as the first parts of the file go: no more
 * of it is loaded. @throws asset-unavailable, and what reading a recording throws
 */
export async function readFirstFrame(
  url: URL,
  { atSeconds, signal }: { readonly atSeconds: number; readonly signal: AbortSignal },
): Promise<FirstFrame> {
  const stream = await readRecording(readBeginning(url, signal));
  const { columns, rows, title } = stream.header;
  let screen = new PlainScreen(columns, rows);
  let hasText = false;
  try {
    for await (const { at, event } of stream.events()) {
      if (at > atSeconds && hasText) break;
      if (!('terminal' in event) || event.terminal !== firstTerminal) continue;
      if (event.type === 'keyframe' || event.type === 'resize')
        screen = new PlainScreen(event.columns, event.rows);
      if (event.type !== 'keyframe' && event.type !== 'output') continue;
      screen.write(event.data);
      hasText ||= /\S/.test(event.data);
    }
  } catch (error) {
    // A part that was asked for ends amid a line.
    if (!hasText) throw error;
  }
  return { screen, title };
}

/** The first bytes of a file, part by part, until its reader has enough or they are `embedLimits.firstFrameBytes`. */
async function* readBeginning(url: URL, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const stop = new AbortController();
  try {
    for (let from = 0; from < embedLimits.firstFrameBytes; from += rangeBytes) {
      const response = await fetch(url, {
        headers: { Range: `bytes=${from}-${from + rangeBytes - 1}` },
        signal: AbortSignal.any([signal, stop.signal]),
      }).catch((cause) => {
        throw new SandboxError('asset-unavailable', `${url.host} does not let this page read the recording`, {
          cause,
        });
      });
      // Past its end.
      if (response.status === 416) return;
      if (!response.ok || !response.body)
        throw new SandboxError(
          'asset-unavailable',
          `${url.host} answers ${response.status} for the recording`,
        );
      let sizeBytes = 0;
      for await (const piece of piecesOf(response.body)) {
        sizeBytes += piece.length;
        yield piece;
        if (sizeBytes >= embedLimits.firstFrameBytes) return;
      }
      if (response.status !== 206 || sizeBytes < rangeBytes) return;
    }
  } finally {
    stop.abort();
  }
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
