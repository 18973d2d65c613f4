import type {
  CommandNode,
  CoprocessNode,
  PipelineNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
} from '../ast.ts';
import { expandAfterAlias, expandAlias } from './expand-alias.ts';
import { skipNewlines, takeNewline } from './here-documents.ts';
import { readCompound, readFunction } from './read-compound.ts';
import { readParts } from './read-parts.ts';
import { readSimpleCommand } from './read-simple-command.ts';
import type { Grammar, Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { bareWordAt, tokenAt } from './token-at.ts';

export const grammar: Grammar = { readScript, readList, readParts };

/** Words that may not begin a command. */
const closingWords: ReadonlySet<string> = new Set([
  'then',
  'else',
  'elif',
  'fi',
  'do',
  'done',
  'esac',
  '}',
  'in',
]);

function readScript(reader: Reader, closing: ')' | undefined): ScriptNode {
  reader.enter();
  const { progress } = reader.options;
  const openedAt = reader.at;
  const statements = progress?.statements.resume(reader) ?? [];
  for (;;) {
    skipNewlines(reader);
    progress?.statements.keep(reader, openedAt, statements);
    if (closing !== undefined && reader.take(closing)) break;
    if (reader.isAtEnd) {
      if (closing !== undefined) throw reader.unexpectedEnd(closing, openedAt);
      break;
    }
    if (hasCommand(reader)) statements.push(readStatement(reader));
  }
  reader.leave();
  return { type: 'Script', statements };
}

/** The commands of one line, and of those that belong to it; `undefined` at the end. */
export function readLine(reader: Reader): ScriptNode | undefined {
  skipNewlines(reader);
  if (reader.isAtEnd) return undefined;
  reader.startLine();
  const statements: StatementNode[] = [];
  for (;;) {
    skipBlanks(reader);
    if (reader.isAtEnd || takeNewline(reader)) return { type: 'Script', statements };
    if (hasCommand(reader)) statements.push(readStatement(reader));
  }
}

/** Goes past blanks and ends of lines to a command, whose aliases are expanded then: they may stand for more of those. */
function skipToCommand(reader: Reader): void {
  do {
    skipNewlines(reader);
    expandAlias(reader);
  } while (reader.peek() === '\n');
}

/** Whether a command begins here, now that its aliases are expanded: one may stand for blanks, or for lines of them. */
function hasCommand(reader: Reader): boolean {
  expandAlias(reader);
  return !reader.isAtEnd && reader.peek() !== '\n';
}

function readList(reader: Reader, closings: readonly string[]): StatementNode[] {
  const { progress } = reader.options;
  const from = reader.at;
  const statements = progress?.statements.resume(reader) ?? [];
  for (;;) {
    skipNewlines(reader);
    progress?.statements.keep(reader, from, statements);
    if (!hasCommand(reader)) {
      if (reader.isAtEnd) throw reader.unexpectedEnd();
      continue;
    }
    const isClosed = closings.some((closing) => isAt(reader, closing));
    if (isClosed && statements.length > 0) return statements;
    if (isClosed) throw reader.unexpectedToken(tokenAt(reader));
    statements.push(readStatement(reader));
  }
}

function isAt(reader: Reader, closing: string): boolean {
  return /\w|\}/.test(closing) ? bareWordAt(reader) === closing : reader.startsWith(closing);
}

/** Pipelines that `&&` and `||` join, and what ends them: `;`, `&`, or the end of the line, which stays. */
function readStatement(reader: Reader): StatementNode {
  const from = reader.at;
  const before = reader.source.length;
  const pipelines = [readPipeline(reader)];
  const operators: StatementNode['operators'] = [];
  for (;;) {
    skipBlanks(reader);
    expandAfterAlias(reader);
    const operator = reader.take('&&') ? '&&' : reader.take('||') ? '||' : undefined;
    if (operator === undefined) break;
    operators.push(operator);
    skipToCommand(reader);
    if (reader.isAtEnd) throw reader.unexpectedEnd();
    pipelines.push(readPipeline(reader));
  }
  const isExpanded = reader.source.length !== before;
  const sourceText = isExpanded ? undefined : reader.source.slice(from, reader.at).trimEnd();
  const background = takeSeparator(reader, pipelines) === '&';
  return {
    type: 'Statement',
    pipelines,
    operators,
    background,
    ...(sourceText === undefined ? {} : { sourceText }),
  };
}

