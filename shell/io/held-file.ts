import { ShellError } from '../shell-error.ts';

/** Counts who holds an open file. It starts with one holder, and `close` is called once, when the last one lets go. */
export abstract class HeldFile {
  #holders = 1;

  retain(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.close();
  }

  /** @throws ShellError EBADF once nobody holds it: a program may still be on its way when its process has ended */
  protected checkHeld(): void {
    if (this.#holders <= 0) throw new ShellError('EBADF');
  }

  protected abstract close(): void;
}
