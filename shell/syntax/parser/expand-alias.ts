import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt } from './token-at.ts';

/** How much longer a line may become by its aliases. */
const mostCharacters = 2 ** 20;

/** Puts the text of an alias in the place of its name, and of the next word's where that text ends with a blank. */
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
    if (name === undefined || text === undefined || text.length > mostCharacters) break;
    const { source } = reader;
    const untilEnd = source.length - start - name.length;
    reader.expandedAliases.push({ name, untilEnd });
    reader.source = source.slice(0, start) + text + source.slice(start + name.length);
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
  const remaining = expandedAliases.filter(({ untilEnd }) => at < source.length - untilEnd);
  expandedAliases.splice(0, expandedAliases.length, ...remaining);
}
