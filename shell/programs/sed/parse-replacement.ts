import type { ShellText } from '../../text.ts';
import { numberedCharacter } from './read-delimited.ts';
import type { ReplacementPart } from './sed-script.ts';

const modes: Readonly<Record<string, Extract<ReplacementPart, { type: 'case' }>['mode']>> = {
  U: 'upper',
  L: 'lower',
  E: 'end',
  u: 'upper-next',
  l: 'lower-next',
};

/** The right side of `s`: text, `&`, `\1`, and changes of case. */
export function parseReplacement(text: ShellText): ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let plain = '';
  const add = (part: ReplacementPart) => {
    if (plain !== '') parts.push({ type: 'text', text: plain });
    plain = '';
    parts.push(part);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '&') add({ type: 'group', index: 0 });
    else if (character !== '\\' || at + 1 >= text.length) plain += character;
    else {
      at += 1;
      const next = text[at] ?? '';
      const mode = Object.hasOwn(modes, next) ? modes[next] : undefined;
      const found = numberedCharacter(text.slice(at, at + 5));
      if (/\d/.test(next)) add({ type: 'group', index: Number(next) });
      else if (mode) add({ type: 'case', mode });
      else if (found) {
        plain += found.text;
        at += found.length - 1;
      } else plain += next;
    }
  }
  if (plain !== '') parts.push({ type: 'text', text: plain });
  return parts;
}

/** What a match is replaced by. */
export function expandReplacement(
  parts: readonly ReplacementPart[],
  groups: readonly (ShellText | undefined)[],
): ShellText {
  let result = '';
  let mode: 'upper' | 'lower' | 'end' = 'end';
  let next: 'upper' | 'lower' | undefined;
  for (const part of parts) {
    if (part.type === 'case') {
      if (part.mode === 'upper-next') next = 'upper';
      else if (part.mode === 'lower-next') next = 'lower';
      else {
        mode = part.mode;
        next = undefined;
      }
      continue;
    }
    const text = part.type === 'text' ? part.text : (groups[part.index] ?? '');
    if (text === '') continue;
    let changed = mode === 'upper' ? text.toUpperCase() : mode === 'lower' ? text.toLowerCase() : text;
    if (next !== undefined) {
      const [first = '', ...rest] = changed;
      changed = (next === 'upper' ? first.toUpperCase() : first.toLowerCase()) + rest.join('');
      next = undefined;
    }
    result += changed;
  }
  return result;
}
