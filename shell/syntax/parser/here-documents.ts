import type { HereDocNode, SourcedWordNode } from '../ast.ts';
import { readParts } from './read-parts.ts';
import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { skipOne } from './skip-quoted.ts';

/** Goes past the end of a line, and past the here-documents that follow it. */
export function takeNewline(reader: Reader): boolean {
  if (!reader.take('\n')) return false;
  for (const { node, delimiter } of reader.pending.splice(0)) readHereDocument(reader, { node, delimiter });
  return true;
}

/** Goes past blanks, comments and ends of lines. */
export function skipNewlines(reader: Reader): void {
  do skipBlanks(reader);
  while (takeNewline(reader));
}

/** A here-document whose `<<` has been read: its text follows the line. */
export function openHereDocument(reader: Reader, stripTabs: boolean): HereDocNode {
  const { delimiter, quoted } = readDelimiter(reader);
  const node: HereDocNode = {
    type: 'HereDoc',
    delimiter,
    content: { type: 'Word', parts: [] },
    stripTabs,
    quoted,
    terminated: false,
  };
  reader.pending.push({ node, delimiter });
  return node;
}

function readDelimiter(reader: Reader): { delimiter: string; quoted: boolean } {
  let delimiter = '';
  let quoted = false;
  for (;;) {
    const character = reader.peek();
    if (character === '' || ' \t\n;&|<>()'.includes(character)) return { delimiter, quoted };
    if (character === '$' && (reader.peek(1) === "'" || reader.peek(1) === '"')) reader.at += 1;
    else if (character === '"') {
      delimiter += readQuotedDelimiter(reader);
      quoted = true;
    } else if (character === "'") {
      const end = reader.source.indexOf(character, reader.at + 1);
      if (end === -1) throw reader.unexpectedEnd(character, reader.at);
      delimiter += reader.source.slice(reader.at + 1, end);
      reader.at = end + 1;
      quoted = true;
    } else if (character === '\\' && reader.peek(1) === '\n') reader.at += 2;
    else if (character === '\\') {
      delimiter += reader.peek(1);
      reader.at += 2;
      quoted = true;
    } else {
      const end = character === '$' ? skipOne(reader.source, reader.at) : reader.at + 1;
      delimiter += reader.source.slice(reader.at, end);
      reader.at = Math.min(end, reader.source.length);
    }
  }
}

/** What is between double quotes, in which a backslash quotes what it does elsewhere between them. */
function readQuotedDelimiter(reader: Reader): string {
  const openedAt = reader.at;
  const end = skipOne(reader.source, openedAt);
  if (end > reader.source.length) throw reader.unexpectedEnd('"', openedAt);
  reader.at = end;
  return reader.source
    .slice(openedAt + 1, end - 1)
    .replace(/\\(\n|[$`"\\])/g, (_, character: string) => (character === '\n' ? '' : character));
}

function readHereDocument(
  reader: Reader,
  { node, delimiter }: { node: HereDocNode; delimiter: string },
): void {
  const firstLine = reader.line();
  const lines: string[] = [];
  /** The line that a backslash at its end joins with the next one: as much of it as can be the delimiter, and where it began. */
  let begun = '';
  let begunAt = 0;
  let isContinued = false;
  while (!reader.isAtEnd) {
    // Tabs of a line that is joined with the one before are text.
    const line = readLine(reader, node.stripTabs && !isContinued);
    const joined = begun + line;
    if (joined.replace(/\n$/, '') === delimiter) {
      node.terminated = true;
      if (isContinued) lines.length = begunAt;
      break;
    }
    // In `$(…)`, what closes it may follow the delimiter in its line.
    if (reader.isInSubstitution && !isContinued && closesAfter(delimiter, line)) {
      reader.at -= line.length - delimiter.length;
      node.terminated = true;
      break;
    }
    if (!isContinued) begunAt = lines.length;
    isContinued = !node.quoted && /(^|[^\\])(\\\\)*\\\n$/.test(line);
    begun = isContinued ? joined.slice(0, -2).slice(0, delimiter.length + 1) : '';
    lines.push(line);
  }
  if (!node.terminated) reader.open.push(node);
  const text = lines.join('');
  const parts = node.quoted ? literal(text) : readContent(reader.sub(text, firstLine));
  const content: SourcedWordNode = { type: 'Word', parts, source: text };
  node.content = content;
}

function closesAfter(delimiter: string, line: string): boolean {
  return line.startsWith(delimiter) && line.includes(')', delimiter.length);
}

function readLine(reader: Reader, stripTabs: boolean): string {
  const { source, at } = reader;
  const end = source.indexOf('\n', at);
  reader.at = end === -1 ? source.length : end + 1;
  const line = source.slice(at, reader.at);
  return stripTabs ? line.replace(/^\t+/, '') : line;
}

function literal(value: string): HereDocNode['content']['parts'] {
  return value === '' ? [] : [{ type: 'Literal', value }];
}

function readContent(reader: Reader): HereDocNode['content']['parts'] {
  return readParts(reader, { quoting: 'here-document', isEnd: () => false });
}
