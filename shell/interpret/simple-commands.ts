import { assign, expandText, expandWords } from '../expand/expand.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import { AssignmentError } from '../state/variables.ts';
import type { AssignmentNode, CoprocessNode, SimpleCommandNode, WordNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import type { Builtin } from './builtin.ts';
import { specialBuiltins } from './builtin.ts';
import { BuiltinCall } from './builtin-call.ts';
import { functionToCall, withoutHash } from './command-lookup.ts';
import { sourceOfWord } from './command-text.ts';
import { CommandDiscard, ShellExit } from './control-flow.ts';
import { runCoprocess } from './coprocesses.ts';
import { type DeclarationWords, declarationWords } from './declaration-words.ts';
import { guardExpansions } from './failures.ts';
import { callFunction } from './function-calls.ts';
import { runProgram } from './program-commands.ts';
import { withRedirections } from './redirections.ts';
import type { Shell } from './shell.ts';
import { runSubshell } from './subshells.ts';
import { runDebugTrap } from './trap-runs.ts';
import { traceAssignment, traceWords } from './xtrace.ts';

/** Runs a simple command. Answers its status. */
export async function runSimpleCommand(shell: Shell, command: SimpleCommandNode): Promise<number> {
  shell.setLine(command.line);
  await runDebugTrap(shell, command);
  const mark = shell.processSubstitutions.length;
  try {
    const status = await guardExpansions(shell, () => run(shell, command));
    await shell.flushWarnings();
    shell.lastStatus = status;
    shell.pipeStatus = [status];
    return status;
  } finally {
    if (shell.processSubstitutions.length > mark) shell.closeSubstitutions(mark);
  }
}

async function run(shell: Shell, command: SimpleCommandNode): Promise<number> {
  if ('coprocess' in command) return await runCoprocess(shell, command as CoprocessNode);
  shell.substitutionStatus = undefined;
  const declaration = declarationWords(command);
  const words = declaration
    ? await expandDeclaration(shell, declaration)
    : { words: await expandWords(wordsOf(command), shell.scope), arrays: noArrays };
  const [name] = words.words;
  if (name === undefined) return await runAssignments(shell, command);
  await shell.flushWarnings();
  if (command.assignments.length > 0) return await runWithAssignments(shell, command, words);
  if (shell.options.has('xtrace')) await traceWords(shell, words.words);
  return await dispatch(shell, command, { ...words, temporary: noNames });
}

const noArrays: ReadonlyMap<number, AssignmentNode> = new Map();
const noNames: ReadonlySet<string> = new Set();

interface ExpandedCommand {
  readonly words: readonly ShellText[];
  /** Arrays that a declaration assigns, by the index of the word that has their name. */
  readonly arrays: ReadonlyMap<number, AssignmentNode>;
}

function wordsOf({ name, args }: SimpleCommandNode): readonly WordNode[] {
  return name ? [name, ...args] : args;
}

/** The arguments of `declare` and its like are assignments: not split, no file names. */
async function expandDeclaration(shell: Shell, declaration: DeclarationWords): Promise<ExpandedCommand> {
  const words: ShellText[] = [];
  const arrays = new Map<number, AssignmentNode>();
  for (const argument of declaration) {
    if (argument.type === 'word') {
      for (const word of await expandWords([argument.word], shell.scope)) words.push(word);
    } else if (argument.type === 'text') {
      words.push(argument.prefix + (await expandText(argument.value, shell.scope)));
    } else {
      arrays.set(words.length, argument.assignment);
      words.push(argument.assignment.name);
    }
  }
  return { words, arrays };
}

/** Assignments without a command are of the shell itself. The status is that of the last command substitution. */
async function runAssignments(shell: Shell, command: SimpleCommandNode): Promise<number> {
  for (const assignment of command.assignments) {
    await assign(assignment, shell.scope);
    shell.assigned(assignment.name);
    if (shell.options.has('xtrace')) await traceAssignment(shell, assignment);
  }
  const status = shell.substitutionStatus;
  shell.lastArgument = '';
  // Where a variable is to name a descriptor, bash makes a process for the redirections: neither stays.
  if (command.redirections.some(({ fdVariable }) => fdVariable !== undefined)) {
    const redirections = { run: () => Promise.resolve(0) };
    return await runSubshell(shell, async (subshell) => {
      subshell.lastStatus = await withRedirections(subshell, command.redirections, redirections);
    });
  }
  return await withRedirections(shell, command.redirections, {
    run: () => Promise.resolve(shell.substitutionStatus ?? status ?? 0),
  });
}

/** Assignments before a command are exported to it, and gone when it has ended. */
async function runWithAssignments(
  shell: Shell,
  command: SimpleCommandNode,
  expanded: ExpandedCommand,
): Promise<number> {
  const [name = ''] = expanded.words;
  const temporary = new Set<string>();
  if (shell.options.has('posix') && specialBuiltins.has(name)) {
    return await runWithLastingAssignments(shell, command, expanded);
  }
  shell.variables.pushScope('temporary');
  try {
    for (const assignment of command.assignments) await assignTemporarily(shell, assignment, temporary);
    if (shell.options.has('xtrace')) await traceWords(shell, expanded.words);
    if (temporary.has('PATH'))
      return await withoutHash(shell, () => dispatch(shell, command, { ...expanded, temporary }));
    if (name === 'export' && !shell.functions.has(name)) {
      return await exportInPlace(shell, command, { ...expanded, temporary });
    }
    return await dispatch(shell, command, { ...expanded, temporary });
  } finally {
    shell.variables.popScope();
  }
}

/** In POSIX mode, assignments before a special built-in stay. */
async function runWithLastingAssignments(
  shell: Shell,
  command: SimpleCommandNode,
  expanded: ExpandedCommand,
): Promise<number> {
  for (const assignment of command.assignments) {
    await assign(assignment, shell.scope);
    shell.variables.declare(assignment.name, { add: ['export'] });
    shell.assigned(assignment.name);
  }
  if (shell.options.has('xtrace')) await traceWords(shell, expanded.words);
  return await dispatch(shell, command, { ...expanded, temporary: noNames });
}

async function assignTemporarily(
  shell: Shell,
  assignment: AssignmentNode,
  names: Set<string>,
): Promise<void> {
  try {
    if (shell.variables.variable(assignment.name)?.attributes.has('readonly')) {
      throw new AssignmentError(`${assignment.name}: readonly variable`);
    }
    await assignVariable(shell, assignment);
    shell.variables.declare(assignment.name, { temporary: true, add: ['export'] });
    names.add(assignment.name);
    if (shell.options.has('xtrace')) await traceAssignment(shell, assignment);
  } catch (error) {
    if (!(error instanceof AssignmentError)) throw error;
    await shell.tell(error.message);
    // The command runs all the same, but in POSIX mode: there what is left of the line does not.
    if (shell.options.has('posix')) throw new CommandDiscard(1);
  }
}

async function assignVariable(shell: Shell, assignment: AssignmentNode): Promise<void> {
  const { name, array, append } = assignment;
  if (array) {
    // An array cannot be exported: the command gets its source.
    shell.variables.declare(name, { temporary: true });
    shell.variables.set(name, `(${array.map(sourceOfWord).join(' ')})`);
    return;
  }
  const before = append ? shell.variables.get(name) : undefined;
  if (before !== undefined) {
    shell.variables.declare(name, { temporary: true });
    shell.variables.set(name, before);
  }
  await assign(assignment, shell.scope, { temporary: true });
}

/** `x=1 export x` keeps the value. */
async function exportInPlace(
  shell: Shell,
  command: SimpleCommandNode,
  expanded: ExpandedCommand & { readonly temporary: ReadonlySet<string> },
): Promise<number> {
  const [, ...args] = expanded.words;
  const kept = args
    .filter((arg) => expanded.temporary.has(arg))
    .map((arg) => [arg, shell.variables.get(arg) ?? ''] as const);
  shell.variables.popScope();
  try {
    for (const [arg, value] of kept) shell.variables.set(arg, value);
    return await dispatch(shell, command, expanded);
  } finally {
    shell.variables.pushScope('temporary');
  }
}

async function dispatch(
  shell: Shell,
  command: SimpleCommandNode,
  expanded: ExpandedCommand & { readonly temporary: ReadonlySet<string> },
): Promise<number> {
  const { words, arrays, temporary } = expanded;
  const [name = '', ...args] = words;
  const { redirections } = command;
  const called = functionToCall(shell, name);
  if (called) {
    const status = await withRedirections(shell, redirections, {
      run: () => callFunction(shell, called, { args, hasAssignments: temporary.size > 0 }),
    });
    shell.lastArgument = words.at(-1) ?? '';
    return status;
  }
  const builtin = shell.builtin(name);
  if (builtin) {
    const call = new BuiltinCall({ name, args, arrays: shiftKeys(arrays) });
    const isStrict = shell.options.has('posix') && specialBuiltins.has(name) && !shell.isInteractive;
    const status = await withRedirections(shell, redirections, {
      run: () => runBuiltin(shell, builtin, call),
      keeps: () => call.keepsRedirections,
      isFatal: isStrict,
    });
    shell.lastArgument = words.at(-1) ?? '';
    if (isStrict && status === usageStatus && !runsCommands.has(name) && shell.expectedFailures === 0)
      throw new ShellExit(status);
    return status;
  }
  shell.lastArgument = words.at(-1) ?? '';
  const inPlace = shell.commandInPlace === command;
  return await withRedirections(shell, redirections, { run: () => runProgram(shell, words, { inPlace }) });
}

/** What built-ins answer that were called wrongly: in POSIX mode that ends the shell, where the built-in is a special one. */
const usageStatus = 2;

/** Whose status is that of the commands that they run. */
const runsCommands: ReadonlySet<string> = new Set(['.', 'eval', 'source']);

function shiftKeys(arrays: ReadonlyMap<number, AssignmentNode>): ReadonlyMap<number, AssignmentNode> {
  if (arrays.size === 0) return arrays;
  return new Map([...arrays].map(([index, assignment]) => [index - 1, assignment]));
}

/** Runs a built-in. What it cannot write, or assign, is its status 1. */
async function runBuiltin(shell: Shell, builtin: Builtin, call: BuiltinCall): Promise<number> {
  try {
    const status = await builtin(shell, call);
    await shell.flushWarnings();
    return status & 0xff;
  } catch (error) {
    if (error instanceof AssignmentError) {
      await shell.tell(error.message);
      return 1;
    }
    if (!(error instanceof ShellError) || error instanceof ShellLimitError) throw error;
    await shell.tell(`${call.name}: write error: ${error.message}`);
    return 1;
  }
}
