import type { ShellText } from '../../text.ts';

/**
 * Quotes of an expression while its expansions are done: outside subscripts they are dropped. In a subscript they stay, and what is
 * expanded there is quoted, since it may be a key with brackets in it.
 */
export class SubscriptQuotes {
  #depth = 0;
  #isQuoted = false;

  /** Text of the expression itself. */
  literal(text: string): ShellText {
    let kept = '';
    for (const character of text) {
      if (character === '"') {
        this.#isQuoted = !this.#isQuoted;
        if (this.#depth === 0) continue;
      } else if (!this.#isQuoted && character === '[') this.#depth += 1;
      else if (!this.#isQuoted && character === ']' && this.#depth > 0) this.#depth -= 1;
      kept += character;
    }
    return kept;
  }

  /** What an expansion has given. */
  protect(text: ShellText): ShellText {
    if (this.#depth === 0) return text;
    return text.replace(this.#isQuoted ? /[$`"\\]/g : /[[\]$`"'\\]/g, '\\$&');
  }
}
