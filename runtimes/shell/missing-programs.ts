import { limits } from '../../protocol/limits.ts';

/** Names of other characters are none: people are shown them. */
const plainName = /^[\w.+@/-]+$/;

/** Programs that a process and those below it did not find, since they were last asked for: the first few. */
export class MissingPrograms {
  #names: Set<string> = new Set();

  note(name: string): void {
    if (this.#names.size >= limits.missingPrograms || name.length > limits.missingProgramCharacters) return;
    if (plainName.test(name)) this.#names.add(name);
  }

  /** As a field of an event; none where nothing was missing. */
  take(): { readonly missing?: readonly string[] } {
    if (this.#names.size === 0) return {};
    const missing = [...this.#names];
    this.#names = new Set();
    return { missing };
  }
}
