import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/**
 * How a winner is found among those whose test passes. `first`: who passes first; all others are ended. `best:` and `lowest:` wait
 * for all, and take the largest or smallest number in the test's output: the one that `json.FIELD` names in the JSON that it prints
 * (`best:json.total.score`), or else the last that a regular expression finds in a line, in its first group if it has one.
 */
export type JudgeText = 'first' | `best:${string}` | `lowest:${string}`;

export interface Judge {
  readonly text: JudgeText;
  /** Reads a number from a test's standard output; absent where the first wins. @throws limit-exceeded */
  readonly score?: (output: string) => number | undefined;
  /** Whether `score` is better than `than`. */
  isBetter(score: number, than: number): boolean;
}

/** @throws invalid-argument with what is allowed */
export function parseJudge(text: string): Judge {
  if (text === 'first') return { text, isBetter: () => false };
  const [, order, what] = /^(best|lowest):(.+)$/s.exec(text) ?? [];
  if (what === undefined || (order !== 'best' && order !== 'lowest')) {
    throw cannotJudge(text, 'give first, best:PATTERN, best:json.FIELD, or lowest: instead of best:');
  }
  const field = /^json\.(.+)$/s.exec(what)?.[1];
  return {
    text: `${order}:${what}`,
    score: field === undefined ? patternScore(text, what) : (output) => fieldScore(output, field.split('.')),
    isBetter: (score, than) => (order === 'best' ? score > than : score < than),
  };
}

/** The last number that `pattern` finds, line by line. Time and length are bounded: the lines come from a sandbox. */
function patternScore(text: string, pattern: string): (output: string) => number | undefined {
  assertBounded(text, pattern);
  const expression = compile(text, pattern);
  return (output) => {
    const endMs = performance.now() + limits.judgeMs;
    let found: number | undefined;
    for (const line of output.split('\n')) {
      const match = expression.exec(line.slice(0, limits.judgeLineCharacters));
      const number = match && toNumber(match[1] ?? match[0]);
      found = number ?? found;
      if (performance.now() > endMs) {
        throw new SandboxError(
          'limit-exceeded',
          `its output took longer than ${limits.judgeMs / 1_000} s to judge`,
        );
      }
    }
    return found;
  };
}

function compile(text: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch (cause) {
    throw cannotJudge(
      text,
      `it is no regular expression (${cause instanceof Error ? cause.message : cause})`,
    );
  }
}

/**
 * Refuses what could take JavaScript's engine exponential time, or a high power of a line's length: repeated groups that
 * repeat or choose inside, references back, looking around, and too many repetitions without an end.
 */
function assertBounded(text: string, pattern: string): void {
  if (pattern.length > limits.judgePatternCharacters) {
    throw cannotJudge(`${text.slice(0, 40)}…`, `${limits.judgePatternCharacters} characters are the most`);
  }
  const bare = pattern
    .replace(/\\./gsu, (escaped) => (/\\[1-9k]/.test(escaped) ? '\\1' : 'x'))
    .replace(/\[[^\]]*\]/gu, 'x');
  if (/\\1|\(\?(?!:|<\w)/.test(bare)) throw cannotJudge(text, 'it may neither refer back nor look around');
  if (hasNestedRepetition(bare)) {
    throw cannotJudge(text, 'a group that is repeated may neither repeat nor choose inside');
  }
  const repetitions = bare.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  const counted = bare.match(/\{\d+(?:,\d+)?\}/g)?.length ?? 0;
  if (repetitions + counted > limits.judgeRepetitions) {
    throw cannotJudge(text, `${limits.judgeRepetitions} repetitions (* + {n,m}) are the most`);
  }
}

/** Of a pattern without escapes and classes. */
function hasNestedRepetition(bare: string): boolean {
  const open: { varies: boolean }[] = [];
  for (let at = 0; at < bare.length; at++) {
    const character = bare[at];
    const outer = open.at(-1);
    if (character === '(') {
      open.push({ varies: false });
      // What makes it a group that is not kept, or that has a name.
      if (bare[at + 1] === '?') at += 1;
    } else if (character === ')') {
      const { varies } = open.pop() ?? { varies: false };
      const isRepeated = /[*+{]/.test(bare[at + 1] ?? '');
      if (varies && isRepeated) return true;
      const above = open.at(-1);
      if (above && (varies || isRepeated)) above.varies = true;
    } else if (outer && /[*+?{|]/.test(character ?? '')) outer.varies = true;
  }
  return false;
}

/** The number at `path` in the JSON that an output is, or that its last line is. */
function fieldScore(output: string, path: readonly string[]): number | undefined {
  const text = output.slice(-limits.judgeJsonCharacters).trim();
  let value = parseJson(text) ?? parseJson(text.slice(text.lastIndexOf('\n') + 1));
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toNumber(text: string): number | undefined {
  const [digits] = /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(text) ?? [];
  const number = Number(digits);
  return digits !== undefined && Number.isFinite(number) ? number : undefined;
}

function cannotJudge(text: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot judge by "${text}": ${why}`, {
    details: { judge: text },
  });
}
