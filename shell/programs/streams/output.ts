import { WorkSlices } from '../../../tree/next-task.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';

const bufferedBytes = 65_536;

/** Output that is written in large pieces. Whoever adds in a loop looks at `isFull` and flushes. */
export class Output {
  readonly #file: OpenFile;
  readonly #signal: AbortSignal;
  readonly #slices: WorkSlices = new WorkSlices();
  #pieces: Uint8Array[] = [];
  #text: ShellText = '';
  #size = 0;

  constructor(file: OpenFile, signal: AbortSignal) {
    this.#file = file;
    this.#signal = signal;
  }

  add(text: ShellText): void {
    this.#text += text;
    this.#size += text.length;
  }

  /** Keeps the bytes: they must not change afterwards. */
  addBytes(bytes: Uint8Array): void {
    this.#foldText();
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  get isFull(): boolean {
    return this.#size >= bufferedBytes;
  }

  /** Adds, and flushes if there is enough. */
  async write(text: ShellText): Promise<void> {
    this.add(text);
    if (this.isFull) await this.flush();
  }

  async writeBytes(bytes: Uint8Array): Promise<void> {
    this.addBytes(bytes);
    if (this.isFull) await this.flush();
  }

  /** Writes what there is. Lets others have the thread now and then. @throws ShellError EPIPE, ProgramError */
  async flush(): Promise<void> {
    if (this.#size === 0) return;
    this.#foldText();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#size = 0;
    try {
      for (const piece of joinSmall(pieces)) await this.#file.write(piece, this.#signal);
    } catch (error) {
      if (!(error instanceof ShellError) || error.code === 'EPIPE') throw error;
      throw new ProgramError(`write error: ${error.message}`);
    }
    await this.#slices.end();
    this.#signal.throwIfAborted();
  }

  #foldText(): void {
    if (this.#text === '') return;
    this.#pieces.push(encodeText(this.#text));
    this.#text = '';
  }
}

function joinSmall(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  if (pieces.length < 2) return pieces;
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const joined = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return [joined];
}
