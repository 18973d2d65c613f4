import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { type AwkValue, InputText } from './values.ts';

const mostCharacters = 4 * shellLimits.valueLength;

/** What all arrays of a program hold together. */
export class ArrayBudget {
  elements = 0;
  characters = 0;

  add(elements: number, characters: number): void {
    this.elements += elements;
    this.characters += characters;
    if (this.elements > shellLimits.arrayElements) {
      throw new ShellLimitError(
        'arrayElements',
        `the arrays have more than ${shellLimits.arrayElements} elements`,
      );
    }
    if (this.characters > mostCharacters) {
      throw new ShellLimitError('valueLength', `the arrays have more than ${mostCharacters} characters`);
    }
  }
}

/** An associative array, in the order in which its elements came. */
export class AwkArray {
  readonly #budget: ArrayBudget;
  readonly #elements: Map<ShellText, AwkValue> = new Map();
  #characters = 0;

  constructor(budget: ArrayBudget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#elements.size;
  }

  has(key: ShellText): boolean {
    return this.#elements.has(key);
  }

  /** The element, which is there afterwards. */
  get(key: ShellText): AwkValue {
    const value = this.#elements.get(key);
    if (value === undefined && !this.#elements.has(key)) this.set(key, undefined);
    return value;
  }

  set(key: ShellText, value: AwkValue): void {
    const isNew = !this.#elements.has(key);
    const added = isNew ? key.length + lengthOf(value) : lengthOf(value) - lengthOf(this.#elements.get(key));
    this.#characters += added;
    if (isNew || added > 0) this.#budget.add(isNew ? 1 : 0, added);
    else this.#budget.characters += added;
    this.#elements.set(key, value);
  }

  delete(key: ShellText): void {
    if (!this.#elements.has(key)) return;
    const characters = key.length + lengthOf(this.#elements.get(key));
    this.#characters -= characters;
    this.#budget.add(-1, -characters);
    this.#elements.delete(key);
  }

  clear(): void {
    this.#budget.add(-this.#elements.size, -this.#characters);
    this.#characters = 0;
    this.#elements.clear();
  }

  keys(): ShellText[] {
    return [...this.#elements.keys()];
  }

  values(): AwkValue[] {
    return [...this.#elements.values()];
  }
}

function lengthOf(value: AwkValue): number {
  if (typeof value === 'string') return value.length;
  return value instanceof InputText ? value.text.length : 0;
}
