import type { DescriptorTable } from '../io/descriptor-table.ts';
import type { Process } from '../processes/process-table.ts';
import { ShellError } from '../shell-error.ts';
import { encodeText, type ShellText } from '../text.ts';

/** What a shell itself writes: the output of its built-ins, and its messages. */
export class ShellOutput {
  readonly #descriptors: DescriptorTable;
  readonly #process: Process;
  /** Messages that could not be written yet: who made them does not wait. */
  #warnings: ShellText = '';

  constructor({ descriptors, process }: { descriptors: DescriptorTable; process: Process }) {
    this.#descriptors = descriptors;
    this.#process = process;
  }

  /** @throws ShellError EBADF, ENOSPC …; the signal's name where the pipe has no reader, as SIGPIPE does */
  async write(fd: number, bytes: Uint8Array): Promise<void> {
    if (this.#warnings !== '') await this.flush();
    const file = this.#descriptors.get(fd);
    if (!file) throw new ShellError('EBADF');
    try {
      await file.write(bytes, this.#process.signal);
    } catch (error) {
      if (error instanceof ShellError && error.code === 'EPIPE') {
        this.#process.send('SIGPIPE');
        this.#process.signal.throwIfAborted();
      }
      throw error;
    }
  }

  /** To standard error, if that can be written. */
  async writeMessage(text: ShellText): Promise<void> {
    try {
      await this.write(2, encodeText(text));
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
    }
  }

  warn(text: ShellText): void {
    this.#warnings += text;
  }

  async flush(): Promise<void> {
    const text = this.#warnings;
    this.#warnings = '';
    if (text !== '') await this.writeMessage(text);
  }
}
