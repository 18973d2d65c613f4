import type { ShellText } from '../../text.ts';
import { byteText } from '../notation/expand-escapes.ts';
import type { ScriptReader } from './script-reader.ts';

/** What stands up to a delimiter. In an expression brackets hide it; a backslash before it takes away its meaning. */
export function readDelimited(
  reader: ScriptReader,
  delimiter: string,
  { isRegex }: { isRegex: boolean },
): ShellText | undefined {
  let text = '';
  while (!reader.isAtEnd) {
    const character = reader.next();
    if (character === delimiter) return text;
    if (character === '\\') {
      const next = reader.next();
      if (next === '') return undefined;
      if (next === delimiter)
        text +=
          isRegex && isSpecial(delimiter)
            ? `[${delimiter}]`
            : isRegex || delimiter !== '&'
              ? delimiter
              : '\\&';
      else if (next === '\n' && isRegex) text += '\n';
      else text += `\\${next}`;
    } else if (character === '[' && isRegex) text += `[${readBracket(reader)}`;
    else if (character === '\n' && isRegex) return undefined;
    else text += character;
  }
  return undefined;
}

/** Delimiters that would mean something in an expression; after a backslash they are characters. */
function isSpecial(delimiter: string): boolean {
  return /[.*|+?{}()$]/.test(delimiter);
}

function readBracket(reader: ScriptReader): ShellText {
  const start = reader.at;
  if (reader.peek() === '^') reader.at += 1;
  if (reader.peek() === ']') reader.at += 1;
  while (!reader.isAtEnd) {
    const character = reader.next();
    if (character === ']') return reader.text.slice(start, reader.at);
    if (character === '[' && /[:.=]/.test(reader.peek())) {
      const end = reader.text.indexOf(`${reader.peek()}]`, reader.at + 1);
      if (end >= 0) reader.at = end + 2;
    }
    if (character === '\n') break;
  }
  // No bracket ends it: the expression will be refused, or the delimiter ends it.
  reader.at = start;
  return '';
}

const named: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A character by its number or letter after a backslash: `x41`, `o101`, `d065`, `cA`, `t`; how many characters it took. */
export function numberedCharacter(
  text: ShellText,
): { readonly text: ShellText; readonly length: number } | undefined {
  const [whole, hex, octal, decimal, control] =
    /^(?:x([0-9a-fA-F]{1,2})|o([0-7]{1,3})|d(\d{1,3})|c([\s\S]))/.exec(text) ?? [];
  if (whole === undefined) {
    const letter = text[0] ?? '';
    const known = Object.hasOwn(named, letter) ? named[letter] : undefined;
    return known === undefined ? undefined : { text: known, length: 1 };
  }
  const byte =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : octal !== undefined
        ? Number.parseInt(octal, 8)
        : decimal !== undefined
          ? Number(decimal)
          : (control ?? '').toUpperCase().charCodeAt(0) ^ 0x40;
  return { text: byteText(byte & 0xff), length: whole.length };
}

/** Escapes by number become characters, before the expression is read. */
export function expandNumbered(pattern: ShellText): ShellText {
  return pattern
    .replace(/\\([\s\S])/g, (whole, next: string, at: number) => {
      if (!/[xod]/.test(next)) return whole;
      const found = numberedCharacter(pattern.slice(at + 1));
      if (found === undefined || found.length < 2) return whole;
      // The digits that follow are taken with it: marked, to be removed.
      return `\uf8ff${found.length - 1}${/[.*[\]^$\\/+?(){}|]/.test(found.text) ? `\\${found.text}` : found.text}`;
    })
    .replace(
      /\uf8ff(\d)((?:\\[\s\S])|[\s\S])([\s\S]{0,3})/g,
      (_, count: string, character: string, rest: string) => {
        return character + rest.slice(Number(count));
      },
    );
}