function takeSeparator(reader: Reader, pipelines: readonly PipelineNode[]): string | undefined {
  if (reader.startsWith(';;') || reader.startsWith(';&')) return undefined;
  if (reader.take(';')) return ';';
  if (reader.take('&')) return '&';
  const isEnd = reader.isAtEnd || reader.peek() === '\n' || reader.peek() === ')';
  // `if { …; } then`: a reserved word may follow another.
  const last = pipelines.at(-1)?.commands.at(-1);
  const isCompound = last?.type !== 'SimpleCommand' && last?.redirections.length === 0;
  if (!isEnd && !(isCompound && closingWords.has(bareWordAt(reader) ?? '')))
    throw reader.unexpectedToken(tokenAt(reader));
  return undefined;
}

function readPipeline(reader: Reader): PipelineNode {
  let negated = false;
  let timed = false;
  let timePosix = false;
  skipBlanks(reader);
  expandAlias(reader);
  const from = reader.at;
  for (;;) {
    skipBlanks(reader);
    expandAlias(reader);
    const word = bareWordAt(reader);
    if (word === '!') {
      negated = !negated;
      reader.at += 1;
    } else if (word === 'time' && !timed) {
      timed = true;
      reader.at += 'time'.length;
      skipBlanks(reader);
      if (bareWordAt(reader) === '-p') timePosix = reader.take('-p');
      skipBlanks(reader);
      if (bareWordAt(reader) === '--') reader.take('--');
    } else break;
  }
  const pipeline: PipelineNode = { type: 'Pipeline', commands: [], negated, timed, timePosix };
  const mayBeEmpty = reader.at > from && isPipelineEnd(reader);
  pipeline.commands.push(mayBeEmpty ? emptyCommand(reader) : readCommand(reader));
  const pipeStderr: boolean[] = [];
  for (;;) {
    skipBlanks(reader);
    expandAfterAlias(reader);
    if (reader.startsWith('||') || reader.peek() !== '|') break;
    pipeStderr.push(reader.peek(1) === '&');
    reader.at += reader.peek(1) === '&' ? 2 : 1;
    skipToCommand(reader);
    if (reader.isAtEnd) throw reader.unexpectedEnd();
    pipeline.commands.push(readCommand(reader));
  }
  if (pipeStderr.length > 0) pipeline.pipeStderr = pipeStderr;
  return pipeline;
}

function isPipelineEnd(reader: Reader): boolean {
  return reader.isAtEnd || '\n;)'.includes(reader.peek());
}

function emptyCommand(reader: Reader): SimpleCommandNode {
  return {
    type: 'SimpleCommand',
    assignments: [],
    name: null,
    args: [],
    redirections: [],
    line: reader.line(),
  };
}

function readCommand(reader: Reader): CommandNode {
  const command = readCoprocess(reader) ?? readFunction(reader) ?? readCompound(reader);
  if (command) return command;
  const word = bareWordAt(reader);
  if (word !== undefined && closingWords.has(word)) throw reader.unexpectedToken(word);
  return readSimpleCommand(reader);
}

const coprocessName = /[A-Za-z_]\w*(?=[ \t]+(?:[({]|(?:\[\[|if|while|until|for|select|case)[ \t\n]))/y;

/** `coproc [name] command`; a name stands before a compound command alone. */
function readCoprocess(reader: Reader): CoprocessNode | undefined {
  if (bareWordAt(reader) !== 'coproc') return undefined;
  reader.enter();
  const command = emptyCommand(reader);
  reader.at += 'coproc'.length;
  skipBlanks(reader);
  coprocessName.lastIndex = reader.at;
  const name = startsCompound(reader) ? undefined : coprocessName.exec(reader.source)?.[0];
  reader.at += name?.length ?? 0;
  skipBlanks(reader);
  const body = readCommand(reader);
  reader.leave();
  return { ...command, coprocess: { name, body } };
}

/** Words of which `while (true)` is no name and its command. */
const compoundWords: ReadonlySet<string> = new Set(['if', 'while', 'until', 'for', 'select', 'case']);

function startsCompound(reader: Reader): boolean {
  return compoundWords.has(bareWordAt(reader) ?? '');
}
