import { ShellLimitError } from '../../shell-error.ts';
import type { AssertionKind, RegexNode } from './regex-node.ts';

type Instruction =
  | { readonly type: 'set'; readonly matches: (character: string) => boolean }
  | { readonly type: 'assertion'; readonly kind: AssertionKind }
  | { readonly type: 'save'; readonly slot: number }
  | { type: 'split'; first: number; second: number }
  | { type: 'jump'; to: number }
  /** What a group matched, once more. */
  | { readonly type: 'reference'; readonly group: number }
  /** Goes on only if something was matched since the slot was saved: else a loop would not end. */
  | { readonly type: 'progress'; readonly slot: number }
  | { readonly type: 'match' };

export type RegexProgram = readonly Instruction[];

const mostInstructions = 50_000;
/** Instructions that one search may follow (some hundred milliseconds). */
const mostSteps = 1e7;

interface CompileRules {
  readonly ignoresCase: boolean;
  /** The first slot for where a loop's round began: given where ways are tried one after the other. */
  readonly loopSlot?: number;
}

/**
 * An expression as instructions for `matchSimultaneously`, or for `matchByBacktracking` where there is a `loopSlot`.
 *
 * @throws ShellLimitError of one that is too large
 */
export function compileProgram(root: RegexNode, { ignoresCase, loopSlot }: CompileRules): RegexProgram {
  let nextLoopSlot = loopSlot;
  const program: Instruction[] = [];
  const add = <Added extends Instruction>(instruction: Added): Added => {
    if (program.length >= mostInstructions)
      throw new ShellLimitError('pattern', 'a regular expression is too big');
    program.push(instruction);
    return instruction;
  };
  const compile = (node: RegexNode): void => {
    switch (node.type) {
      case 'set':
        add({ type: 'set', matches: setTest(node.source, ignoresCase) });
        break;
      case 'assertion':
        add({ type: 'assertion', kind: node.kind });
        break;
      case 'group':
        add({ type: 'save', slot: node.index * 2 });
        compile(node.body);
        add({ type: 'save', slot: node.index * 2 + 1 });
        break;
      case 'sequence':
        node.nodes.forEach(compile);
        break;
      case 'alternatives': {
        const jumps: { to: number }[] = [];
        for (const [index, alternative] of node.nodes.entries()) {
          if (index === node.nodes.length - 1) {
            compile(alternative);
            break;
          }
          const split = add({ type: 'split', first: program.length + 1, second: 0 });
          compile(alternative);
          jumps.push(add({ type: 'jump', to: 0 }));
          split.second = program.length;
        }
        for (const jump of jumps) jump.to = program.length;
        break;
      }
      case 'repeat':
        repeat(node);
        break;
      case 'back-reference':
        add({ type: 'reference', group: node.index });
        break;
    }
  };
  const repeat = ({ body, least, most, isLazy = false }: Extract<RegexNode, { type: 'repeat' }>): void => {
    for (let copy = 0; copy < least; copy++) compile(body);
    if (most === Number.POSITIVE_INFINITY) {
      const start = program.length;
      const split = add({ type: 'split', first: start + 1, second: 0 });
      const slot = nextLoopSlot;
      if (nextLoopSlot !== undefined) nextLoopSlot += 1;
      if (slot !== undefined) add({ type: 'save', slot });
      compile(body);
      if (slot !== undefined) add({ type: 'progress', slot });
      add({ type: 'jump', to: start });
      split.second = program.length;
      if (isLazy) turn(split);
      return;
    }
    const splits: { first: number; second: number }[] = [];
    for (let copy = least; copy < most; copy++) {
      splits.push(add({ type: 'split', first: program.length + 1, second: 0 }));
      compile(body);
    }
    for (const split of splits) {
      split.second = program.length;
      if (isLazy) turn(split);
    }
  };
  add({ type: 'save', slot: 0 });
  compile(root);
  add({ type: 'save', slot: 1 });
  add({ type: 'match' });
  return program;
}

/** The other way is tried first. */
function turn(split: { first: number; second: number }): void {
  [split.first, split.second] = [split.second, split.first];
}

