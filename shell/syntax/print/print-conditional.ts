import type { ConditionalExpressionNode, WordNode } from '../ast.ts';

/** The expression of `[[ … ]]`, as bash prints it: a word alone is `-n word`. */
export function printConditional(
  node: ConditionalExpressionNode,
  printWord: (word: WordNode) => string,
): string {
  const print = (inner: ConditionalExpressionNode): string => printConditional(inner, printWord);
  switch (node.type) {
    case 'CondWord':
      return `-n ${printWord(node.word)}`;
    case 'CondUnary':
      return `${node.operator} ${printWord(node.operand)}`;
    case 'CondBinary':
      return `${printWord(node.left)} ${node.operator} ${printWord(node.right)}`;
    case 'CondNot':
      return `! ${print(node.operand)}`;
    case 'CondGroup':
      return `( ${print(node.expression)} )`;
    case 'CondAnd':
      return `${print(node.left)} && ${print(node.right)}`;
    case 'CondOr':
      return `${print(node.left)} || ${print(node.right)}`;
  }
}
