import type { ShellText } from '../../text.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';

/** What an expression needs of its shell. */
export interface ArithmeticScope
  extends Pick<ExpansionScope, 'variables' | 'options' | 'special' | 'specialArray'> {
  /** What a subscript's source is without quotes and expansions. @throws PendingSubscript of one that runs a command */
  expandSubscript(subscript: ShellText): ShellText;
  warn(message: ShellText): void;
}

/** A subscript runs a command, for which evaluation would have to wait: it is evaluated again when that has run. */
export class PendingSubscript extends Error {
  readonly subscript: ShellText;

  constructor(subscript: ShellText) {
    super('a command cannot be run here');
    this.subscript = subscript;
  }
}

/** What an evaluation has done already. */
export interface EvaluationJournal {
  hasWritten: boolean;
}

interface VariableReference {
  readonly name: string;
  readonly subscript: ShellText | undefined;
}

/** Variables of an expression: their values are expressions themselves. */
export class ArithmeticVariables {
  readonly #scope: ArithmeticScope;
  readonly #journal: EvaluationJournal;
  readonly #evaluate: (text: ShellText) => bigint;

  constructor(
    { scope, journal }: { scope: ArithmeticScope; journal: EvaluationJournal },
    evaluate: (text: ShellText) => bigint,
  ) {
    this.#scope = scope;
    this.#journal = journal;
    this.#evaluate = evaluate;
  }

  read(reference: VariableReference): bigint {
    const text = this.#text(reference);
    if (text === undefined || text === '') return 0n;
    if (/^(0|[1-9]\d{0,14})$/.test(text)) return BigInt(text);
    return this.#evaluate(text);
  }

  write({ name, subscript }: VariableReference, value: bigint): void {
    const { variables } = this.#scope;
    const key = subscript === undefined ? undefined : this.#key(name, subscript);
    this.#journal.hasWritten = true;
    if (key === undefined) variables.set(name, String(value));
    else variables.setElement(name, key, String(value));
  }

  #text({ name, subscript }: VariableReference): ShellText | undefined {
    const { variables, options } = this.#scope;
    if (subscript === undefined) {
      const text = this.#scope.special(name) ?? variables.get(name) ?? this.#scope.specialArray(name)?.[0];
      if (text === undefined && options.has('nounset')) throw unbound(name);
      return text;
    }
    if (subscript === '') {
      this.#scope.warn(`${name}[]: bad array subscript`);
      return undefined;
    }
    const special = this.#scope.specialArray(name);
    if (special) return special.at(Number(this.#evaluate(subscript)));
    if (subscript === '@' || subscript === '*') return variables.elements(name).join(' ');
    const key = this.#key(name, subscript);
    const element = variables.element(name, key);
    if (element === undefined && typeof key === 'number' && key < 0) this.#checkNegative(name, key);
    if (element === undefined && options.has('nounset')) throw unbound(`${name}[${subscript}]`);
    return element;
  }

  #checkNegative(name: string, key: number): void {
    const highest = Number(this.#scope.variables.keys(name).at(-1) ?? -1);
    if (highest + 1 + key < 0) this.#scope.warn(`${name}: bad array subscript`);
  }

  #key(name: string, subscript: ShellText): ShellText | number {
    const isAssociative = this.#scope.variables.typeOf(name) === 'associative';
    const isPlain = !/[$`\\"']/.test(subscript);
    const key = isPlain ? subscript : this.#scope.expandSubscript(subscript);
    return isAssociative ? key : Number(this.#evaluate(key));
  }
}

function unbound(name: string): ExpansionError {
  return new ExpansionError(`${name}: unbound variable`, { isFatal: true });
}
