import type { SessionStream } from '../format/session-stream.ts';
import { Keyframes } from '../write/keyframes.ts';
import { RecordingWriter } from '../write/recording-writer.ts';

/** A recording of ours, as the bytes of its file, with keyframes where the session has none. @throws as `RecordingWriter.add` */
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
  using keyframes = new Keyframes(header);
  let hasKeyframes = false;
  for await (const { at, event } of events()) {
    writer.add(event, at);
    hasKeyframes ||= event.type === 'keyframe';
    const keyframe = hasKeyframes ? undefined : keyframes.after(event, at);
    if (keyframe) writer.add(keyframe, at);
    await keyframes.loaded();
    await writer.written();
    yield* take();
  }
  await writer.flush();
  yield* take();
}
