/** `-eq`, `-ne`, `-lt`, `-le`, `-gt`, `-ge`. */
export type IntegerOperator = '-eq' | '-ne' | '-lt' | '-le' | '-gt' | '-ge';

export function compareIntegers(operator: IntegerOperator, left: bigint, right: bigint): boolean {
  switch (operator) {
    case '-eq':
      return left === right;
    case '-ne':
      return left !== right;
    case '-lt':
      return left < right;
    case '-le':
      return left <= right;
    case '-gt':
      return left > right;
    case '-ge':
      return left >= right;
  }
}
