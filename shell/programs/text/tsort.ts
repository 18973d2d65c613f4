import { decodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { nameInMessage, quoteName } from '../messages/quote-name.ts';
import { compareText } from '../order/compare-text.ts';
import type { Program } from '../program.ts';
import { readAll } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';

/** A name, and those that come after it: the one that was told last stands first. */
interface Item {
  readonly name: ShellText;
  readonly followers: Item[];
  /** How many before it are not printed yet. */
  waitsFor: number;
  isPrinted: boolean;
}

const mostTokens = 2_000_000;

export const tsort: Program = defineProgram({
  usage: '[OPTION] [FILE]',
  summary: 'Write totally ordered list consistent with the partial ordering in FILE.',
  async run(invocation) {
    const { call, operands } = invocation;
    const [name = '-', excess] = operands;
    if (excess !== undefined) throw new UsageError(`extra operand ${quoteName(excess)}`);
    let items: readonly Item[] = [];
    const isRead = await withInput(
      invocation,
      { name, opening: nameInMessage(name), reading: `${nameInMessage(name)}: read error` },
      async (file) => {
        items = itemsOf(decodeText(await readAll(file, call.signal)), name);
      },
    );
    return isRead ? await new Sorting(invocation, name).run(items) : 1;
  },
});

function itemsOf(text: ShellText, file: ShellText): readonly Item[] {
  const items = new Map<ShellText, Item>();
  const itemOf = (name: ShellText) => {
    const known = items.get(name);
    if (known) return known;
    const made: Item = { name, followers: [], waitsFor: 0, isPrinted: false };
    items.set(name, made);
    return made;
  };
  let before: Item | undefined;
  let tokens = 0;
  for (const [token] of text.matchAll(/[^ \t\n]+/g)) {
    tokens += 1;
    if (tokens > mostTokens) throw new ProgramError(`${file}: input contains more than ${mostTokens} tokens`);
    const item = itemOf(token);
    if (before && before !== item) {
      before.followers.push(item);
      item.waitsFor += 1;
    }
    before = before ? undefined : item;
  }
  if (before) throw new ProgramError(`${nameInMessage(file)}: input contains an odd number of tokens`);
  return [...items.values()].sort((a, b) => compareText(a.name, b.name));
}

class Sorting {
  readonly #invocation: Invocation<never>;
  readonly #file: ShellText;
  readonly #steps: Steps;

  constructor(invocation: Invocation<never>, file: ShellText) {
    this.#invocation = invocation;
    this.#file = file;
    this.#steps = new Steps(invocation.call.signal);
  }

  /** As GNU's tsort does it (Knuth, The Art of Computer Programming, 2.2.3), with the same order and the same loops. */
  async run(items: readonly Item[]): Promise<number> {
    const { out, warn } = this.#invocation;
    let left = items.length;
    let status = 0;
    while (left > 0) {
      const ready = items.filter(({ waitsFor, isPrinted }) => waitsFor === 0 && !isPrinted);
      for (let at = 0; at < ready.length; at++) {
        const item = ready[at];
        if (item === undefined) break;
        await out.write(`${item.name}\n`);
        item.isPrinted = true;
        left -= 1;
        for (const follower of item.followers.toReversed()) {
          follower.waitsFor -= 1;
          if (follower.waitsFor === 0) ready.push(follower);
        }
        if (this.#steps.isDue) await this.#steps.next();
      }
      if (left === 0) break;
      await warn(`${nameInMessage(this.#file)}: input contains a loop:`);
      status = 1;
      await this.#breakLoop(items);
    }
    return status;
  }

  /** Goes backwards from the first that waits until it comes to one that it has seen, and cuts there. */
  async #breakLoop(items: readonly Item[]): Promise<void> {
    /** What each of them was found to stand before. */
    const next = new Map<Item, Item | undefined>();
    let loop: Item | undefined;
    for (;;) {
      for (const item of items) {
        if (this.#steps.isDue) await this.#steps.next();
        if (item.waitsFor <= 0) continue;
        if (loop === undefined) {
          loop = item;
          continue;
        }
        const edge = item.followers.lastIndexOf(loop);
        if (edge < 0) continue;
        if (next.get(item) === undefined) {
          next.set(item, loop);
          loop = item;
          continue;
        }
        await this.#tell(loop, item, next);
        item.followers.splice(item.followers.lastIndexOf(loop), 1);
        loop.waitsFor -= 1;
        return;
      }
    }
  }

  async #tell(first: Item, last: Item, next: ReadonlyMap<Item, Item | undefined>): Promise<void> {
    for (let item: Item | undefined = first; item; item = next.get(item)) {
      await this.#invocation.warn(item.name);
      if (item === last) return;
    }
  }
}
