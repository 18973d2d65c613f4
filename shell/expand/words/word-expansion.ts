import type { WordNode, WordPart } from '../../syntax/ast.ts';
import { parseQuotedText, parseSubscript } from '../../syntax/parse.ts';
import type { ShellText } from '../../text.ts';
import {
  type ArithmeticScope,
  type EvaluationJournal,
  evaluateExpression,
  PendingSubscript,
} from '../arithmetic/evaluate-expression.ts';
import { SubscriptQuotes } from '../arithmetic/subscript-quotes.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';
import { expandParameter } from '../parameters/expand-parameter.ts';
import { joinPattern, joinPieces, type Piece } from '../pieces.ts';
import { finishNow, type Steps, wait } from '../steps.ts';
import { bracesAsText } from './expand-braces.ts';
import { expandTilde } from './expand-tilde.ts';

const expansions = new WeakMap<ExpansionScope, WordExpansion>();

/** The expansion that is done for a shell. */
export function expansionFor(scope: ExpansionScope): WordExpansion {
  let expansion = expansions.get(scope);
  if (!expansion) {
    expansion = new WordExpansion(scope);
    expansions.set(scope, expansion);
  }
  return expansion;
}

/** Expands the parts of words. */
class WordExpansion implements Expansion {
  readonly scope: ExpansionScope;
  readonly #arithmetic: ArithmeticScope;

  constructor(scope: ExpansionScope) {
    this.scope = scope;
    this.#arithmetic = {
      get variables() {
        return scope.variables;
      },
      get options() {
        return scope.options;
      },
      special: (name) => scope.special(name),
      specialArray: (name) => scope.specialArray(name),
      expandSubscript: (subscript) => this.#subscriptNow(subscript),
      warn: (message) => scope.warn(message),
    };
  }

  *pieces(parts: readonly WordPart[], quoted: boolean): Steps<Piece[]> {
    const pieces: Piece[] = [];
    for (const part of parts) yield* this.#expand(part, quoted, pieces);
    return pieces;
  }

  *text(word: WordNode): Steps<ShellText> {
    return plainText(word) ?? joinPieces(yield* this.pieces(word.parts, false));
  }

  *pattern(word: WordNode): Steps<ShellText> {
    return joinPattern(yield* this.pieces(word.parts, false));
  }

  *evaluate(text: ShellText): Steps<bigint> {
    const expression = yield* this.#arithmeticText(text);
    let scope = this.#arithmetic;
    for (;;) {
      const journal: EvaluationJournal = { hasWritten: false };
      try {
        return evaluateExpression(expression, scope, journal);
      } catch (error) {
        if (!(error instanceof PendingSubscript)) throw error;
        if (journal.hasWritten) throw new ExpansionError(error.message);
        scope = knowing(scope, error.subscript, yield* this.text(parseSubscript(error.subscript)));
      }
    }
  }

  #subscriptNow(subscript: ShellText): ShellText {
    if (/\$\(|`/.test(subscript)) throw new PendingSubscript(subscript);
    return finishNow(this.text(parseSubscript(subscript)));
  }

  evaluateNow(text: ShellText): bigint {
    if (/\$\(|`/.test(text)) throw new ExpansionError('a command cannot be run here');
    try {
      return evaluateExpression(finishNow(this.#arithmeticText(text)), this.#arithmetic);
    } catch (error) {
      throw error instanceof PendingSubscript ? new ExpansionError(error.message) : error;
    }
  }

  *key(name: string, subscript: ShellText): Steps<ShellText | number> {
    if (this.scope.variables.typeOf(name) === 'associative')
      return yield* this.text(parseSubscript(subscript));
    return Number(yield* this.evaluate(subscript));
  }

  /** Arithmetic is expanded as if in double quotes, and those that stand in it mean nothing but in subscripts. */
  *#arithmeticText(text: ShellText): Steps<ShellText> {
    if (!/[$`"\\]/.test(text)) return text;
    const subscripts = new SubscriptQuotes();
    let expanded = '';
    for (const part of parseQuotedText(text.replaceAll('$"', '"')).parts) {
      if (part.type === 'Literal') expanded += subscripts.literal(part.value);
      else expanded += subscripts.protect(joinPieces(yield* this.pieces([part], true)));
    }
    return expanded;
  }

  *#expand(part: WordPart, quoted: boolean, into: Piece[]): Steps<void> {
    switch (part.type) {
      case 'Literal':
        into.push({ type: quoted ? 'quoted' : 'literal', text: part.value });
        break;
      case 'Glob':
        into.push({ type: quoted ? 'quoted' : 'literal', text: part.pattern });
        break;
      case 'SingleQuoted':
      case 'Escaped':
        into.push({ type: 'quoted', text: part.value });
        break;
      case 'DoubleQuoted':
        addQuoted(yield* this.pieces(part.parts, true), into);
        break;
      case 'ParameterExpansion':
        yield* expandParameter(part, { expansion: this, quoted, into });
        break;
      case 'CommandSubstitution':
        into.push({
          type: quoted ? 'quoted' : 'expanded',
          text: yield* wait(this.scope.substitute(part.body)),
        });
        break;
      case 'ArithmeticExpansion': {
        const value = yield* this.evaluate(part.expression.originalText ?? '');
        into.push({ type: quoted ? 'quoted' : 'expanded', text: String(value) });
        break;
      }
      case 'ProcessSubstitution':
        into.push({
          type: 'quoted',
          text: yield* wait(this.scope.substituteProcess(part.body, part.direction)),
        });
        break;
      case 'BraceExpansion':
        for (const other of bracesAsText(part)) yield* this.#expand(other, quoted, into);
        break;
      case 'TildeExpansion':
        into.push({ type: 'quoted', text: expandTilde(part.user, this.scope) });
        break;
    }
  }
}

/** A scope that knows what one more subscript stands for. */
function knowing(scope: ArithmeticScope, subscript: ShellText, text: ShellText): ArithmeticScope {
  return {
    ...scope,
    expandSubscript: (other) => (other === subscript ? text : scope.expandSubscript(other)),
  };
}

/** What stood in double quotes is one word at least, but for a list without elements. */
function addQuoted(pieces: readonly Piece[], into: Piece[]): void {
  const hasNone = pieces.some(({ type }) => type === 'none');
  const isEmpty = pieces.every(
    (piece) => piece.type === 'none' || (piece.type === 'quoted' && piece.text === ''),
  );
  if (!isEmpty) {
    for (const piece of pieces) into.push(piece);
  } else if (hasNone) into.push({ type: 'none' });
  else into.push({ type: 'quoted', text: '' });
}

/** The text of a word that has nothing to expand. */
export function plainText({ parts }: WordNode): ShellText | undefined {
  const [part] = parts;
  if (part === undefined) return '';
  if (parts.length > 1) return undefined;
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'Escaped') return part.value;
  const [inner] = part.type === 'DoubleQuoted' ? part.parts : [];
  return part.type === 'DoubleQuoted' && part.parts.length === 1 && inner?.type === 'Literal'
    ? inner.value
    : undefined;
}
