import type { ParameterExpansionPart, ParameterOperation, WordNode } from '../ast.ts';
import { arithmeticNode } from './read-substitution.ts';
import type { PartsOptions, Quoting, Reader } from './reader.ts';

type InnerOperation = Exclude<ParameterOperation, { type: 'Indirection' | 'ArrayKeys' | 'VarNamePrefix' }>;

const namePattern = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y;
const prefixPattern = /([A-Za-z_]\w*)([*@])\}/y;
const keysPattern = /([A-Za-z_]\w*)\[([*@])\]\}/y;
const operatorStart = /[:\-=?+#%/^,@}]/;

/** Where an expansion stands: in quotes, or in an assignment's value, whose colons tildes may follow. */
export interface ParameterContext {
  readonly quoting: Quoting;
  readonly isAssignment: boolean;
}

/** `${…}`. What is no expansion at all is an error when it is expanded: bash reads it, too. */
export function readParameter(reader: Reader, context: ParameterContext): ParameterExpansionPart {
  const openedAt = reader.at;
  reader.at += 2;
  reader.joinLinesAt(reader.at);
  reader.joinLines();
  reader.enter();
  const part = readBody(reader, context) ?? badSubstitution(reader, openedAt);
  reader.leave();
  return part;
}

function readBody(reader: Reader, context: ParameterContext): ParameterExpansionPart | undefined {
  if (reader.peek() === '#') {
    const length = readLength(reader);
    if (length) return length;
  }
  if (reader.peek() === '!') {
    const indirect = readIndirect(reader, context);
    if (indirect !== 'none') return indirect;
  }
  const parameter = readName(reader);
  if (parameter === undefined) return undefined;
  const operation = readOperation(reader, context);
  return operation === undefined ? undefined : expansion(parameter, operation);
}

function expansion(parameter: string, operation: ParameterOperation | null): ParameterExpansionPart {
  return { type: 'ParameterExpansion', parameter, operation };
}

/** A parameter and its subscript. */
function readName(reader: Reader): string | undefined {
  namePattern.lastIndex = reader.at;
  const name = namePattern.exec(reader.source)?.[0];
  if (name === undefined) return undefined;
  reader.at += name.length;
  if (reader.peek() !== '[' || !/^[A-Za-z_]/.test(name)) return name;
  const end = reader.skipBrackets(reader.at + 1, '[]');
  const subscript = reader.source.slice(reader.at, end);
  if (subscript === '[]') return undefined;
  reader.at = end;
  return name + subscript;
}

/** `${#name}`; `undefined` where `#` is the parameter. */
function readLength(reader: Reader): ParameterExpansionPart | undefined {
  const from = reader.at;
  reader.at += 1;
  const parameter = readName(reader);
  if (parameter !== undefined && reader.take('}')) return expansion(parameter, { type: 'Length' });
  reader.at = from;
  return undefined;
}

/** `${!…}`; `none` where `!` is the parameter. */
function readIndirect(
  reader: Reader,
  context: ParameterContext,
): ParameterExpansionPart | 'none' | undefined {
  const from = reader.at;
  reader.at += 1;
  if (reader.peek() === '#' && reader.peek(1) !== '}') return undefined;
  const [prefixed, prefix, prefixStar] = matchAt(prefixPattern, reader) ?? [];
  if (prefixed !== undefined && prefix !== undefined) {
    reader.at += prefixed.length;
    return expansion('', { type: 'VarNamePrefix', prefix, star: prefixStar === '*' });
  }
  const [keys, array, keysStar] = matchAt(keysPattern, reader) ?? [];
  if (keys !== undefined && array !== undefined) {
    reader.at += keys.length;
    return expansion('', { type: 'ArrayKeys', array, star: keysStar === '*' });
  }
  const parameter =
    operatorStart.test(reader.peek()) && !isIndirectSpecial(reader) ? undefined : readName(reader);
  if (parameter === undefined) {
    reader.at = from;
    return 'none';
  }
  const innerOp = readOperation(reader, context);
  if (innerOp === undefined) return undefined;
  return expansion(parameter, innerOp === null ? { type: 'Indirection' } : { type: 'Indirection', innerOp });
}

/** `${!#}`, `${!@}`: the parameter that `#` or `@` names. */
function isIndirectSpecial(reader: Reader): boolean {
  return /^[#?@-][}:]/.test(reader.source.slice(reader.at, reader.at + 2));
}

function matchAt(pattern: RegExp, reader: Reader): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  return pattern.exec(reader.source);
}

/** The operation and the closing brace; `null` of none, `undefined` where it is no operation. */
function readOperation(reader: Reader, context: ParameterContext): InnerOperation | null | undefined {
  if (reader.take('}')) return null;
  const operation = readOperator(reader, context);
  if (operation === undefined) return undefined;
  if (reader.isAtEnd) throw reader.unexpectedEnd('}');
  return reader.take('}') ? operation : undefined;
}

function readOperator(reader: Reader, context: ParameterContext): InnerOperation | undefined {
  const checkEmpty = reader.peek() === ':';
  const symbol = reader.peek(checkEmpty ? 1 : 0);
  if (symbol !== '' && '-=?+'.includes(symbol)) {
    reader.at += checkEmpty ? 2 : 1;
    return defaultOperation(symbol, { checkEmpty, word: readOperand(reader, context) });
  }
  reader.at += 1;
  switch (checkEmpty ? ':' : symbol) {
    case ':':
      return readSubstring(reader);
    case '#':
      return {
        type: 'PatternRemoval',
        side: 'prefix',
        greedy: reader.take('#'),
        pattern: readPattern(reader),
      };
    case '%':
      return {
        type: 'PatternRemoval',
        side: 'suffix',
        greedy: reader.take('%'),
        pattern: readPattern(reader),
      };
    case '/':
      return readReplacement(reader);
    case '^':
      return readCaseModification(reader, 'upper');
    case ',':
      return readCaseModification(reader, 'lower');
    case '@':
      return readTransform(reader);
    default:
      return undefined;
  }
}

function defaultOperation(
  symbol: string,
  operand: { checkEmpty: boolean; word: WordNode },
): InnerOperation | undefined {
  switch (symbol) {
    case '-':
      return { type: 'DefaultValue', ...operand };
    case '=':
      return { type: 'AssignDefault', ...operand };
    case '?':
      return { type: 'ErrorIfUnset', ...operand };
    default:
      return { type: 'UseAlternative', ...operand };
  }
}

function readWordParts(reader: Reader, options: PartsOptions): WordNode {
  return { type: 'Word', parts: reader.options.grammar.readParts(reader, options) };
}

function isClosingBrace(reader: Reader): boolean {
  return reader.peek() === '}';
}

/** The word of `${x:-word}`, which is between double quotes where the expansion is. */
function readOperand(reader: Reader, context: ParameterContext): WordNode {
  const { quoting, isAssignment } = context;
  const isQuoted = quoting !== 'word' && quoting !== 'brace';
  return readWordParts(reader, {
    quoting: isQuoted ? 'brace-double' : 'brace',
    isEnd: isClosingBrace,
    tilde: isQuoted ? undefined : isAssignment ? 'assignment' : 'start',
  });
}

/** A pattern has quotes of its own, even between double quotes. */
function readPattern(reader: Reader): WordNode {
  return readWordParts(reader, { quoting: 'brace', isEnd: isClosingBrace, tilde: 'start' });
}

function readReplacement(reader: Reader): InnerOperation {
  const all = reader.take('/');
  const anchor = all ? null : reader.take('#') ? 'start' : reader.take('%') ? 'end' : null;
  const from = reader.at;
  const isEnd = (at: Reader): boolean =>
    isClosingBrace(at) || (at.peek() === '/' && !(all && at.at === from));
  const pattern = readWordParts(reader, { quoting: 'brace', isEnd, tilde: 'start' });
  const replacement = reader.take('/') ? readPattern(reader) : null;
  return { type: 'PatternReplacement', pattern, replacement, all, anchor };
}

function readCaseModification(reader: Reader, direction: 'upper' | 'lower'): InnerOperation {
  const all = reader.take(direction === 'upper' ? '^' : ',');
  const pattern = isClosingBrace(reader) ? null : readPattern(reader);
  return { type: 'CaseModification', direction, all, pattern };
}

const transformOperators = ['Q', 'P', 'a', 'A', 'E', 'K', 'k', 'u', 'U', 'L'] as const;

function readTransform(reader: Reader): InnerOperation | undefined {
  const operator = transformOperators.find((letter) => reader.peek() === letter);
  if (operator === undefined || reader.peek(1) !== '}') return undefined;
  reader.at += 1;
  return { type: 'Transform', operator };
}

/** `offset` or `offset:length`. A colon of `?:` and in brackets is none of them. */
function readSubstring(reader: Reader): InnerOperation | undefined {
  const offset = readArithmeticText(reader, ':');
  if (offset === '' && reader.peek() === '}') return undefined;
  const length = reader.take(':') ? readArithmeticText(reader, '') : undefined;
  return {
    type: 'Substring',
    offset: arithmeticNode(offset),
    length: length === undefined ? null : arithmeticNode(length),
  };
}

function readArithmeticText(reader: Reader, closing: string): string {
  const { source, at: from } = reader;
  let depth = 0;
  let questions = 0;
  let at = from;
  while (at < source.length) {
    const character = source[at] ?? '';
    if (depth === 0 && character === '}') break;
    if (depth === 0 && character === closing) {
      if (questions === 0) break;
      questions -= 1;
    }
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    else if (character === '?' && depth === 0) questions += 1;
    at = reader.skipOne(at);
  }
  reader.at = Math.min(at, source.length);
  return source.slice(from, reader.at);
}

function badSubstitution(reader: Reader, openedAt: number): ParameterExpansionPart {
  const end = reader.skipBrackets(openedAt + 2, '{}');
  if (end > reader.source.length) throw reader.unexpectedEnd('}', openedAt);
  reader.at = end;
  const text = reader.source.slice(openedAt, end);
  return expansion('', { type: 'BadSubstitution', text });
}