function setTest(source: string, ignoresCase: boolean): (character: string) => boolean {
  const set = new RegExp(`^${source}$`, ignoresCase ? 'sui' : 'su');
  const known = new Map<string, boolean>();
  return (character) => {
    let answer = known.get(character);
    if (answer === undefined) {
      answer = set.test(character);
      known.set(character, answer);
    }
    return answer;
  };
}

interface Thread {
  readonly at: number;
  readonly slots: readonly number[];
}

interface MatchPlace {
  readonly from: number;
  readonly slots: number;
  /** Anchors match at newlines as well. */
  readonly isMultiline: boolean;
}

/**
 * The leftmost longest match from a place on, by following all ways at once (Thompson, Pike): it takes no longer than the text's
 * length times the program's. Slots are starts and ends by UTF-16 units, of the whole and of each group; -1 of what matched nothing.
 *
 * @throws ShellLimitError of a search that takes too many steps
 */
export function matchSimultaneously(
  program: RegexProgram,
  text: string,
  { from, slots, isMultiline }: MatchPlace,
): readonly number[] | undefined {
  const none = Array<number>(slots).fill(-1);
  const visited = new Int32Array(program.length).fill(-1);
  let threads: Thread[] = [];
  let best: readonly number[] | undefined;
  let steps = 0;
  for (let position = from; ; ) {
    const before = position === 0 ? undefined : characterBefore(text, position);
    const code = text.codePointAt(position);
    const after = code === undefined ? undefined : String.fromCodePoint(code);
    const waiting: Thread[] = [];
    if (steps > mostSteps)
      throw new ShellLimitError('pattern', 'a regular expression takes too long to match');
    const follow = (thread: Thread): void => {
      const stack = [thread];
      for (let top = stack.pop(); top; top = stack.pop()) {
        const { at, slots: saved } = top;
        steps += 1;
        const instruction = program[at];
        if (instruction === undefined || visited[at] === position) continue;
        visited[at] = position;
        switch (instruction.type) {
          case 'split':
            stack.push({ at: instruction.second, slots: saved }, { at: instruction.first, slots: saved });
            break;
          case 'jump':
            stack.push({ at: instruction.to, slots: saved });
            break;
          case 'save':
            steps += saved.length >> 3;
            stack.push({ at: at + 1, slots: saved.with(instruction.slot, position) });
            break;
          case 'assertion':
            if (holds(instruction.kind, { before, after, isMultiline }))
              stack.push({ at: at + 1, slots: saved });
            break;
          case 'match':
            if ((best?.[1] ?? -1) < position) best = saved;
            break;
          default:
            waiting.push(top);
        }
      }
    };
    for (const thread of threads) if (!best || thread.slots[0] === best[0]) follow(thread);
    if (!best) follow({ at: 0, slots: none });
    if (after === undefined) return best;
    threads = waiting.flatMap(({ at, slots: saved }) => {
      const instruction = program[at];
      const isMatch =
        instruction?.type === 'set' && instruction.matches(after) && (!best || saved[0] === best[0]);
      return isMatch ? [{ at: at + 1, slots: saved }] : [];
    });
    if (best && threads.length === 0) return best;
    position += after.length;
  }
}

export function characterBefore(text: string, position: number): string {
  const low = text.charCodeAt(position - 1);
  const isPair =
    low >= 0xdc00 && low <= 0xdfff && position > 1 && (text.charCodeAt(position - 2) & 0xfc00) === 0xd800;
  return text.slice(position - (isPair ? 2 : 1), position);
}

const wordCharacter = /[\p{L}\p{N}_]/u;

export function holds(
  kind: AssertionKind,
  {
    before,
    after,
    isMultiline,
  }: { before: string | undefined; after: string | undefined; isMultiline: boolean },
): boolean {
  const isAfterWord = before !== undefined && wordCharacter.test(before);
  const isBeforeWord = after !== undefined && wordCharacter.test(after);
  switch (kind) {
    case 'start':
      return before === undefined || (isMultiline && before === '\n');
    case 'end':
      return after === undefined || (isMultiline && after === '\n');
    case 'text-start':
      return before === undefined;
    case 'text-end':
      return after === undefined;
    case 'boundary':
      return isAfterWord !== isBeforeWord;
    case 'inside':
      return isAfterWord === isBeforeWord;
    case 'word-start':
      return !isAfterWord && isBeforeWord;
    case 'word-end':
      return isAfterWord && !isBeforeWord;
  }
}
