import type { Regex } from '../patterns/regex.ts';
import type { AwkArray } from './awk-array.ts';
import type { Expression } from './awk-syntax.ts';
import type { Machine } from './machine.ts';
import type { AwkValue } from './values.ts';

/** Computes a value at once. */
export type Evaluate = (machine: Machine) => AwkValue;

export type ArrayOf = (machine: Machine) => AwkArray;

/** What an expression does with the values of its operands. */
export interface Operation {
  readonly operands: readonly Expression[];
  /** With up to three operands. */
  apply(machine: Machine, first: AwkValue, second: AwkValue, third: AwkValue): AwkValue;
}

/** As `Operation`, but of any number of operands, or one that may have to be waited for. */
export interface ListOperation {
  readonly operands: readonly Expression[];
  readonly isDirect: boolean;
  applyAll(machine: Machine, values: readonly AwkValue[]): AwkValue | Promise<AwkValue>;
}

/** A target: its subscript or field number is computed before what is assigned. */
export interface Place {
  readonly operands: readonly Expression[];
  read(machine: Machine, key: AwkValue): AwkValue;
  write(machine: Machine, key: AwkValue, value: AwkValue): void;
}

/** A regular expression as an operand: known at once where it is written down. */
export interface RegexOperand {
  readonly operands: readonly Expression[];
  get(machine: Machine, pattern: AwkValue): Regex;
}
