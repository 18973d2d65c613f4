/** How strongly operators bind: a power more than a product, `||` the least. */
export const binaryOperators: ReadonlyMap<string, number> = new Map([
  ['||', 0],
  ['&&', 1],
  ['|', 2],
  ['^', 3],
  ['&', 4],
  ['==', 5],
  ['!=', 5],
  ['<=', 6],
  ['>=', 6],
  ['<', 6],
  ['>', 6],
  ['<<', 7],
  ['>>', 7],
  ['+', 8],
  ['-', 8],
  ['*', 9],
  ['/', 9],
  ['%', 9],
  ['**', 10],
]);

/** The value of 64 bits, which wraps. A divisor is not 0, an exponent not negative. */
export function calculate(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return BigInt.asIntN(64, left + right);
    case '-':
      return BigInt.asIntN(64, left - right);
    case '*':
      return BigInt.asIntN(64, left * right);
    case '/':
      return BigInt.asIntN(64, left / right);
    case '%':
      return left % right;
    case '**':
      return power(left, right);
    case '<<':
      return BigInt.asIntN(64, left << (right & 63n));
    case '>>':
      return left >> (right & 63n);
    case '&':
      return left & right;
    case '^':
      return left ^ right;
    case '|':
      return left | right;
    default:
      return isTrue(operator, left, right) ? 1n : 0n;
  }
}

function isTrue(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '&&':
      return left !== 0n && right !== 0n;
    default:
      return left !== 0n || right !== 0n;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asIntN(64, result * factor);
    factor = BigInt.asIntN(64, factor * factor);
  }
  return result;
}
