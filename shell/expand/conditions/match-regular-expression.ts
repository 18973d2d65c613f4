import { MatchWork } from '../patterns/pattern.ts';
import { holds, type RegexNode, type RegularExpression } from './regular-expression.ts';

/** Start and end of the match, then of each group; `-1` of a group that matched nothing. */
export type Captures = readonly number[];

type Instruction =
  | { readonly type: 'character'; readonly matches: (character: string) => boolean }
  | { readonly type: 'assertion'; readonly kind: Extract<RegexNode, { type: 'assertion' }>['kind'] }
  | { readonly type: 'save'; readonly slot: number }
  | { readonly type: 'back-reference'; readonly index: number }
  | { type: 'split'; first: number; second: number }
  | { type: 'jump'; to: number }
  | { readonly type: 'match' };

const mostInstructions = 20_000;
/** Steps of a match with back references, which may go every way there is. */
const mostSteps = 1_000_000;

/** What a step of a match counts for, beside the positions that it looks at. */
const stepWork = 4;

/**
 * The leftmost match, and of those the longest; `undefined` of none.
 * @throws RangeError of an expression that is too large; ShellLimitError
 */
export function matchRegularExpression(
  expression: RegularExpression,
  text: readonly string[],
): Captures | undefined {
  const program = new Compiler().compile(expression.root);
  const slots = (expression.groups + 1) * 2;
  if (expression.hasBackReferences) return new Backtracking(program, text, slots).match();
  return matchSimultaneously(program, text, slots);
}

class Compiler {
  readonly #program: Instruction[] = [];

  compile(root: RegexNode): readonly Instruction[] {
    this.#add({ type: 'save', slot: 0 });
    this.#node(root);
    this.#add({ type: 'save', slot: 1 });
    this.#add({ type: 'match' });
    return this.#program;
  }

  #add<Added extends Instruction>(instruction: Added): Added {
    if (this.#program.length >= mostInstructions) throw new RangeError('the regular expression is too large');
    this.#program.push(instruction);
    return instruction;
  }

  get #here(): number {
    return this.#program.length;
  }

  #node(node: RegexNode): void {
    switch (node.type) {
      case 'character':
      case 'assertion':
      case 'back-reference':
        this.#add(node);
        break;
      case 'sequence':
        for (const one of node.nodes) this.#node(one);
        break;
      case 'group':
        this.#add({ type: 'save', slot: node.index * 2 });
        this.#node(node.body);
        this.#add({ type: 'save', slot: node.index * 2 + 1 });
        break;
      case 'alternatives':
        this.#alternatives(node.nodes);
        break;
      case 'repeat':
        this.#repeat(node);
        break;
    }
  }

  #alternatives(nodes: readonly RegexNode[]): void {
    const jumps: { type: 'jump'; to: number }[] = [];
    for (const [index, node] of nodes.entries()) {
      if (index === nodes.length - 1) this.#node(node);
      else {
        const split = this.#add({ type: 'split', first: this.#here + 1, second: 0 });
        this.#node(node);
        jumps.push(this.#add({ type: 'jump', to: 0 }));
        split.second = this.#here;
      }
    }
    for (const jump of jumps) jump.to = this.#here;
  }

  #repeat({ body, least, most }: Extract<RegexNode, { type: 'repeat' }>): void {
    for (let count = 0; count < least; count++) this.#node(body);
    if (most === Number.POSITIVE_INFINITY) {
      const split = this.#add({ type: 'split', first: this.#here + 1, second: 0 });
      const start = this.#here - 1;
      this.#node(body);
      this.#add({ type: 'jump', to: start });
      split.second = this.#here;
      return;
    }
    const splits: { second: number }[] = [];
    for (let count = least; count < most; count++) {
      splits.push(this.#add({ type: 'split', first: this.#here + 1, second: 0 }));
      this.#node(body);
    }
    for (const split of splits) split.second = this.#here;
  }
}

interface Thread {
  readonly at: number;
  readonly captures: Captures;
}

/** All ways at once, one character after the other (Thompson, Pike): no expression takes longer than its length times the text's. */
function matchSimultaneously(
  program: readonly Instruction[],
  text: readonly string[],
  slots: number,
): Captures | undefined {
  const none: Captures = Array.from({ length: slots }, () => -1);
  const work = new MatchWork();
  let threads: Thread[] = [];
  let best: Captures | undefined;
  for (let position = 0; position <= text.length; position++) {
    const step = new ThreadList(program, { text, position, work });
    for (const thread of threads) step.add(thread.at, thread.captures);
    if (!best) step.add(0, none);
    // The longest match wins, and of those as long the one that was preferred.
    if (step.matched && (best?.[1] ?? -1) < position) best = step.matched;
    if (best) step.threads = step.threads.filter(({ captures }) => captures[0] === best?.[0]);
    if (step.threads.length === 0 && best) return best;
    const character = text[position];
    threads = [];
    for (const { at, captures } of step.threads) {
      const instruction = program[at];
      const isMatch =
        character !== undefined && instruction?.type === 'character' && instruction.matches(character);
      if (isMatch) threads.push({ at: at + 1, captures });
    }
  }
  return best;
}

