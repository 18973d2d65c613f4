import type { AssignmentWordNode, SimpleCommandNode, SourcedWordNode, WordNode } from '../ast.ts';
import type { SyntaxProblem } from '../syntax-problem.ts';
import { expandAfterAlias, expandAlias } from './expand-alias.ts';
import { readParts } from './read-parts.ts';
import { readRedirection } from './read-redirection.ts';
import { isWordEnd, readAssignment, readCommandWord, readWord } from './read-word.ts';
import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { tokenAt } from './token-at.ts';

/** Commands whose arguments may be assignments, of arrays too. */
const declarationCommands: ReadonlySet<string> = new Set([
  ...['declare', 'typeset', 'local', 'export', 'readonly', 'alias', 'let', 'eval'],
]);

/** What a command counts for. */
const commandWork = 512;

/** Assignments, a command's words and redirections, up to an operator. */
export function readSimpleCommand(reader: Reader): SimpleCommandNode {
  const command: SimpleCommandNode = {
    type: 'SimpleCommand',
    assignments: [],
    name: null,
    args: [],
    redirections: [],
    line: reader.line(),
  };
  const from = reader.at;
  reader.spend(commandWork);
  let isDeclaration = false;
  for (let elements = 0; ; elements++) {
    // bash has made the command, and counts its line, when it has read the second of its words.
    if (elements === 1 || elements === 2) command.line = reader.line();
    skipBlanks(reader);
    if (command.name) expandAfterAlias(reader);
    const redirection = readRedirection(reader);
    if (redirection) {
      command.redirections.push(redirection);
      continue;
    }
    const assignment = command.name ? undefined : readAssignment(reader);
    if (assignment) {
      command.assignments.push(assignment);
      continue;
    }
    // A command's name may be an alias after assignments and redirections, too: what it stands for may be more of them.
    if (!command.name && reader.at > from && isExpanded(reader)) continue;
    const word = command.name
      ? (isDeclaration && readAssignmentWord(reader, { isText: literalOf(command.name) === 'eval' })) ||
        readWord(reader)
      : readCommandWord(reader);
    if (word === undefined) break;
    if (command.name) command.args.push(word);
    else command.name = word;
    isDeclaration ||= isDeclarationCommand(command, word);
  }
  if (reader.at === from)
    throw reader.isAtEnd ? reader.unexpectedEnd() : reader.unexpectedToken(tokenAt(reader));
  if (reader.peek() === '(') throw unexpectedParenthesis(reader, command);
  return command;
}

function isExpanded(reader: Reader): boolean {
  const { source } = reader;
  expandAlias(reader);
  return reader.source !== source;
}

/** After one word it begins a function's definition, whose `)` is missing then. */
function unexpectedParenthesis(
  reader: Reader,
  { assignments, args, redirections }: SimpleCommandNode,
): SyntaxProblem {
  const isFunction = assignments.length + args.length + redirections.length === 0;
  if (!isFunction) return reader.unexpectedToken('(');
  const at = reader.at;
  reader.at += 1;
  skipBlanks(reader);
  return reader.unexpectedToken(tokenAt(reader), at);
}

function isDeclarationCommand(command: SimpleCommandNode, word: WordNode): boolean {
  return command.name === word && declarationCommands.has(literalOf(word) ?? '');
}

function literalOf({ parts }: WordNode): string | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.type === 'Literal' ? part.value : undefined;
}

/** `eval name=(…)` gets the parentheses as text, with what is expanded in them. */
function readAsText(reader: Reader, at: number, source: string): SourcedWordNode {
  const end = reader.at;
  reader.at = at;
  const parts = readParts(reader, { quoting: 'word', isEnd: (inner) => inner.at >= end });
  return { type: 'Word', parts, source };
}

function readAssignmentWord(
  reader: Reader,
  { isText }: { isText: boolean },
): (AssignmentWordNode & SourcedWordNode) | SourcedWordNode | undefined {
  if (reader.isAtEnd || isWordEnd(reader)) return undefined;
  const { at } = reader;
  const assignment = readAssignment(reader);
  if (!assignment) return undefined;
  const { name, append, value } = assignment;
  const source = reader.source.slice(at, reader.at);
  if (assignment.array && isText) return readAsText(reader, at, source);
  if (!value) return { type: 'Word', parts: [{ type: 'Literal', value: source }], assignment, source };
  const start = { type: 'Literal' as const, value: `${name}${append ? '+' : ''}=` };
  return { type: 'Word', parts: [start, ...value.parts], assignment, source };
}
