import { shellLimits } from '../../limits.ts';
import { joinEscapedBytes, type ShellText } from '../../text.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import { AwkProblem } from './awk-problem.ts';
import { readEscape } from './escapes.ts';

const mostRemembered = 500;

/** Regular expressions by their text, so that those that a program computes are read once. */
export class RegexCache {
  readonly #known: Map<ShellText, Regex> = new Map();

  /** @throws AwkProblem */
  get(pattern: ShellText): Regex {
    const known = this.#known.get(pattern);
    if (known) return known;
    const regex = createRegex(pattern);
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(pattern, regex);
    return regex;
  }
}

/** @throws AwkProblem */
export function createRegex(pattern: ShellText): Regex {
  if (pattern.length > shellLimits.pipeBytes) throw new AwkProblem('regular expression too long');
  try {
    return new Regex(withoutAwkEscapes(pattern), {
      syntax: 'extended',
      bracketEscapes: 'awk',
      hasControlEscapes: true,
    });
  } catch (error) {
    // What JavaScript's engine refuses, as too large, is a SyntaxError.
    if (!(error instanceof RegexProblem) && !(error instanceof SyntaxError)) throw error;
    const reason = error instanceof RegexProblem ? error.message : 'Regular expression too big';
    throw new AwkProblem(`regular expression compile failed (${reason})\n${pattern}`);
  }
}

const special = /[\\^$.[\]|()*+?{}]/;
/** Escapes that mean the same in POSIX expressions with GNU's additions. */
const kept = new Set([..."wWsSB<>`'ntrfv\\^$.[]|()*+?{}-"]);

/** Writes escapes that only awk has in the words of extended expressions: octal ones, `\/`, `\y`, `\b` as a backspace. */
function withoutAwkEscapes(pattern: ShellText): ShellText {
  if (!pattern.includes('\\')) return pattern;
  let text = '';
  let isInBrackets = false;
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? '';
    if (character !== '\\') {
      if (character === '[' && !isInBrackets) {
        isInBrackets = true;
        const opening = /^\[\^?\]?/.exec(pattern.slice(at, at + 3))?.[0] ?? '[';
        text += opening;
        at += opening.length;
        continue;
      }
      if (character === ']') isInBrackets = false;
      text += character;
      at += 1;
      continue;
    }
    const next = pattern[at + 1];
    if (next === undefined) {
      text += '\\\\';
      at += 1;
    } else if (next === 'y' && !isInBrackets) {
      text += '\\b';
      at += 2;
    } else if (kept.has(next)) {
      text += `\\${next}`;
      at += 2;
    } else {
      const read = readEscape(pattern, at);
      const plain = read.text.startsWith('\\') ? read.text.slice(1) : read.text;
      text += special.test(plain) ? `\\${plain}` : plain;
      at = read.end;
    }
  }
  return joinEscapedBytes(text);
}
