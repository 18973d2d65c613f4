import type { ShellText } from '../text.ts';

/** Upper case of each character, where that is one character, as `towupper` has it. */
export function toUpper(text: ShellText): ShellText {
  return mapCharacters(text, (character) => character.toUpperCase());
}

/** Lower case of each character, where that is one character, as `towlower` has it. */
export function toLower(text: ShellText): ShellText {
  return mapCharacters(text, (character) => character.toLowerCase());
}

/** The first character in upper case, the others in lower case. */
export function toCapital(text: ShellText): ShellText {
  const [first = ''] = text;
  return toUpper(first) + toLower(text.slice(first.length));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = /^[\x00-\x7f]*$/;

function mapCharacters(text: ShellText, map: (text: string) => string): ShellText {
  if (isAscii.test(text)) return map(text);
  let mapped = '';
  for (const character of text) {
    const other = map(character);
    mapped += other.length === character.length ? other : character;
  }
  return mapped;
}
