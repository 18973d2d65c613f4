import { toBase64 } from '../../recording/format/base64.ts';
import type { RecordedSnapshot, RecordingEvent } from '../../recording/format/recording-event.ts';
import { recordingLimits } from '../../recording/limits.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { describeRecorded } from './describe-recorded.ts';

/** A snapshot, and its mark for public players. Its objects are there already. */
export function snapshotEvents(snapshot: HistorySnapshot): readonly RecordingEvent[] {
  const recorded = describeRecorded(snapshot);
  return [recorded, { type: 'marker', label: markerOf(recorded) }];
}

/** A piece of an export; an empty one is the last. */
export function objectsEvents(snapshot: SnapshotId, piece: Uint8Array): readonly RecordingEvent[] {
  if (piece.length === 0) return [{ type: 'objects', snapshot, data: '', isLast: true }];
  return [{ type: 'objects', snapshot, data: toBase64(piece) }];
}

/** The same bytes, in pieces as events have them, and an empty one at the end. */
export async function* inPieces(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(recordingLimits.objectsPieceBytes);
  let length = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const count = Math.min(part.length - at, piece.length - length);
      piece.set(part.subarray(at, at + count), length);
      at += count;
      length += count;
      if (length < piece.length) continue;
      yield piece;
      length = 0;
    }
  }
  if (length > 0) yield piece.subarray(0, length);
  yield new Uint8Array(0);
}

/** One line, which names the snapshot at its end, in the lists of public players. */
function markerOf({ label, id }: RecordedSnapshot): string {
  const line = label.replaceAll(/\s+/g, ' ').trim();
  const most = recordingLimits.markerCharacters;
  const shown = line.length <= most ? line : `${line.slice(0, most - 1)}…`;
  return `${shown} (${id.slice(0, 12)})`;
}
