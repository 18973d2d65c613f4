import { expandPattern, expandText, expandWords, matches } from '../expand/expand.ts';
import { AssignmentError } from '../state/variables.ts';
import type { CaseNode, ForNode, IfNode, UntilNode, WhileNode } from '../syntax/ast.ts';
import { encodeText, type ShellText } from '../text.ts';
import { ShellExit } from './control-flow.ts';
import { insideLoop, runLoopBody } from './loops.ts';
import { readLine } from './read-line.ts';
import type { Shell } from './shell.ts';
import { runDebugTrap } from './trap-runs.ts';
import { traceCase, traceFor } from './xtrace.ts';

export async function runIf(shell: Shell, { clauses, elseBody }: IfNode): Promise<number> {
  for (const { condition, body } of clauses) {
    const status = await shell.whileFailureIsExpected(() => shell.runStatements(condition));
    if (status === 0) return await shell.runStatements(body);
  }
  return elseBody ? await shell.runStatements(elseBody) : 0;
}

export async function runWhile(
  shell: Shell,
  { type, condition, body }: WhileNode | UntilNode,
): Promise<number> {
  return await insideLoop(shell, async () => {
    for (;;) {
      const pause = shell.step();
      if (pause) await pause;
      let holds = true;
      const step = await runLoopBody(shell, async () => {
        const last = shell.loopStatus;
        const status = await shell.whileFailureIsExpected(() => shell.runStatements(condition));
        holds = (status === 0) === (type === 'While');
        return holds ? await shell.runStatements(body) : last;
      });
      if (!holds || step === 'leave') return;
    }
  });
}

export async function runFor(shell: Shell, node: ForNode): Promise<number> {
  const { variable, words, body } = node;
  shell.setLine(node.line);
  if (!/^[A-Za-z_]\w*$/.test(variable)) {
    await shell.tell(`\`${variable}': not a valid identifier`);
    if (shell.options.has('posix') && !shell.isInteractive) throw new ShellExit(2);
    return 1;
  }
  const values = words === null ? shell.positional : await expandWords(words, shell.scope);
  return await insideLoop(shell, async () => {
    for (const value of values) {
      const pause = shell.step();
      if (pause) await pause;
      shell.setLine(node.line);
      await runDebugTrap(shell, node);
      if (shell.options.has('xtrace')) await traceFor(shell, node);
      setVariable(shell, variable, value);
      if ((await runLoopBody(shell, () => shell.runStatements(body))) === 'leave') return;
    }
  });
}

/** `select`: a menu on standard error, and a loop over what is chosen of it, until the input ends. */
export async function runSelect(shell: Shell, node: ForNode): Promise<number> {
  const { variable, words, body } = node;
  const values = words === null ? shell.positional : await expandWords(words, shell.scope);
  if (values.length === 0) return 0;
  return await insideLoop(shell, async () => {
    let showsMenu = true;
    for (;;) {
      if (showsMenu) await shell.writeStderr(encodeText(menuOf(values)));
      await shell.writeStderr(encodeText(shell.variables.get('PS3') ?? '#? '));
      const line = await readLine(shell.standardInput(), { signal: shell.inputSignal });
      if (line === undefined || !line.isComplete) {
        await shell.print('\n');
        shell.loopStatus = 1;
        return;
      }
      shell.variables.set('REPLY', line.text);
      showsMenu = line.text === '';
      if (showsMenu) continue;
      const choice = /^\s*\d+\s*$/.test(line.text) ? values[Number(line.text) - 1] : undefined;
      setVariable(shell, variable, choice ?? '');
      if ((await runLoopBody(shell, () => shell.runStatements(body))) === 'leave') return;
    }
  });
}

function menuOf(values: readonly ShellText[]): ShellText {
  const width = String(values.length).length;
  return values.map((value, index) => `${String(index + 1).padStart(width)}) ${value}\n`).join('');
}

export async function runCase(shell: Shell, node: CaseNode): Promise<number> {
  shell.setLine(node.line);
  await runDebugTrap(shell, node);
  if (shell.options.has('xtrace')) await traceCase(shell, node);
  const word = await expandText(node.word, shell.scope);
  const options = {
    extglob: shell.options.hasShopt('extglob'),
    ignoreCase: shell.options.hasShopt('nocasematch'),
  };
  let status = 0;
  let runsNext = false;
  for (const { patterns, body, terminator } of node.items) {
    if (!runsNext) {
      let isMatch = false;
      for (const pattern of patterns) {
        isMatch = matches(await expandPattern(pattern, shell.scope), word, options);
        if (isMatch) break;
      }
      if (!isMatch) continue;
    }
    status = await shell.runStatements(body);
    if (terminator === ';;') break;
    runsNext = terminator === ';&';
  }
  return status;
}

/** Gives a loop's variable the next value. */
function setVariable(shell: Shell, name: string, value: ShellText): void {
  const variable = shell.variables.variable(name);
  // A reference refers to each of the values in turn.
  if (variable?.attributes.has('nameref') && /^[A-Za-z_]\w*(\[.*\])?$/s.test(value)) {
    if (variable.attributes.has('readonly')) throw new AssignmentError(`${name}: readonly variable`);
    variable.value = { type: 'text', text: value };
  } else shell.variables.set(name, value);
  shell.assigned(name);
}
