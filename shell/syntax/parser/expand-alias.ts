import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt } from './token-at.ts';

/**
 * Puts the text of an alias in the place of its name, and of the next word's where that text ends with a blank.
 * @throws ShellLimitError of a line whose aliases stand for too much: they can double from one to the next
 */
export function expandAlias(reader: Reader): void {
  const { alias } = reader.options;
  if (!alias) return;
  const start = reader.at;
  const from = reader.at;
  for (;;) {
    reader.at = start;
    forgetPassed(reader);
    const name = bareWordAt(reader);
    const isExpanding = reader.expandedAliases.some((expanded) => expanded.name === name);
    const text = name === undefined || isExpanding ? undefined : alias(name);
    if (name === undefined || text === undefined) break;
    const untilEnd = reader.source.length - start - name.length;
    reader.expandedAliases.push({ name, untilEnd });
    reader.replace(start, name.length, text);
    reader.spendAlias(text.length);
    if (!/[ \t]$/.test(text)) continue;
    expandAliasAt(reader, reader.source.length - untilEnd);
  }
  reader.at = from;
  skipBlanks(reader);
}

function expandAliasAt(reader: Reader, at: number): void {
  reader.at = at;
  skipBlanks(reader);
  expandAlias(reader);
}

function forgetPassed(reader: Reader): void {
  const { expandedAliases, source, at } = reader;
  let count = 0;
  for (const expanded of expandedAliases) {
    if (at < source.length - expanded.untilEnd) expandedAliases[count++] = expanded;
  }
  expandedAliases.length = count;
}
