import type {
  CaseItemNode,
  CaseNode,
  CommandNode,
  CompoundCommandNode,
  ForNode,
  FunctionDefNode,
  IfNode,
  RedirectionNode,
  SelectNode,
  StatementNode,
  WordNode,
} from '../ast.ts';
import { SyntaxProblem } from '../syntax-problem.ts';
import { expandAfterAlias, expandAlias } from './expand-alias.ts';
import { skipNewlines, takeNewline } from './here-documents.ts';
import { readConditional } from './read-conditional.ts';
import { readRedirection } from './read-redirection.ts';
import { arithmeticNode, readDoubleParentheses } from './read-substitution.ts';
import { readPlainWord, readWord } from './read-word.ts';
import type { Reader } from './reader.ts';
import { reservedWords } from './reserved-words.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt, rawWord, tokenAt } from './token-at.ts';

/** A compound command with its redirections; `undefined` where none begins. */
export function readCompound(reader: Reader): CompoundCommandNode | undefined {
  reader.enter();
  const line = reader.line();
  const command = readBody(reader);
  reader.leave();
  if (!command) return undefined;
  command.line = line;
  for (const redirection of readRedirections(reader)) command.redirections.push(redirection);
  return command;
}

function readBody(reader: Reader): CompoundCommandNode | undefined {
  if (reader.peek() === '(') return readArithmeticCommand(reader) ?? readSubshell(reader);
  switch (bareWordAt(reader)) {
    case '{':
      return { type: 'Group', body: readBetween(reader, '{', '}'), redirections: [] };
    case 'if':
      return readIf(reader);
    case 'while':
      return { type: 'While', ...readLoop(reader, 'while') };
    case 'until':
      return { type: 'Until', ...readLoop(reader, 'until') };
    case 'for':
      return readFor(reader);
    case 'select':
      return readSelect(reader);
    case 'case':
      return readCase(reader);
    case '[[':
      reader.at += 2;
      return {
        type: 'ConditionalCommand',
        expression: reader.inConditional(() => readConditional(reader)),
        redirections: [],
      };
    default:
      return undefined;
  }
}

function readRedirections(reader: Reader): RedirectionNode[] {
  const redirections: RedirectionNode[] = [];
  for (;;) {
    skipBlanks(reader);
    const redirection = readRedirection(reader);
    if (!redirection) return redirections;
    redirections.push(redirection);
  }
}

/** Goes past blanks and ends of lines, and expands the aliases of what follows: it may be a reserved word by one. */
function skipToReserved(reader: Reader, aliases: 'all' | 'after alias' = 'all'): void {
  do {
    skipNewlines(reader);
    if (aliases === 'all') expandAlias(reader);
    else expandAfterAlias(reader);
  } while (reader.peek() === '\n');
}

/** Goes past a reserved word. */
function expectWord(reader: Reader, word: string): void {
  skipNewlines(reader);
  expandAfterAlias(reader);
  if (bareWordAt(reader) !== word) skipToReserved(reader);
  if (bareWordAt(reader) !== word)
    throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  reader.at += word.length;
}

function readBetween(reader: Reader, opening: string, closing: string): StatementNode[] {
  reader.at += opening.length;
  const statements = reader.options.grammar.readList(reader, [closing]);
  expectWord(reader, closing);
  return statements;
}

function readSubshell(reader: Reader): CompoundCommandNode {
  reader.at += 1;
  const body = reader.options.grammar.readList(reader, [')']);
  skipNewlines(reader);
  if (!reader.take(')'))
    throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  return { type: 'Subshell', body, redirections: [] };
}

function readArithmeticCommand(reader: Reader): CompoundCommandNode | undefined {
  if (reader.peek(1) !== '(') return undefined;
  const text = readDoubleParentheses(reader, reader.at);
  if (text === undefined) return undefined;
  return { type: 'ArithmeticCommand', expression: arithmeticNode(text), redirections: [] };
}

function readIf(reader: Reader): IfNode {
  const { readList } = reader.options.grammar;
  const clauses: IfNode['clauses'] = [];
  let elseBody: StatementNode[] | null = null;
  let word = 'if';
  while (word !== 'fi') {
    expectWord(reader, word);
    if (word === 'else') elseBody = readList(reader, ['fi']);
    else {
      const condition = readList(reader, ['then']);
      expectWord(reader, 'then');
      clauses.push({ condition, body: readList(reader, ['elif', 'else', 'fi']) });
    }
    const next = bareWordAt(reader);
    word = elseBody === null && (next === 'elif' || next === 'else') ? next : 'fi';
  }
  expectWord(reader, 'fi');
  return { type: 'If', clauses, elseBody, redirections: [] };
}

function readLoop(
  reader: Reader,
  word: 'while' | 'until',
): { condition: StatementNode[]; body: StatementNode[]; redirections: RedirectionNode[] } {
  reader.at += word.length;
  const condition = reader.options.grammar.readList(reader, ['do']);
  return { condition, body: readDoGroup(reader), redirections: [] };
}

/** `do … done`, or `{ … }`, which `for` may have in its place. */
function readDoGroup(reader: Reader, mayBeBraces = false): StatementNode[] {
  skipToReserved(reader);
  if (mayBeBraces && bareWordAt(reader) === '{') return readBetween(reader, '{', '}');
  if (bareWordAt(reader) !== 'do')
    throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  return readBetween(reader, 'do', 'done');
}

function readFor(reader: Reader): CompoundCommandNode {
  reader.at += 'for'.length;
  skipBlanks(reader);
  if (reader.startsWith('((')) return readCStyleFor(reader);
  return { type: 'For', ...readWordLoop(reader) };
}

