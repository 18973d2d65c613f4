import { type Fields, textIn } from '../fields.ts';
import { importLimits } from '../limits.ts';

interface TreePlace {
  readonly id?: string;
  readonly parent?: string;
}

/** Lines are a tree by `parentUuid`, and only some are messages: finds the message above each. */
export class MessageTree {
  /** The nearest message at or above a line, by the line's id. */
  readonly #nearest = new Map<string, string | undefined>();

  /** A line that becomes a message. `root`: what is above one without a parent. */
  place(line: Fields, root?: string): TreePlace {
    const id = textIn(line, 'uuid');
    const parent = this.#above(line) ?? root;
    if (id !== undefined) this.#note(id, id);
    return { ...(id === undefined ? {} : { id }), ...(parent === undefined ? {} : { parent }) };
  }

  /** A line that becomes none. */
  pass(line: Fields): void {
    const id = textIn(line, 'uuid');
    if (id !== undefined) this.#note(id, this.#above(line));
  }

  /** The message that a line is, or belongs to. */
  nearest(line: Fields): string | undefined {
    return this.#nearest.get(textIn(line, 'uuid') ?? '');
  }

  #above(line: Fields): string | undefined {
    return this.#nearest.get(textIn(line, 'parentUuid') ?? '');
  }

  #note(id: string, message: string | undefined): void {
    if (this.#nearest.size >= importLimits.treeNodes) {
      const [oldest] = this.#nearest.keys();
      if (oldest !== undefined) this.#nearest.delete(oldest);
    }
    this.#nearest.set(id, message);
  }
}
