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
    if (character === "'" || character === '"') {
      const end = reader.source.indexOf(character, reader.at + 1);
      if (end === -1) throw reader.unexpectedEnd(character, reader.at);
      delimiter += reader.source.slice(reader.at + 1, end);
      reader.at = end + 1;
      quoted = true;
    } else if (character === '\\') {
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

function readHereDocument(
  reader: Reader,
  { node, delimiter }: { node: HereDocNode; delimiter: string },
): void {
  const firstLine = reader.line();
  const lines: string[] = [];
  let isContinued = false;
  while (!reader.isAtEnd) {
    const line = readLine(reader, node.stripTabs);
    if (line.replace(/\n$/, '') === delimiter && !isContinued) {
      node.terminated = true;
      break;
    }
    isContinued = !node.quoted && /(^|[^\\])(\\\\)*\\\n$/.test(line);
    lines.push(line);
  }
  if (!node.terminated) reader.open.push(node);
  const text = lines.join('');
  const parts = node.quoted ? literal(text) : readContent(reader.sub(text, firstLine));
  const content: SourcedWordNode = { type: 'Word', parts, source: text };
  node.content = content;
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