function readSelect(reader: Reader): SelectNode {
  reader.at += 'select'.length;
  skipBlanks(reader);
  return { type: 'For', ...readWordLoop(reader), isSelect: true };
}

function readWordLoop(reader: Reader): Omit<ForNode, 'type'> {
  expandAfterAlias(reader);
  const variable = rawWord(reader);
  if (variable === '') throw reader.unexpectedToken(tokenAt(reader));
  reader.at += variable.length;
  skipBlanks(reader);
  expandAfterAlias(reader);
  if (reader.take(';')) return { variable, words: null, body: readDoGroup(reader, true), redirections: [] };
  skipNewlines(reader);
  expandAfterAlias(reader);
  let words: WordNode[] | null = null;
  if (bareWordAt(reader) === 'in') {
    reader.at += 'in'.length;
    words = readWords(reader);
    if (!reader.take(';') && !takeNewline(reader) && !reader.isAtEnd)
      throw reader.unexpectedToken(tokenAt(reader));
  }
  return { variable, words, body: readDoGroup(reader, true), redirections: [] };
}

function readWords(reader: Reader): WordNode[] {
  const words: WordNode[] = [];
  for (;;) {
    skipBlanks(reader);
    expandAfterAlias(reader);
    const word = readWord(reader);
    if (!word) return words;
    words.push(word);
  }
}

function readCStyleFor(reader: Reader): CompoundCommandNode {
  const at = reader.at;
  const text = readDoubleParentheses(reader, at);
  const [init, condition, update, ...more] = (text ?? '').split(';');
  if (text === undefined || update === undefined || more.length > 0) {
    const message = `syntax error: ${more.length > 0 ? "`;' unexpected" : 'arithmetic expression required'}`;
    throw new SyntaxProblem(message, { line: reader.line(at), isIncomplete: false });
  }
  skipBlanks(reader);
  reader.take(';');
  const node = (part: string | undefined) =>
    part === undefined || part.trim() === '' ? null : arithmeticNode(part);
  const body = readDoGroup(reader, true);
  return {
    type: 'CStyleFor',
    init: node(init),
    condition: node(condition),
    update: node(update),
    body,
    redirections: [],
  };
}

function readCase(reader: Reader): CaseNode {
  reader.at += 'case'.length;
  skipBlanks(reader);
  expandAfterAlias(reader);
  const word = readWord(reader);
  if (!word) throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  expectWord(reader, 'in');
  const { progress } = reader.options;
  const from = reader.at;
  const items = progress?.caseItems.resume(reader) ?? [];
  for (;;) {
    skipToReserved(reader, 'after alias');
    progress?.caseItems.keep(reader, from, items);
    if (reader.isAtEnd) throw reader.unexpectedEnd();
    if (bareWordAt(reader) === 'esac') break;
    items.push(readCaseItem(reader));
  }
  expectWord(reader, 'esac');
  return { type: 'Case', word, items, redirections: [] };
}

const terminators = [';;&', ';;', ';&'] as const;

function readCaseItem(reader: Reader): CaseItemNode {
  reader.take('(');
  const patterns: WordNode[] = [];
  do {
    skipBlanks(reader);
    expandAfterAlias(reader);
    const pattern = readPlainWord(reader);
    if (pattern.parts.length === 0) throw reader.unexpectedToken(tokenAt(reader));
    patterns.push(pattern);
    skipBlanks(reader);
    expandAfterAlias(reader);
  } while (reader.take('|'));
  if (!reader.take(')'))
    throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  skipToReserved(reader);
  const isEmpty = terminators.some((symbol) => reader.startsWith(symbol)) || bareWordAt(reader) === 'esac';
  const body = isEmpty ? [] : reader.options.grammar.readList(reader, [';;', ';&', 'esac']);
  skipNewlines(reader);
  const terminator = terminators.find((symbol) => reader.take(symbol)) ?? ';;';
  return { type: 'CaseItem', patterns, body, terminator };
}

const functionStart =
  /(?![A-Za-z_]\w*(?:\[[^\]]*\])?\+?=)([^\s;&|()<>'"\\$`]+)(?:[ \t]|\\\n)*\((?:[ \t]|\\\n)*\)/y;

/** `name() …` or `function name …`; `undefined` where there is none. */
export function readFunction(reader: Reader): CommandNode | undefined {
  const line = reader.line();
  const name = takeFunctionName(reader);
  if (name === undefined) return undefined;
  skipToReserved(reader);
  const body = readCompound(reader);
  if (!body) throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  // What is redirected is so for each call of the function.
  const redirections = body.redirections.splice(0);
  return { type: 'FunctionDef', name, body, redirections, line } satisfies FunctionDefNode;
}

function takeFunctionName(reader: Reader): string | undefined {
  if (bareWordAt(reader) === 'function') {
    reader.at += 'function'.length;
    skipBlanks(reader);
    const name = rawWord(reader);
    if (name === '') throw reader.unexpectedToken(tokenAt(reader));
    reader.at += name.length;
    skipBlanks(reader);
    const parentheses = /\((?:[ \t]|\\\n)*\)/y;
    parentheses.lastIndex = reader.at;
    reader.at += parentheses.exec(reader.source)?.[0].length ?? 0;
    return name;
  }
  functionStart.lastIndex = reader.at;
  const [start, name] = functionStart.exec(reader.source) ?? [];
  if (start === undefined || name === undefined || reservedWords.has(name)) return undefined;
  reader.at += start.length;
  return name;
}
