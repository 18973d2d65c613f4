/** A command that a shell in the sandbox is about to run, or has run. Text is data (H-9). */
export type CommandMark =
  | { readonly type: 'start'; readonly command: string }
  | { readonly type: 'end'; readonly exitCode: number };

/** Longest mark that is recognised; a longer one passes through, and a terminal ignores it. */
const maxMarkBytes = 16_384;
/** `ESC ] 6973 ;`: a private OSC (ECMA-48, 8.3.89), written by guest/rootfs/etc/coppice/bashrc. */
const prefix = Uint8Array.of(0x1b, ...Array.from(']6973;', (character) => character.charCodeAt(0)));
const escapeByte = 0x1b;
const bellByte = 0x07;
const none = new Uint8Array(0);
const decoder = new TextDecoder();

/**
 * Takes the shell's command marks out of a terminal's byte stream and reports them. The stream may be cut anywhere;
 * at most `maxMarkBytes` are held back. Everything but a complete, well-formed mark passes through unchanged.
 */
export class CommandMarks {
  readonly #onMark: (mark: CommandMark, at: number) => void;
  /** Bytes that may be the beginning of a mark. */
  #held: Uint8Array = none;

  /** `onMark` is told how many of the bytes that `filter` answers come before the mark. */
  constructor(onMark: (mark: CommandMark, at: number) => void) {
    this.#onMark = onMark;
  }

  /** The bytes to show. May be a view of `bytes`. */
  filter(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0 && !bytes.includes(escapeByte)) return bytes;
    const input = concatenate([this.#held, bytes]);
    this.#held = none;
    const shown: Uint8Array[] = [];
    let from = 0;
    for (let at = input.indexOf(escapeByte); at >= 0; at = input.indexOf(escapeByte, at)) {
      const end = findEnd(input, at);
      if (end === 'incomplete') {
        this.#held = input.slice(at);
        shown.push(input.subarray(from, at));
        return concatenate(shown);
      }
      const mark = end === 'malformed' ? undefined : parseMark(input.subarray(at + prefix.length, end));
      if (mark && end !== 'malformed') {
        shown.push(input.subarray(from, at));
        this.#onMark(
          mark,
          shown.reduce((sum, { length }) => sum + length, 0),
        );
        from = end + 1;
        at = from;
      } else {
        at++;
      }
    }
    shown.push(input.subarray(from));
    return concatenate(shown);
  }

  /** The held-back bytes, at the end of the stream. */
  flush(): Uint8Array {
    const held = this.#held;
    this.#held = none;
    return held;
  }
}

/** The position of the BEL of the mark that begins at `start`. */
function findEnd(bytes: Uint8Array, start: number): number | 'incomplete' | 'malformed' {
  const limit = Math.min(bytes.length, start + maxMarkBytes);
  for (let at = start; at < limit; at++) {
    const expected = prefix[at - start];
    if (expected !== undefined) {
      if (bytes[at] !== expected) return 'malformed';
    } else if (bytes[at] === bellByte) {
      return at;
    } else if (bytes[at] === escapeByte) {
      return 'malformed';
    }
  }
  return limit === bytes.length && bytes.length < start + maxMarkBytes ? 'incomplete' : 'malformed';
}

function parseMark(body: Uint8Array): CommandMark | undefined {
  const text = decoder.decode(body);
  if (/^D;\d{1,3}$/.test(text)) return { type: 'end', exitCode: Number(text.slice(2)) };
  if (!text.startsWith('C;')) return undefined;
  // As `history 1` prints it; CR parts its lines, of older guests CR LF.
  const line = text.slice(2).replaceAll(/\r\n?/g, '\n');
  return { type: 'start', command: line.replace(/^\s*\d+[* ]? */, '').replace(/\n$/, '') };
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = pieces.filter((piece) => piece.length > 0);
  if (!only) return none;
  if (others.length === 0) return only;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
