import { joinBytes } from '../../tree/join-bytes.ts';
import type {
  CopiedFile,
  FileChange,
  FromProgram,
  ProgramStart,
  Question,
  ToProgram,
} from '../programs/wasm/program-worker.ts';
import type { ErrorName } from '../shell-error.ts';
import { ShellError } from '../shell-error.ts';
import { encodeText, type ShellText } from '../text.ts';

/** Output is gathered up to so many bytes and milliseconds. */
const gatheredBytes = 65_536;
const gatheredMs = 10;

export interface ProgramPort {
  post(message: FromProgram): void;
  onMessage(listener: (message: ToProgram) => void): void;
}

/** What a program has of its process, from within its thread. */
export class ProgramContext {
  readonly start: ProgramStart;
  readonly #port: ProgramPort;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #gathered: { fd: 1 | 2; pieces: Uint8Array[]; bytes: number } = { fd: 1, pieces: [], bytes: 0 };
  #postedMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: ProgramStart, port: ProgramPort) {
    this.start = start;
    this.#port = port;
  }

  /** What is written in quick succession goes on together. */
  writeBytes(fd: 1 | 2, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (fd !== this.#gathered.fd) this.flush();
    this.#gathered.fd = fd;
    this.#gathered.pieces.push(bytes);
    this.#gathered.bytes += bytes.length;
    const now = performance.now();
    if (this.#gathered.bytes >= gatheredBytes || now - this.#postedMs > gatheredMs) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatheredMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { fd, pieces, bytes } = this.#gathered;
    if (bytes === 0) return;
    this.#gathered = { fd, pieces: [], bytes: 0 };
    this.#postedMs = performance.now();
    this.#port.post({ type: 'output', fd, bytes: joinBytes(pieces, bytes) });
  }

  write(fd: 1 | 2, text: ShellText): void {
    this.writeBytes(fd, encodeText(text));
  }

  async readStdin(): Promise<Uint8Array> {
    return bytesOf(await this.#ask({ type: 'stdin' }));
  }

  /** @throws ShellError */
  async readFile(path: ShellText): Promise<Uint8Array> {
    return bytesOf(await this.#ask({ type: 'read', path }));
  }

  /** A copy of all files. */
  async copyFiles(): Promise<readonly CopiedFile[]> {
    const files = await this.#ask({ type: 'files' });
    return Array.isArray(files) ? files : [];
  }

  /** @throws ShellError */
  async change(change: FileChange): Promise<void> {
    await this.#ask({ type: 'change', change });
  }

  /** Takes an answer of the process. */
  onAnswer(id: number, answer: { readonly value: unknown } | { readonly code: ErrorName }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('code' in answer) waiting?.reject(new ShellError(answer.code));
    else waiting?.resolve(answer.value);
  }

  #ask(question: Question): Promise<unknown> {
    const id = questions++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.flush();
    this.#port.post({ type: 'question', id, question });
    return waiting.promise;
  }
}

/** Of all programs of this thread: a late answer is for none of the next one's questions. */
let questions = 0;

function bytesOf(answer: unknown): Uint8Array {
  return answer instanceof Uint8Array ? answer : new Uint8Array(0);
}
