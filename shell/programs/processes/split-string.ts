import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';

const escaped: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', _: ' ' };

/** Words of `env -S`: quotes and backslashes as in a shell, no expansions. @throws ProgramError */
export function splitString(text: ShellText): ShellText[] {
  const words: ShellText[] = [];
  let word: ShellText | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && character === '#' && word === undefined) break;
    else if (quote === '' ? character === '"' || character === "'" : character === quote) {
      quote = quote === '' ? character : '';
      word ??= '';
    } else if (character === '\\' && (quote !== "'" || /['\\]/.test(text[at + 1] ?? ''))) {
      at += 1;
      const next = text[at] ?? '';
      word = (word ?? '') + (Object.hasOwn(escaped, next) ? escaped[next] : next);
    } else word = (word ?? '') + character;
  }
  if (quote !== '') throw new ProgramError('no terminating quote in -S string', { status: 125 });
  if (word !== undefined) words.push(word);
  return words;
}
