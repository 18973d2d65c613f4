import type { AssignmentNode, AssignmentWordNode, ElementWordNode, WordNode } from './ast.ts';

const assignmentStart = /^([A-Za-z_]\w*(?:\[[^\]]*\])?)(\+?)=/;

/** The assignment that an argument of `declare`, `export`, `local`, `readonly` or `typeset` is, if it is one. */
export function assignmentOf(word: WordNode): AssignmentNode | undefined {
  if ('assignment' in word) return (word as AssignmentWordNode).assignment;
  const [first, ...rest] = word.parts;
  if (first?.type !== 'Literal') return undefined;
  const [start, name, plus] = assignmentStart.exec(first.value) ?? [];
  if (start === undefined || name === undefined) return undefined;
  const literal = first.value.slice(start.length);
  const parts = literal === '' ? rest : [{ type: 'Literal' as const, value: literal }, ...rest];
  return {
    type: 'Assignment',
    name,
    value: { type: 'Word', parts },
    append: plus === '+',
    array: null,
  };
}

/** The element that a word of an array's value names, if it names one. */
export function elementOf(word: WordNode): ElementWordNode['element'] | undefined {
  return 'element' in word ? (word as ElementWordNode).element : undefined;
}
