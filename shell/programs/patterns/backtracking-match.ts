import { ShellLimitError } from '../../shell-error.ts';
import { characterBefore, holds, type RegexProgram } from './simultaneous-match.ts';

/** Steps that one search may take (some hundred milliseconds). */
const mostSteps = 5_000_000;

interface Way {
  readonly at: number;
  readonly position: number;
  readonly slots: readonly number[];
}

interface MatchPlace {
  readonly from: number;
  readonly groups: number;
  readonly isMultiline: boolean;
  readonly ignoresCase: boolean;
}

/**
 * The leftmost match from a place on, by trying one way after the other, as JavaScript does it, but within a number of steps:
 * for expressions with back references, whose ways cannot be followed at once. Slots are as those of `matchSimultaneously`.
 *
 * @throws ShellLimitError
 */
export function matchByBacktracking(
  program: RegexProgram,
  text: string,
  { from, groups, isMultiline, ignoresCase }: MatchPlace,
): readonly number[] | undefined {
  const loops = program.filter(({ type }) => type === 'progress').length;
  const none = Array<number>((groups + 1) * 2 + loops).fill(-1);
  const folded = ignoresCase ? text.toLowerCase() : text;
  let steps = 0;
  for (let start = from; start <= text.length; start += characterAt(text, start)?.length ?? 1) {
    const ways: Way[] = [{ at: 0, position: start, slots: none }];
    for (let way = ways.pop(); way; way = ways.pop()) {
      const found = follow(way, ways);
      if (found) return found;
    }
  }
  return undefined;

  /** Follows one way to its end; others that branch off are for later. */
  function follow(way: Way, others: Way[]): readonly number[] | undefined {
    let { at, position, slots: saved } = way;
    for (;;) {
      steps += 1;
      if (steps > mostSteps)
        throw new ShellLimitError('pattern', 'a regular expression takes too long to match');
      const instruction = program[at];
      at += 1;
      switch (instruction?.type) {
        case 'match':
          return saved;
        case 'split':
          others.push({ at: instruction.second, position, slots: saved });
          at = instruction.first;
          break;
        case 'jump':
          at = instruction.to;
          break;
        case 'save':
          saved = saved.with(instruction.slot, position);
          steps += saved.length >> 3;
          break;
        case 'progress':
          if (saved[instruction.slot] === position) return undefined;
          break;
        case 'assertion': {
          const before = position === 0 ? undefined : characterBefore(text, position);
          if (!holds(instruction.kind, { before, after: characterAt(text, position), isMultiline }))
            return undefined;
          break;
        }
        case 'reference': {
          const [first = -1, last = -1] = saved.slice(instruction.group * 2, instruction.group * 2 + 2);
          const wanted = first < 0 || last < 0 ? '' : folded.slice(first, last);
          steps += wanted.length >> 5;
          if (!folded.startsWith(wanted, position)) return undefined;
          position += wanted.length;
          break;
        }
        case 'set': {
          const character = characterAt(text, position);
          if (character === undefined || !instruction.matches(character)) return undefined;
          position += character.length;
          break;
        }
        default:
          return undefined;
      }
    }
  }
}

function characterAt(text: string, position: number): string | undefined {
  const code = text.codePointAt(position);
  return code === undefined ? undefined : String.fromCodePoint(code);
}
