import { assignmentOf } from '../syntax/assignment-word.ts';
import type { AssignmentNode, SimpleCommandNode, WordNode } from '../syntax/ast.ts';

/** One word of a command that declares variables. */
type DeclarationWord =
  | { readonly type: 'word'; readonly word: WordNode }
  /** `name=` and the value that follows it. */
  | { readonly type: 'text'; readonly prefix: string; readonly value: WordNode }
  | { readonly type: 'array'; readonly assignment: AssignmentNode };

export type DeclarationWords = readonly DeclarationWord[];

const declarations: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);

/** The words of a command that declares variables: assignments among them are expanded as such. `undefined` of other commands. */
export function declarationWords({ name, args }: SimpleCommandNode): DeclarationWords | undefined {
  if (!name || !declarations.has(literalOf(name))) return undefined;
  return [{ type: 'word', word: name }, ...args.map(declarationWord)];
}

function declarationWord(word: WordNode): DeclarationWord {
  const assignment = assignmentOf(word);
  if (!assignment) return { type: 'word', word };
  if (assignment.array) return { type: 'array', assignment };
  const prefix = `${assignment.name}${assignment.append ? '+=' : '='}`;
  return { type: 'text', prefix, value: assignment.value ?? { type: 'Word', parts: [] } };
}

function literalOf({ parts }: WordNode): string {
  const [part, ...rest] = parts;
  return part?.type === 'Literal' && rest.length === 0 ? part.value : '';
}
