import { AwkProblem } from './awk-problem.ts';
import type { ArithmeticOperator, ComparisonOperator } from './awk-syntax.ts';
import { limitText, type Machine } from './machine.ts';
import { type AwkValue, compareValues, toNumber } from './values.ts';

export function calculate(operator: ArithmeticOperator): (left: AwkValue, right: AwkValue) => number {
  switch (operator) {
    case '+':
      return (left, right) => toNumber(left) + toNumber(right);
    case '-':
      return (left, right) => toNumber(left) - toNumber(right);
    case '*':
      return (left, right) => toNumber(left) * toNumber(right);
    case '/':
      return (left, right) => {
        const divisor = toNumber(right);
        if (divisor === 0) throw new AwkProblem('division by zero');
        return toNumber(left) / divisor;
      };
    case '%':
      return (left, right) => {
        const divisor = toNumber(right);
        if (divisor === 0) throw new AwkProblem('division by zero in %');
        return toNumber(left) % divisor;
      };
    case '^':
      return (left, right) => toNumber(left) ** toNumber(right);
  }
}

type Compare = (machine: Machine, left: AwkValue, right: AwkValue) => number;

/** Answers 1 or 0. */
export function compare(operator: ComparisonOperator): Compare {
  switch (operator) {
    case '<':
      return (machine, left, right) => Number(order(machine, left, right) < 0);
    case '<=':
      return (machine, left, right) => Number(order(machine, left, right) <= 0);
    case '==':
      return (machine, left, right) => Number(order(machine, left, right) === 0);
    case '!=':
      return (machine, left, right) => Number(order(machine, left, right) !== 0);
    case '>':
      return (machine, left, right) => Number(order(machine, left, right) > 0);
    case '>=':
      return (machine, left, right) => Number(order(machine, left, right) >= 0);
  }
}

function order({ settings }: Machine, left: AwkValue, right: AwkValue): number {
  // Most are numbers. Infinities have no difference.
  if (typeof left === 'number' && typeof right === 'number') return left === right ? 0 : left - right;
  return compareValues(left, right, settings.convfmt);
}

export function concatenate(machine: Machine, values: readonly AwkValue[]): AwkValue {
  let text = '';
  for (const value of values) text += machine.text(value);
  machine.spend(text.length);
  return limitText(text);
}
