import type { ParameterOperation, WordNode } from '../../syntax/ast.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError } from '../expansion-scope.ts';
import type { Piece } from '../pieces.ts';
import { joinPieces } from '../pieces.ts';
import type { Steps } from '../steps.ts';
import { joiner, type ParameterValue, parseReference } from './parameter-value.ts';

type DefaultOperation = Extract<
  ParameterOperation,
  { type: 'DefaultValue' | 'AssignDefault' | 'ErrorIfUnset' | 'UseAlternative' }
>;

export function isDefaultOperation(operation: ParameterOperation): operation is DefaultOperation {
  const { type } = operation;
  return (
    type === 'DefaultValue' ||
    type === 'AssignDefault' ||
    type === 'ErrorIfUnset' ||
    type === 'UseAlternative'
  );
}

interface DefaultContext {
  readonly expansion: Expansion;
  readonly quoted: boolean;
  readonly into: Piece[];
  /** The parameter was found by `${!name…}`: a list that has elements counts as not empty then. */
  readonly isIndirect: boolean;
  /** Expands to the parameter's own value. */
  addValue(value: ParameterValue): void;
}

/** `${x-word}`, `${x=word}`, `${x?word}` and `${x+word}`, with a colon where empty counts as unset. */
export function* expandDefault(
  { parameter, value, operation }: { parameter: string; value: ParameterValue; operation: DefaultOperation },
  context: DefaultContext,
): Steps<void> {
  const isThere = isSet(value, operation.checkEmpty, context);
  if (operation.type === 'UseAlternative') {
    if (isThere) yield* addWord(operation.word, context);
    else if (!context.quoted || (value.type === 'list' && value.elements.length === 0))
      context.into.push({ type: 'none' });
    return;
  }
  if (isThere) {
    context.addValue(value);
    return;
  }
  switch (operation.type) {
    case 'DefaultValue':
      yield* addWord(operation.word, context);
      break;
    case 'AssignDefault':
      context.addValue(yield* assignDefault(parameter, operation.word, context.expansion));
      break;
    case 'ErrorIfUnset':
      throw new ExpansionError(`${parameter}: ${yield* errorText(operation, context.expansion)}`, {
        isFatal: true,
      });
  }
}

function isSet(
  value: ParameterValue,
  checkEmpty: boolean,
  { expansion, quoted, isIndirect }: DefaultContext,
): boolean {
  if (value.type === 'single') return value.text !== undefined && !(checkEmpty && value.text === '');
  if (value.elements.length === 0) return false;
  if (isIndirect) return true;
  return !checkEmpty || value.elements.join(value.star && quoted ? joiner(expansion) : ' ') !== '';
}

/** Without quotes a word that stands in the place of a value is divided as that would be, but for what it quotes itself. */
function* addWord(word: WordNode, { expansion, quoted, into }: DefaultContext): Steps<void> {
  const pieces = yield* expansion.pieces(word.parts, quoted);
  for (const piece of pieces) {
    // In quotes, a list without elements is an empty word there, as it would not be by itself.
    if (piece.type === 'none' && quoted) into.push({ type: 'quoted', text: '' });
    else into.push(piece.type === 'literal' ? { type: 'expanded', text: piece.text } : piece);
  }
}

function* assignDefault(parameter: string, word: WordNode, expansion: Expansion): Steps<ParameterValue> {
  const { name, subscript } = parseReference(parameter);
  if (!/^[A-Za-z_]/.test(name) || subscript === '@' || subscript === '*') {
    const shown = /^[A-Za-z_]/.test(name) ? parameter : `$${parameter}`;
    throw new ExpansionError(`${shown}: cannot assign in this way`);
  }
  const { variables } = expansion.scope;
  const text = joinPieces(yield* expansion.pieces(word.parts, false));
  if (subscript === undefined) {
    variables.set(name, text);
    return { type: 'single', text: variables.get(name) };
  }
  const key = yield* expansion.key(name, subscript);
  variables.setElement(name, key, text);
  return { type: 'single', text: variables.element(name, key) };
}

function* errorText(
  { word, checkEmpty }: Extract<DefaultOperation, { type: 'ErrorIfUnset' }>,
  expansion: Expansion,
): Steps<string> {
  const text = word ? yield* expansion.text(word) : '';
  if (text !== '') return text;
  return checkEmpty ? 'parameter null or not set' : 'parameter not set';
}
