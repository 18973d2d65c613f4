import type { Reader } from './reader.ts';

/** Goes past blanks, lines that are continued and comments; past the ends of lines, too, where they mean nothing. */
export function skipBlanks(reader: Reader, { newlines = false }: { newlines?: boolean } = {}): void {
  for (;;) {
    const character = reader.peek();
    if (character === ' ' || character === '\t' || (newlines && character === '\n')) reader.at += 1;
    else if (character === '\\' && reader.peek(1) === '\n') reader.at += 2;
    else if (character === '#' && !isWithinWord(reader)) skipComment(reader);
    else break;
  }
  reader.joinLines();
}

function isWithinWord(reader: Reader): boolean {
  return reader.at > 0 && !' \t\n;&|()'.includes(reader.source[reader.at - 1] ?? '');
}

function skipComment(reader: Reader): void {
  const end = reader.source.indexOf('\n', reader.at);
  reader.at = end === -1 ? reader.source.length : end;
}
