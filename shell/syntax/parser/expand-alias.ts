import type { Reader } from './reader.ts';
import { reservedWords } from './reserved-words.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt } from './token-at.ts';

/**
 * Puts the text of an alias in the place of the word here, at which a command may begin, and goes past the blanks before what it
 * is then. Where the text ends with a blank, the word after it may be an alias too: `expandAfterAlias` looks.
 * @throws ShellLimitError of a line whose aliases stand for too much: they can double from one to the next
 */
export function expandAlias(
  reader: Reader,
  { mayBeReserved = true }: { mayBeReserved?: boolean } = {},
): void {
  const { alias } = reader.options;
  if (!alias) return;
  for (;;) {
    skipBlanks(reader);
    forgetPassed(reader);
    const name = bareWordAt(reader);
    if (name === undefined || isKept(reader, name, mayBeReserved)) return;
    const text = alias(name);
    if (text === undefined) return;
    const untilEnd = reader.source.length - reader.at - name.length;
    reader.expandedAliases.push({ name, untilEnd });
    reader.replace(reader.at, name.length, text);
    reader.spendAlias(text.length);
    if (/[ \t]$/.test(text)) reader.aliasEnds.push(untilEnd);
  }
}

/** As `expandAlias`, where no command begins: for a word that follows an alias whose text ends with a blank. */
export function expandAfterAlias(reader: Reader): void {
  const { aliasEnds } = reader;
  if (aliasEnds.length === 0) return;
  const left = reader.source.length - reader.at;
  const waiting = aliasEnds.filter((untilEnd) => untilEnd < left);
  if (waiting.length === aliasEnds.length) return;
  aliasEnds.splice(0, aliasEnds.length, ...waiting);
  expandAlias(reader, { mayBeReserved: false });
}

/** Those that are being expanded stand for themselves, and so do reserved words in POSIX mode. */
function isKept(reader: Reader, name: string, mayBeReserved: boolean): boolean {
  if (reader.expandedAliases.some((expanded) => expanded.name === name)) return true;
  return mayBeReserved && reader.options.posix?.() === true && reservedWords.has(name);
}

function forgetPassed(reader: Reader): void {
  const { expandedAliases, source, at } = reader;
  let count = 0;
  for (const expanded of expandedAliases) {
    if (at < source.length - expanded.untilEnd) expandedAliases[count++] = expanded;
  }
  expandedAliases.length = count;
}
