import { limits } from '../../protocol/limits.ts';

/** What a terminal had shown at an instant: the last piece, and those before it. A value, but for what is too old. */
export interface OutputMark {
  readonly bytes: Uint8Array;
  before: OutputMark | undefined;
}

/** The last of what a terminal has shown, at any instant that was marked. */
export class TerminalOutput {
  #last: OutputMark | undefined;
  #open: Uint8Array[] = [];
  #openBytes = 0;

  append(bytes: Uint8Array): void {
    this.#open.push(bytes.slice());
    this.#openBytes += bytes.length;
    if (this.#openBytes >= limits.terminalOutputBytes / 4) this.mark();
  }

  /** What it has shown by now. */
  mark(): OutputMark | undefined {
    if (this.#openBytes === 0) return this.#last;
    this.#last = { bytes: join(this.#open, this.#openBytes), before: this.#last };
    this.#open = [];
    this.#openBytes = 0;
    forgetBefore(this.#last);
    return this.#last;
  }

  /** It shows what it showed then. */
  restore(mark: OutputMark | undefined): void {
    this.#open = [];
    this.#openBytes = 0;
    this.#last = mark;
  }
}

/**
 * Questions that a program asks its terminal: what it is, where its cursor is, its colours and capabilities (ECMA-48
 * DA and DSR, and xterm's OSC and DCS). A terminal that is shown them again would answer them, as if somebody typed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const questions = /\x1b\[[?>=]?[\d;]*[cn]|\x1b\][\d;]*\?(?:\x07|\x1b\\)|\x1bP[+$]q[^\x1b]*\x1b\\/g;

/** The last of it, at most `most` bytes: from the beginning of a line, where it is cut. */
export function shownAt(mark: OutputMark | undefined, most: number = limits.terminalOutputBytes): Uint8Array {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let from = mark;
  for (; from && bytes < most; from = from.before) {
    pieces.unshift(from.bytes);
    bytes += from.bytes.length;
  }
  const whole = withoutQuestions(join(pieces, bytes));
  if (whole.length <= most && from === undefined) return whole;
  const cut = whole.subarray(Math.max(0, whole.length - most));
  return cut.subarray(cut.indexOf(newLine) + 1);
}

const newLine = 10;
const escapeByte = 0x1b;

function withoutQuestions(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(escapeByte)) return bytes;
  // One character for each byte.
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return Uint8Array.from(text.replace(questions, ''), (character) => character.charCodeAt(0));
}

function forgetBefore(mark: OutputMark): void {
  let bytes = 0;
  for (let at: OutputMark | undefined = mark; at; at = at.before) {
    bytes += at.bytes.length;
    if (bytes > limits.terminalOutputBytes) at.before = undefined;
  }
}

function join(pieces: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
