import type { ArithmeticExpressionNode, ScriptNode, SourcedSubstitution, WordPart } from '../ast.ts';
import { SyntaxProblem } from '../syntax-problem.ts';
import type { Reader } from './reader.ts';

/** `$(…)`, or what begins like arithmetic and is a subshell in a substitution. */
export function readCommandSubstitution(reader: Reader): SourcedSubstitution {
  const from = reader.at;
  reader.at += 2;
  const body = readSubstituted(reader);
  return { type: 'CommandSubstitution', body, legacy: false, source: reader.source.slice(from, reader.at) };
}

/** `<(…)` or `>(…)`. */
export function readProcessSubstitution(reader: Reader): SourcedSubstitution {
  const from = reader.at;
  const direction = reader.peek() === '<' ? 'input' : 'output';
  reader.at += 2;
  const body = readSubstituted(reader);
  return { type: 'ProcessSubstitution', body, direction, source: reader.source.slice(from, reader.at) };
}

function readSubstituted(reader: Reader): ScriptNode {
  return reader.inSubstitution(() => reader.options.grammar.readScript(reader, ')'));
}

/** `` `…` ``, in which a backslash quotes `$`, a backquote and a backslash, and a quote between double quotes (not in a here-document). */
export function readBackquotes(reader: Reader, isQuoted: boolean): WordPart {
  const openedAt = reader.at;
  const { source } = reader;
  let text = '';
  for (let at = openedAt + 1; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '`') {
      reader.at = at + 1;
      const body = readLater(reader.sub(text, reader.line(openedAt)));
      return { type: 'CommandSubstitution', body, legacy: true };
    }
    const next = source[at + 1] ?? '';
    if (character === '\\' && next === '\n') at += 1;
    else if (character === '\\' && next !== '' && ('$`\\'.includes(next) || (isQuoted && next === '"'))) {
      text += next;
      at += 1;
    } else text += character;
  }
  throw reader.unexpectedEnd('`', openedAt);
}

/** Commands whose mistakes are told when they are run. */
function readLater(reader: Reader): ScriptNode {
  try {
    return reader.options.grammar.readScript(reader, undefined);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const deferredError = { message: error.message, token: '' };
    return {
      type: 'Script',
      statements: [{ type: 'Statement', pipelines: [], operators: [], background: false, deferredError }],
    };
  }
}

/** `$((…))` or `$[…]`; `undefined` where it is none. */
export function readArithmetic(reader: Reader): WordPart | undefined {
  const { source, at } = reader;
  if (source[at + 1] === '[') {
    const end = reader.skipBrackets(at + 2, '[]');
    if (end > source.length) return undefined;
    reader.at = end;
    return { type: 'ArithmeticExpansion', expression: arithmeticNode(source.slice(at + 2, end - 1)) };
  }
  if (source[at + 2] !== '(') return undefined;
  const text = readDoubleParentheses(reader, at + 1, { joinsLines: true });
  return text === undefined ? undefined : { type: 'ArithmeticExpansion', expression: arithmeticNode(text) };
}

/** The text between `((` at `from` and `))`, past which the reader goes; `undefined` where it does not end so. */
export function readDoubleParentheses(
  reader: Reader,
  from: number,
  { joinsLines = false }: { joinsLines?: boolean } = {},
): string | undefined {
  let depth = 0;
  for (let at = from + 2; at < reader.source.length; ) {
    const character = reader.source[at];
    if (joinsLines && character === ')' && depth === 0) reader.joinLinesAt(at + 1);
    const { source } = reader;
    if (character === '(') depth += 1;
    else if (character === ')') {
      if (depth === 0) {
        if (source[at + 1] !== ')') return undefined;
        reader.at = at + 2;
        return source.slice(from + 2, at);
      }
      depth -= 1;
    }
    // An apostrophe is no quote in arithmetic between double quotes; unbalanced ones are rare elsewhere.
    at = character === "'" ? at + 1 : reader.skipOne(at);
  }
  throw reader.unexpectedEnd(')', from);
}

/** What is evaluated is the text, when its time has come: the tree of it is not made. */
export function arithmeticNode(originalText: string): ArithmeticExpressionNode {
  return { type: 'ArithmeticExpression', expression: { type: 'ArithNumber', value: 0 }, originalText };
}
