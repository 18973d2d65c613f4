import type { SessionStream } from '../format/session-stream.ts';
import { RecordingWriter } from '../write/recording-writer.ts';

/** A recording of ours, as the bytes of its file. @throws as `RecordingWriter.add` */
export async function* toRecording(
  { header, events }: SessionStream,
  { gzip }: { readonly gzip: boolean },
): AsyncGenerator<Uint8Array> {
  let written: Uint8Array[] = [];
  const take = () => {
    const pieces = written;
    written = [];
    return pieces;
  };
  const writer = new RecordingWriter(header, { gzip, write: (piece) => void written.push(piece) });
  for await (const { at, event } of events()) {
    writer.add(event, at);
    yield* take();
  }
  await writer.flush();
  yield* take();
}
