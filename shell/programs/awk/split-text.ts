import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';

/** Divides text into fields. */
export type Splitter = (text: ShellText) => ShellText[];

/** How FS, or the third argument of `split`, divides. In paragraphs (`RS=""`) a newline does so as well. */
export function splitterOf(
  separator: ShellText,
  { regexOf, isParagraph = false }: { regexOf: (pattern: ShellText) => Regex; isParagraph?: boolean },
): Splitter {
  if (separator === ' ') return splitBlanks;
  if (separator === '') return splitCharacters;
  if (separator.length > 1 || separator === '\\') {
    const pattern = separator === '\\' ? '\\\\' : separator;
    return splitByRegex(regexOf(isParagraph ? `(${pattern})|\n` : pattern));
  }
  if (isParagraph && separator !== '\n') {
    return (text) => (text === '' ? [] : checked(text.replaceAll('\n', separator).split(separator, limit)));
  }
  return (text) => (text === '' ? [] : checked(text.split(separator, limit)));
}

const limit = shellLimits.words + 1;

function checked(fields: ShellText[]): ShellText[] {
  if (fields.length < limit) return fields;
  throw new ShellLimitError('words', `a record has more than ${shellLimits.words} fields`);
}

function splitCharacters(text: ShellText): ShellText[] {
  const fields: ShellText[] = [];
  for (const character of text) {
    fields.push(character);
    if (fields.length >= limit) checked(fields);
  }
  return fields;
}

/** Blanks and newlines separate, and those at the ends are nothing. */
function splitBlanks(text: ShellText): ShellText[] {
  const fields: ShellText[] = [];
  const { length } = text;
  let at = 0;
  while (at < length) {
    while (at < length && isBlank(text.charCodeAt(at))) at += 1;
    if (at === length) break;
    const start = at;
    while (at < length && !isBlank(text.charCodeAt(at))) at += 1;
    fields.push(text.slice(start, at));
    if (fields.length >= limit) checked(fields);
  }
  return fields;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

export function splitByRegex(regex: Regex): Splitter {
  return (text) => {
    const fields: ShellText[] = [];
    if (text === '') return fields;
    let start = 0;
    let from = 0;
    while (from < text.length) {
      const match = regex.exec(text, from);
      if (match === undefined) break;
      if (match.end === match.start) {
        from = match.end + 1;
        continue;
      }
      fields.push(text.slice(start, match.start));
      if (fields.length >= limit) checked(fields);
      start = match.end;
      from = match.end;
    }
    fields.push(text.slice(start));
    return fields;
  };
}
