const keptCharacters = 16_384;
const panicPattern = /Kernel panic - not syncing: ?([^\r\n]*)/;

/** The guest kernel's console: keeps its tail and notices a panic. What it says is data (H-9). */
export class ConsoleLog {
  /** Called once, with the kernel's own words. */
  onPanic: (reason: string) => void = () => {};
  #text = '';
  #line = '';
  #panicked = false;

  get tail(): string {
    return this.#text;
  }

  push(byte: number): void {
    const character = String.fromCharCode(byte);
    this.#text += character;
    if (this.#text.length > 2 * keptCharacters) this.#text = this.#text.slice(-keptCharacters);
    if (character !== '\n') {
      if (this.#line.length < 1024) this.#line += character;
      return;
    }
    const panic = this.#panicked ? null : panicPattern.exec(this.#line);
    this.#line = '';
    if (!panic) return;
    this.#panicked = true;
    this.onPanic(panic[1] ?? '');
  }
}
