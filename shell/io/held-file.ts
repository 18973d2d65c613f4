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

  protected abstract close(): void;
}
