import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';

/** How two keys are compared. */
export interface KeyOrder {
  /** `b`, at the start and at the end of the key. */
  readonly skipsBlanksAtStart: boolean;
  readonly skipsBlanksAtEnd: boolean;
  readonly ignoresOthers: boolean;
  readonly foldsCase: boolean;
  readonly ignoresUnprintable: boolean;
  readonly kind: 'text' | 'numeric' | 'general' | 'human' | 'month' | 'version' | 'random';
  readonly isReversed: boolean;
}

export interface SortKey {
  readonly startField: number;
  readonly startCharacter: number;
  /** 0: to the end of the line. */
  readonly endField: number;
  /** 0: to the end of the field. */
  readonly endCharacter: number;
  /** `undefined`: that of the whole sort. */
  readonly order: KeyOrder | undefined;
}

const kinds: Readonly<Record<string, KeyOrder['kind']>> = {
  n: 'numeric',
  g: 'general',
  h: 'human',
  M: 'month',
  V: 'version',
  R: 'random',
};

/** The order that option letters say. */
export function orderOf(letters: string, endLetters: string = letters): KeyOrder {
  const all = letters + endLetters;
  const kind = [...all].map((letter) => kinds[letter]).find((found) => found !== undefined);
  return {
    skipsBlanksAtStart: letters.includes('b'),
    skipsBlanksAtEnd: endLetters.includes('b'),
    ignoresOthers: all.includes('d'),
    foldsCase: all.includes('f'),
    ignoresUnprintable: all.includes('i'),
    kind: kind ?? 'text',
    isReversed: all.includes('r'),
  };
}

/** `2,3n`, `1.2b,1.4` @throws ProgramError */
export function parseSortKey(text: ShellText): SortKey {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  const refuse = (why: string) =>
    new ProgramError(`${why}: invalid field specification ${quoteName(text)}`, { status: 2 });
  if (match === null) {
    if (!/^\d/.test(text))
      throw new ProgramError(`invalid number at field start: invalid count at start of ${quoteName(text)}`, {
        status: 2,
      });
    throw refuse('stray character in field spec');
  }
  const [
    ,
    startField = '',
    startCharacter = '1',
    letters = '',
    endField = '0',
    endCharacter = '0',
    endLetters = '',
  ] = match;
  if (Number(startField) === 0) throw refuse('field number is zero');
  if (Number(startCharacter) === 0) throw refuse('character offset is zero');
  if (/[^bdfghiMnRrV]/.test(letters + endLetters)) throw refuse('stray character in field spec');
  return {
    startField: Number(startField),
    startCharacter: Number(startCharacter),
    endField: Number(endField),
    endCharacter: Number(endCharacter),
    order: letters + endLetters === '' ? undefined : orderOf(letters, endLetters),
  };
}

/** The part of a line that a key is. */
export function keyText(
  line: ShellText,
  key: SortKey,
  { separator, order }: { separator: string | undefined; order: KeyOrder },
): ShellText {
  let start = fieldStart(line, key.startField, separator);
  if (order.skipsBlanksAtStart) start = skipBlanks(line, start);
  start = Math.min(start + key.startCharacter - 1, line.length);
  if (key.endField === 0) return line.slice(start);
  let end: number;
  if (key.endCharacter === 0) end = fieldEnd(line, key.endField, separator);
  else {
    end = fieldStart(line, key.endField, separator);
    if (order.skipsBlanksAtEnd) end = skipBlanks(line, end);
    end = Math.min(end + key.endCharacter, line.length);
  }
  return line.slice(start, Math.max(start, end));
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n';
}

function skipBlanks(line: ShellText, from: number): number {
  let at = from;
  while (at < line.length && isBlank(line[at])) at += 1;
  return at;
}

/** Without a separator, a field begins with the blanks before it. */
function fieldStart(line: ShellText, field: number, separator: string | undefined): number {
  let at = 0;
  for (let count = 1; count < field; count++) {
    if (separator === undefined) {
      at = skipBlanks(line, at);
      while (at < line.length && !isBlank(line[at])) at += 1;
    } else {
      const found = line.indexOf(separator, at);
      if (found < 0) return line.length;
      at = found + separator.length;
    }
  }
  return at;
}

function fieldEnd(line: ShellText, field: number, separator: string | undefined): number {
  const start = fieldStart(line, field, separator);
  if (separator !== undefined) {
    const found = line.indexOf(separator, start);
    return found < 0 ? line.length : found;
  }
  let at = skipBlanks(line, start);
  while (at < line.length && !isBlank(line[at])) at += 1;
  return at;
}
