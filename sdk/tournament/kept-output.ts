import { limits } from '../../protocol/limits.ts';

/** The beginning and the end of what a command prints, and how much is left out between them. */
export class KeptOutput {
  readonly #half: number;
  #start = '';
  #end = '';
  #left = 0;

  constructor(most: number = limits.tournamentOutputCharacters) {
    this.#half = Math.floor(most / 2);
  }

  push(text: string): void {
    const room = this.#half - this.#start.length;
    this.#start += text.slice(0, room);
    this.#end += text.slice(room);
    // Cut once in a while: each cut copies the end.
    if (this.#end.length > 4 * this.#half) this.#cut();
  }

  text(): string {
    this.#cut();
    if (this.#left === 0) return this.#start + this.#end;
    return `${this.#start}\n[${this.#left} characters left out]\n${this.#end}`.toWellFormed();
  }

  #cut(): void {
    const surplus = this.#end.length - this.#half;
    if (surplus <= 0) return;
    this.#left += surplus;
    this.#end = this.#end.slice(surplus);
  }
}
