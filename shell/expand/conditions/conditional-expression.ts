import type { ConditionalExpressionNode, WordNode } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import { ArithmeticError } from '../arithmetic/arithmetic-error.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';
import { matches } from '../patterns/match-pattern.ts';
import type { Steps } from '../steps.ts';
import { expansionFor } from '../words/word-expansion.ts';
import { compareIntegers } from './compare-integers.ts';
import { compareFiles } from './file-tests.ts';
import { matchAndRemember } from './remember-match.ts';
import { testUnary } from './unary-tests.ts';

type BinaryNode = Extract<ConditionalExpressionNode, { type: 'CondBinary' }>;

/** The expression of `[[ … ]]`. */
export function* evaluateCondition(
  expression: ConditionalExpressionNode,
  scope: ExpansionScope,
): Steps<boolean> {
  switch (expression.type) {
    case 'CondWord':
      return (yield* expansionFor(scope).text(expression.word)) !== '';
    case 'CondUnary':
      return yield* testUnary(
        expression.operator,
        yield* expansionFor(scope).text(expression.operand),
        scope,
      );
    case 'CondBinary':
      return yield* evaluateBinary(expression, scope);
    case 'CondNot':
      return !(yield* evaluateCondition(expression.operand, scope));
    case 'CondGroup':
      return yield* evaluateCondition(expression.expression, scope);
    case 'CondAnd':
      return (
        (yield* evaluateCondition(expression.left, scope)) &&
        (yield* evaluateCondition(expression.right, scope))
      );
    case 'CondOr':
      return (
        (yield* evaluateCondition(expression.left, scope)) ||
        (yield* evaluateCondition(expression.right, scope))
      );
  }
}

function* evaluateBinary({ operator, left, right }: BinaryNode, scope: ExpansionScope): Steps<boolean> {
  const expansion = expansionFor(scope);
  const text = yield* expansion.text(left);
  switch (operator) {
    case '=':
    case '==':
      return yield* matchesWord(text, right, scope);
    case '!=':
      return !(yield* matchesWord(text, right, scope));
    case '=~':
      return matchAndRemember(text, yield* expansion.pieces(right.parts, false), scope);
    case '<':
      return text < (yield* expansion.text(right));
    case '>':
      return text > (yield* expansion.text(right));
    case '-nt':
    case '-ot':
    case '-ef':
      return compareFiles(operator, { left: text, right: yield* expansion.text(right) }, scope);
    default: {
      const other = yield* expansion.text(right);
      return compareIntegers(operator, yield* evaluate(text, scope), yield* evaluate(other, scope));
    }
  }
}

function* matchesWord(text: ShellText, word: WordNode, scope: ExpansionScope): Steps<boolean> {
  const pattern = yield* expansionFor(scope).pattern(word);
  return matches(pattern, text, { extglob: true, ignoreCase: scope.options.hasShopt('nocasematch') });
}

function* evaluate(text: ShellText, scope: ExpansionScope): Steps<bigint> {
  try {
    return yield* expansionFor(scope).evaluate(text);
  } catch (error) {
    if (error instanceof ArithmeticError) throw new ExpansionError(`[[: ${error.message}`);
    throw error;
  }
}