/** Where the ways stand before a character, in the order of preference. */
class ThreadList {
  readonly #program: readonly Instruction[];
  readonly #text: readonly string[];
  readonly #position: number;
  readonly #work: MatchWork;
  readonly #visited: Uint8Array;
  threads: Thread[] = [];
  matched: Captures | undefined;

  constructor(
    program: readonly Instruction[],
    { text, position, work }: { text: readonly string[]; position: number; work: MatchWork },
  ) {
    this.#program = program;
    this.#text = text;
    this.#position = position;
    this.#work = work;
    work.count(stepWork + program.length / 8);
    this.#visited = new Uint8Array(program.length);
  }

  add(from: number, captures: Captures): void {
    const waiting: Thread[] = [{ at: from, captures }];
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) this.#follow(thread, waiting);
  }

  #follow(thread: Thread, waiting: Thread[]): void {
    const { at, captures } = thread;
    const instruction = this.#program[at];
    if (!instruction || this.#visited[at] === 1) return;
    this.#visited[at] = 1;
    this.#work.count(stepWork + (instruction.type === 'save' ? captures.length : 0));
    switch (instruction.type) {
      case 'split':
        waiting.push({ at: instruction.second, captures }, { at: instruction.first, captures });
        break;
      case 'jump':
        waiting.push({ at: instruction.to, captures });
        break;
      case 'save':
        waiting.push({ at: at + 1, captures: captures.with(instruction.slot, this.#position) });
        break;
      case 'assertion':
        if (holds(instruction.kind, this.#text[this.#position - 1], this.#text[this.#position])) {
          waiting.push({ at: at + 1, captures });
        }
        break;
      case 'match':
        this.matched ??= captures;
        break;
      default:
        this.threads.push(thread);
    }
  }
}

/** One way after the other, since what a back reference matches depends on the way. */
class Backtracking {
  readonly #program: readonly Instruction[];
  readonly #text: readonly string[];
  readonly #slots: number;
  readonly #work: MatchWork = new MatchWork();
  #steps = 0;

  constructor(program: readonly Instruction[], text: readonly string[], slots: number) {
    this.#program = program;
    this.#text = text;
    this.#slots = slots;
  }

  match(): Captures | undefined {
    for (let start = 0; start <= this.#text.length; start++) {
      const captures = this.#from(start);
      if (captures) return captures;
    }
    return undefined;
  }

  #from(start: number): Captures | undefined {
    const none: Captures = Array.from({ length: this.#slots }, () => -1);
    const waiting: (Thread & { position: number })[] = [{ at: 0, captures: none, position: start }];
    let best: Captures | undefined;
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
      this.#steps += 1;
      if (this.#steps > mostSteps) return best;
      const instruction = this.#program[thread.at];
      if (instruction?.type === 'match') {
        if ((best?.[1] ?? -1) < (thread.captures[1] ?? -1)) best = thread.captures;
      } else if (instruction) this.#step(instruction, thread, waiting);
    }
    return best;
  }

  #step(
    instruction: Exclude<Instruction, { type: 'match' }>,
    { at, captures, position }: Thread & { position: number },
    waiting: (Thread & { position: number })[],
  ): void {
    const next = { at: at + 1, captures, position };
    switch (instruction.type) {
      case 'split':
        waiting.push({ ...next, at: instruction.second }, { ...next, at: instruction.first });
        break;
      case 'jump':
        waiting.push({ ...next, at: instruction.to });
        break;
      case 'save':
        waiting.push({ ...next, captures: captures.with(instruction.slot, position) });
        break;
      case 'assertion':
        if (holds(instruction.kind, this.#text[position - 1], this.#text[position])) waiting.push(next);
        break;
      case 'character': {
        const character = this.#text[position];
        if (character !== undefined && instruction.matches(character))
          waiting.push({ ...next, position: position + 1 });
        break;
      }
      case 'back-reference': {
        const from = captures[instruction.index * 2] ?? -1;
        const end = captures[instruction.index * 2 + 1] ?? -1;
        if (from < 0 || end < 0) break;
        let length = 0;
        while (from + length < end && this.#text[from + length] === this.#text[position + length])
          length += 1;
        this.#work.count(length);
        if (length === end - from) waiting.push({ ...next, position: position + length });
        break;
      }
    }
  }
}
