import type { CommandNode, StatementNode, WordNode } from '../syntax/ast.ts';
import { print } from '../syntax/parse.ts';
import type { ShellText } from '../text.ts';
import type { ShellFunction } from './call-frame.ts';

/** A word as it was written, for messages. */
export function sourceOfWord(word: WordNode): ShellText {
  return sourceOfCommand({
    type: 'SimpleCommand',
    name: word,
    args: [],
    assignments: [],
    redirections: [],
  });
}

/** A command as it was written, for `BASH_COMMAND`. */
export function sourceOfCommand(command: CommandNode): ShellText {
  return print({
    type: 'Script',
    statements: [
      {
        type: 'Statement',
        pipelines: [{ type: 'Pipeline', commands: [command], negated: false }],
        operators: [],
        background: false,
      },
    ],
  }).trim();
}

/** A function as the environment has it: without its name. */
export function exportedSource(called: ShellFunction): ShellText {
  return sourceOfFunction(called)
    .slice(called.name.length)
    .replace(/^\s*\(\)\s*/, '() ');
}

/** What `BASH_COMMAND` shows of a command: the head of a loop, all of a simple command. */
export function headOfCommand(command: CommandNode): ShellText {
  if (command.type === 'For') {
    return `for ${command.variable} in ${command.words ? command.words.map(sourceOfWord).join(' ') : '"$@"'}`;
  }
  if (command.type === 'Case') return `case ${sourceOfWord(command.word)} in `;
  if (command.type === 'ArithmeticCommand') return `((${command.expression.originalText ?? ''}))`;
  return sourceOfCommand(command);
}

/** A statement as it was written, without the `&` at its end, for `jobs`. */
export function sourceOfStatement(statement: StatementNode): ShellText {
  const text = statement.sourceText ?? print({ type: 'Script', statements: [statement] });
  return text.trim().replace(/\s*&$/, '');
}

/** A function as `declare -f` shows it. */
export function sourceOfFunction({ name, body, redirections }: ShellFunction): ShellText {
  return sourceOfCommand({ type: 'FunctionDef', name, body, redirections: [...redirections] });
}
