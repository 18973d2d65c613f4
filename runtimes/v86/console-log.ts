const keptCharacters = 16_384;
/** The last words of a kernel, as kernel/panic.c, kernel/reboot.c and drivers/tty/sysrq.c have them. */
const panicPattern = /Kernel panic - not syncing: ?([^\r\n]*)/;
const haltPattern = /(?:reboot|sysrq): (Restarting system|System halted|Power down|Resetting)/;

/** The guest kernel's console: keeps its tail and notices its end. What it says is data (H-9). */
export class ConsoleLog {
  /** Called once, with the kernel's own words. */
  onStop: (reason: string) => void = () => {};
  #text = '';
  #line = '';
  #stopped = false;

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
    const reason = this.#stopped ? undefined : lastWords(this.#line);
    this.#line = '';
    if (reason === undefined) return;
    this.#stopped = true;
    this.onStop(reason);
  }
}

function lastWords(line: string): string | undefined {
  const panic = panicPattern.exec(line)?.[1];
  return panic === undefined ? haltPattern.exec(line)?.[1] : `kernel panic: ${panic}`;
}
