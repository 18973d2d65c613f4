import { ShellError } from '../shell-error.ts';
import { HeldFile } from './held-file.ts';
import type { OpenFile } from './open-file.ts';

export interface CallbackOutputOptions {
  /** Gets each write's bytes, which it may keep. The writer waits for what it answers, until its signal is aborted. */
  readonly onBytes: (bytes: Uint8Array) => void | Promise<void>;
  /** Called once, when the last process that could write has let go. */
  readonly onClose?: () => void;
  readonly isTerminal?: boolean;
}

/** Output that goes to the client as it is written. */
export class CallbackOutput extends HeldFile implements OpenFile {
  readonly type = 'stream';
  readonly isTerminal: boolean;
  readonly #options: CallbackOutputOptions;

  constructor(options: CallbackOutputOptions) {
    super();
    this.#options = options;
    this.isTerminal = options.isTerminal ?? false;
  }

  read(): Promise<Uint8Array> {
    return Promise.reject(new ShellError('EBADF'));
  }

  unread(): void {}

  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.checkHeld();
    if (bytes.length === 0) return;
    const taken = this.#options.onBytes(bytes.slice());
    if (taken) await untilAborted(taken, signal);
  }

  protected close(): void {
    this.#options.onClose?.();
  }
}

/** What the client answers, unless the signal is aborted before: a client that never answers keeps nobody. */
function untilAborted(answer: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
