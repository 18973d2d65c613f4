import type { AssignmentNode, ElementWordNode, SourcedWordNode, WordNode, WordPart } from '../ast.ts';
import { findBraces } from './find-braces.ts';
import { readParts } from './read-parts.ts';
import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { tokenAt } from './token-at.ts';

const metacharacters = ' \t\n;&|<>()';

/** Whether a word ends here: before a blank, an operator or the end. */
export function isWordEnd(reader: Reader): boolean {
  const character = reader.peek();
  if (!metacharacters.includes(character)) return false;
  const isProcess = (character === '<' || character === '>') && reader.peek(1) === '(';
  return !isProcess;
}

/** What a word counts for, beside its parts. */
const wordWork = 128;

/** What a character counts for where there may be braces. */
const braceWork = 64;

function wordFrom(reader: Reader, from: number, parts: WordPart[]): SourcedWordNode {
  reader.spend(wordWork);
  return { type: 'Word', parts, source: reader.source.slice(from, reader.at) };
}

function withBraces(reader: Reader, parts: WordPart[]): WordPart[] {
  if (!parts.some((part) => part.type === 'Literal' && part.value.includes('{'))) return parts;
  for (const part of parts) reader.spend(braceWork * (part.type === 'Literal' ? part.value.length : 1));
  return findBraces(parts);
}

/** A word of a command; `undefined` where none begins. */
export function readWord(reader: Reader): WordNode | undefined {
  if (reader.isAtEnd || isWordEnd(reader)) return undefined;
  const from = reader.at;
  const parts = readParts(reader, { quoting: 'word', isEnd: isWordEnd, tilde: 'start', groups: 'patterns' });
  return wordFrom(reader, from, withBraces(reader, parts));
}

/** A word at whose place an assignment could stand: what is in brackets after a name is of it, blanks too. */
export function readCommandWord(reader: Reader): WordNode | undefined {
  nameStart.lastIndex = reader.at;
  const name = nameStart.exec(reader.source)?.[0];
  const open = reader.at + (name?.length ?? 0);
  if (name === undefined || reader.source[open] !== '[') return readWord(reader);
  const end = reader.skipBrackets(open + 1, '[]');
  if (end > reader.source.length) throw reader.unexpectedEnd(']', open);
  const from = reader.at;
  const isEnd = (at: Reader): boolean => at.at >= end && isWordEnd(at);
  return wordFrom(reader, from, readParts(reader, { quoting: 'word', isEnd, groups: 'patterns' }));
}

/** A word in which braces are none: of `[[`, `case`, an assignment or a redirection. */
export function readPlainWord(reader: Reader, tilde: 'start' | 'assignment' = 'start'): WordNode {
  const from = reader.at;
  const parts = readParts(reader, { quoting: 'word', isEnd: isWordEnd, tilde, groups: 'patterns' });
  return wordFrom(reader, from, parts);
}

function isExpressionEnd(reader: Reader): boolean {
  return ' \t\n);&<>'.includes(reader.peek());
}

/** The right side of `=~`. */
export function readRegularExpression(reader: Reader): WordNode {
  const from = reader.at;
  const parts = readParts(reader, {
    quoting: 'word',
    isEnd: isExpressionEnd,
    tilde: 'start',
    groups: 'regular-expression',
  });
  return wordFrom(reader, from, parts);
}

const nameStart = /[A-Za-z_]\w*/y;
const assignmentOperator = /\+?=/y;

/** `name=value`, `name[subscript]+=value`, `name=(…)`; `undefined` where there is none. */
export function readAssignment(reader: Reader): AssignmentNode | undefined {
  const target = assignmentTarget(reader);
  if (!target) return undefined;
  const line = reader.line();
  reader.at = target.end;
  const { name, append } = target;
  if (reader.peek() === '(') {
    return { type: 'Assignment', name, value: null, append, array: readArray(reader), line };
  }
  const value = isWordEnd(reader) || reader.isAtEnd ? null : readPlainWord(reader, 'assignment');
  return { type: 'Assignment', name, value, append, array: null, line };
}

/** The name, with its subscript, before `=` or `+=`, and where the value begins. */
function assignmentTarget(reader: Reader): { name: string; append: boolean; end: number } | undefined {
  const { source, at } = reader;
  nameStart.lastIndex = at;
  const name = nameStart.exec(source)?.[0];
  if (name === undefined) return undefined;
  let end = at + name.length;
  if (source[end] === '[') end = reader.skipBrackets(end + 1, '[]');
  assignmentOperator.lastIndex = end;
  const operator = assignmentOperator.exec(source)?.[0];
  if (operator === undefined) return undefined;
  return { name: source.slice(at, end), append: operator === '+=', end: end + operator.length };
}

/** `(…)` of an array's value. */
function readArray(reader: Reader): WordNode[] {
  const openedAt = reader.at;
  reader.at += 1;
  const words: WordNode[] = [];
  for (;;) {
    skipBlanks(reader, { newlines: true });
    if (reader.take(')')) return words;
    if (reader.isAtEnd) throw reader.unexpectedEnd(')', openedAt);
    const word = readElement(reader) ?? readWord(reader);
    if (word === undefined) throw reader.unexpectedToken(tokenAt(reader), reader.at, { isOfLine: true });
    words.push(word);
  }
}

/** `[subscript]=value`. Its parts are for an indexed array where there are braces: those make other words of it. */
function readElement(reader: Reader): (ElementWordNode & SourcedWordNode) | undefined {
  if (reader.peek() !== '[') return undefined;
  const { source, at } = reader;
  const end = reader.skipBrackets(at + 1, '[]');
  assignmentOperator.lastIndex = end;
  const operator = assignmentOperator.exec(source)?.[0];
  if (operator === undefined) return undefined;
  reader.at = end + operator.length;
  const value: WordNode = isWordEnd(reader)
    ? { type: 'Word', parts: [] }
    : readPlainWord(reader, 'assignment');
  const start: WordPart = { type: 'Literal', value: source.slice(at, end + operator.length) };
  return {
    ...wordFrom(reader, at, withBraces(reader, [start, ...value.parts])),
    element: { subscript: source.slice(at + 1, end - 1), append: operator === '+=', value },
  };
}
