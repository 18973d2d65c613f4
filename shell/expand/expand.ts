import type {
  ArithmeticExpressionNode,
  AssignmentNode,
  ConditionalExpressionNode,
  WordNode,
} from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import { type AssignOptions, assignNamed, assignValue } from './assignments/assign-value.ts';
import { evaluateCondition } from './conditions/conditional-expression.ts';
import { testArguments } from './conditions/test-command.ts';
import type { ExpansionScope } from './expansion-scope.ts';
import { expandPromptText } from './parameters/expand-prompt.ts';
import { finish } from './steps.ts';
import { expandWordList } from './words/expand-word-list.ts';
import { expansionFor, plainText } from './words/word-expansion.ts';

export { matches } from './patterns/match-pattern.ts';
export { needsAnsiC, quote } from './quoting/quote.ts';

/** Every expansion: braces, tilde, parameters, commands, arithmetic, splitting, globs, quote removal. @throws ExpansionError */
export function expandWords(words: readonly WordNode[], scope: ExpansionScope): Promise<ShellText[]> {
  return finish(expandWordList(words, scope));
}

/** Without braces, splitting and globs: an assignment's value, a `case` word, a here-string. */
export function expandText(word: WordNode, scope: ExpansionScope): Promise<ShellText> {
  const plain = plainText(word);
  return plain === undefined ? finish(expansionFor(scope).text(word)) : Promise.resolve(plain);
}

/** As `expandText`, and what was quoted stays literal: a pattern for `matches`. */
export function expandPattern(word: WordNode, scope: ExpansionScope): Promise<ShellText> {
  return finish(expansionFor(scope).pattern(word));
}

/** A prompt's text: its escapes, then what `$` and backquotes stand for. */
export function expandPrompt(text: ShellText, scope: ExpansionScope): Promise<ShellText> {
  return finish(expandPromptText(text, expansionFor(scope)));
}

/** Does an assignment, of text or of an array. @throws AssignmentError, ExpansionError */
export function assign(
  assignment: AssignmentNode,
  scope: ExpansionScope,
  options: AssignOptions = {},
): Promise<void> {
  return finish(assignValue(assignment, scope, options));
}

/** `name` or `name[subscript]` from text, as `read`, `printf -v`, `declare`, `unset`, `test -v` get it. */
export function assignByName(target: ShellText, value: ShellText, scope: ExpansionScope): Promise<void> {
  return finish(assignNamed(target, value, scope));
}

/** The index of an indexed array, or the key of an associative one, that a subscript's source stands for. */
export function subscriptKey(
  name: string,
  subscript: ShellText,
  scope: ExpansionScope,
): Promise<ShellText | number> {
  return finish(expansionFor(scope).key(name, subscript));
}

/** The value of an arithmetic expression's text, of 64 bits. @throws ExpansionError */
export function evaluateArithmetic(text: ShellText, scope: ExpansionScope): Promise<bigint> {
  return finish(expansionFor(scope).evaluate(text));
}

/** The value of `((…))`, or of a part of `for ((…))`. */
export function evaluateArithmeticNode(
  node: ArithmeticExpressionNode,
  scope: ExpansionScope,
): Promise<bigint> {
  return evaluateArithmetic(node.originalText ?? '', scope);
}

/** As `evaluateArithmetic`, at once: for integer variables, whose values run no commands. */
export function evaluateArithmeticNow(text: ShellText, scope: ExpansionScope): bigint {
  return expansionFor(scope).evaluateNow(text);
}

/** The value of `[[ … ]]`. @throws ExpansionError, with status 2 and without message where `=~` has no expression */
export function evaluateConditional(
  expression: ConditionalExpressionNode,
  scope: ExpansionScope,
): Promise<boolean> {
  return finish(evaluateCondition(expression, scope));
}

/** `test` and `[`, without the closing bracket: 0, 1, or 2 for a mistake that `warn` told. */
export function evaluateTest(
  args: readonly ShellText[],
  scope: ExpansionScope,
  { name = 'test' }: { name?: string } = {},
): Promise<0 | 1 | 2> {
  return finish(testArguments(args, { scope, name }));
}
