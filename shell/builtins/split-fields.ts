import type { ShellText } from '../text.ts';

/**
 * Splits a line as `read` does, at the characters of `IFS`; backslashes quote what follows them unless it is raw. With `maxFields` the
 * last one is what is left of the line.
 */
export function splitFields(
  text: ShellText,
  {
    separators,
    isRaw,
    maxFields = Number.POSITIVE_INFINITY,
  }: { separators: ShellText; isRaw: boolean; maxFields?: number },
): ShellText[] {
  const blanks = new Set([...separators].filter((character) => ' \t\n'.includes(character)));
  const others = new Set([...separators].filter((character) => !' \t\n'.includes(character)));
  const characters = charactersOf(text, isRaw);
  const isBlank = (at: number) => isPlain(characters[at]) && blanks.has(characters[at]?.text ?? '');
  const isOther = (at: number) => isPlain(characters[at]) && others.has(characters[at]?.text ?? '');
  const fields: ShellText[] = [];
  let at = 0;
  while (at < characters.length && isBlank(at)) at += 1;
  while (at < characters.length) {
    if (fields.length === maxFields - 1) {
      fields.push(lastField(characters, at, { isBlank, isOther }));
      break;
    }
    let field = '';
    while (at < characters.length && !isBlank(at) && !isOther(at)) field += characters[at++]?.text ?? '';
    fields.push(field);
    while (at < characters.length && isBlank(at)) at += 1;
    if (at < characters.length && isOther(at)) {
      at += 1;
      while (at < characters.length && isBlank(at)) at += 1;
    }
  }
  return fields;
}

interface Character {
  readonly text: string;
  readonly isQuoted: boolean;
}

function isPlain(character: Character | undefined): boolean {
  return character !== undefined && !character.isQuoted;
}

function charactersOf(text: ShellText, isRaw: boolean): readonly Character[] {
  const characters: Character[] = [];
  let isQuoted = false;
  for (const character of text) {
    if (!isRaw && !isQuoted && character === '\\') {
      isQuoted = true;
      continue;
    }
    characters.push({ text: character, isQuoted });
    isQuoted = false;
  }
  return characters;
}

/** What is left, without blanks at its end; and without one separator there where nothing else follows the first field of it. */
function lastField(
  characters: readonly Character[],
  start: number,
  { isBlank, isOther }: { isBlank: (at: number) => boolean; isOther: (at: number) => boolean },
): ShellText {
  let end = characters.length;
  while (end > start && isBlank(end - 1)) end -= 1;
  let first = start;
  while (first < end && !isBlank(first) && !isOther(first)) first += 1;
  let after = first;
  while (after < end && isBlank(after)) after += 1;
  if (after < end && isOther(after)) {
    let rest = after + 1;
    while (rest < end && isBlank(rest)) rest += 1;
    if (rest === end) end = first;
  }
  return characters
    .slice(start, end)
    .map(({ text }) => text)
    .join('');
}
