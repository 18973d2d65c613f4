import { ShellError } from '../shell-error.ts';
import { HeldFile } from './held-file.ts';
import type { OpenFile } from './open-file.ts';

export interface CallbackOutputOptions {
  /** Gets each write's bytes, which it may keep. The writer waits for what it answers. */
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
    if (bytes.length > 0) await this.#options.onBytes(bytes.slice());
  }

  protected close(): void {
    this.#options.onClose?.();
  }
}
