import { joinBytes } from '../../tree/join-bytes.ts';
import { recordingLimits } from '../limits.ts';
import { refuseRecording } from '../recording-error.ts';

const lineFeed = 10;

/** Cuts bytes that come in pieces into whole lines. Holds the beginning of one line. */
export class LineReader {
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #line = 1;

  /** The whole lines that end in `piece`, without their line feeds. @throws invalid-argument for a line that is too long */
  push(piece: Uint8Array): readonly string[] {
    const end = piece.lastIndexOf(lineFeed);
    if (end < 0) {
      this.#keep(piece);
      return [];
    }
    this.#keep(piece.subarray(0, piece.indexOf(lineFeed)));
    const first = this.end();
    const lines = first.length === 0 ? [''] : [first];
    const begin = piece.indexOf(lineFeed) + 1;
    if (end >= begin) lines.push(...textOf(piece.subarray(begin, end)).split('\n'));
    this.#line += lines.length;
    this.#keep(piece.subarray(end + 1));
    return lines;
  }

  /** What came after the last line feed; forgets it. */
  end(): string {
    const text = textOf(joinBytes(this.#rest, this.#restBytes));
    this.#rest = [];
    this.#restBytes = 0;
    return text;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#restBytes += piece.length;
    if (this.#restBytes > recordingLimits.lineBytes)
      throw refuseRecording(`it is longer than ${recordingLimits.lineBytes} bytes`, { line: this.#line });
    // A piece may be memory that its owner uses again.
    this.#rest.push(piece.slice());
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
