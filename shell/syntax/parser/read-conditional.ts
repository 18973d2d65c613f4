import type { ConditionalExpressionNode, WordNode } from '../ast.ts';
import { SyntaxProblem } from '../syntax-problem.ts';
import { skipNewlines } from './here-documents.ts';
import { readPlainWord, readRegularExpression } from './read-word.ts';
import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt, tokenAt } from './token-at.ts';

type BinaryNode = Extract<ConditionalExpressionNode, { type: 'CondBinary' }>;
type UnaryNode = Extract<ConditionalExpressionNode, { type: 'CondUnary' }>;

const unaryOperator = /^-[abcdefghknoprstuvwxzGLNORS]$/;
const binaryOperators: readonly string[] = [
  ...['=', '==', '!=', '=~', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'],
];

/** The expression of `[[ … ]]`, with the closing brackets. */
export function readConditional(reader: Reader): ConditionalExpressionNode {
  const expression = readOr(reader);
  skipNewlines(reader);
  if (isClosing(reader)) {
    reader.at += 2;
    return expression;
  }
  if (reader.isAtEnd) throw reader.unexpectedEnd(']]');
  throw unexpected(reader, `syntax error in conditional expression: unexpected token \`${tokenAt(reader)}'`);
}

function isClosing(reader: Reader): boolean {
  return bareWordAt(reader) === ']]';
}

function readOr(reader: Reader): ConditionalExpressionNode {
  const left = readAnd(reader);
  skipNewlines(reader);
  if (!reader.take('||')) return left;
  return { type: 'CondOr', left, right: readOr(reader) };
}

function readAnd(reader: Reader): ConditionalExpressionNode {
  const left = readTerm(reader);
  skipNewlines(reader);
  if (!reader.take('&&')) return left;
  return { type: 'CondAnd', left, right: readAnd(reader) };
}

function readTerm(reader: Reader): ConditionalExpressionNode {
  skipNewlines(reader);
  reader.enter();
  const term = readGroupOrNot(reader) ?? readTest(reader);
  reader.leave();
  return term;
}

function readGroupOrNot(reader: Reader): ConditionalExpressionNode | undefined {
  if (reader.take('(')) {
    const expression = readOr(reader);
    skipNewlines(reader);
    if (!reader.take(')')) throw unexpected(reader, `unexpected token \`${tokenAt(reader)}', expected \`)'`);
    return { type: 'CondGroup', expression };
  }
  const isNot = bareWordAt(reader) === '!' || (reader.startsWith('!(') && !reader.options.extglob?.());
  if (!isNot) return undefined;
  reader.at += 1;
  return { type: 'CondNot', operand: readTerm(reader) };
}

function readTest(reader: Reader): ConditionalExpressionNode {
  const first = bareWordAt(reader);
  if (reader.isAtEnd) throw reader.unexpectedEnd();
  if (first === ']]') throw unexpected(reader, "syntax error near `]]'");
  if (first !== undefined && unaryOperator.test(first)) {
    reader.at += 2;
    skipBlanks(reader);
    const operand = readOperand(reader, 'unary');
    return { type: 'CondUnary', operator: first as UnaryNode['operator'], operand };
  }
  const left = readPlainWord(reader);
  if (left.parts.length === 0) {
    throw unexpected(reader, `unexpected token \`${tokenAt(reader)}' in conditional command`);
  }
  skipBlanks(reader);
  const operator = takeBinaryOperator(reader);
  if (operator !== undefined) {
    skipBlanks(reader);
    const right = operator === '=~' ? readRegularExpression(reader) : readOperand(reader, 'binary');
    if (right.parts.length === 0) throw unexpectedArgument(reader, 'binary');
    return { type: 'CondBinary', operator, left, right };
  }
  const isEnd =
    isClosing(reader) || reader.startsWith('&&') || reader.startsWith('||') || reader.peek() === ')';
  if (isEnd) return { type: 'CondWord', word: left };
  const token = tokenAt(reader);
  const isWord = token !== 'newline' && !/^[;&|()<>]/.test(token);
  const expected = 'conditional binary operator expected';
  throw unexpected(reader, isWord ? expected : `unexpected token \`${token}', ${expected}`);
}

function takeBinaryOperator(reader: Reader): BinaryNode['operator'] | undefined {
  if (reader.peek() === '<' || reader.peek() === '>') {
    const symbol = reader.peek() === '<' ? '<' : '>';
    reader.at += 1;
    return symbol;
  }
  const word = bareWordAt(reader);
  if (word === undefined || !binaryOperators.includes(word)) return undefined;
  reader.at += word.length;
  return word as BinaryNode['operator'];
}

function readOperand(reader: Reader, kind: 'unary' | 'binary'): WordNode {
  if (isClosing(reader)) throw unexpectedArgument(reader, kind);
  const word = readPlainWord(reader);
  if (word.parts.length === 0) throw unexpectedArgument(reader, kind);
  return word;
}

function unexpectedArgument(reader: Reader, kind: 'unary' | 'binary'): SyntaxProblem {
  return unexpected(reader, `unexpected argument \`${tokenAt(reader)}' to conditional ${kind} operator`);
}

function unexpected(reader: Reader, message: string): SyntaxProblem {
  return new SyntaxProblem(message, { line: reader.line(), isIncomplete: reader.isAtEnd, keepsStatus: true });
}
