import type { ShellText } from '../text.ts';
import type { CallFrame, ShellFunction } from './call-frame.ts';
import { CommandDiscard, FunctionReturn } from './control-flow.ts';
import { withRedirections } from './redirections.ts';
import type { Shell } from './shell.ts';
import { runTrap } from './trap-runs.ts';

const inheritedTraps = ['DEBUG', 'RETURN', 'ERR'] as const;

/** Calls a function. Answers its status. */
export async function callFunction(
  shell: Shell,
  called: ShellFunction,
  { args, hasAssignments = false }: { args: readonly ShellText[]; hasAssignments?: boolean },
): Promise<number> {
  const frame: CallFrame = {
    type: 'function',
    name: called.name,
    source: called.source,
    callLine: shell.line,
  };
  const { positional } = shell;
  const optionIndex = { ...shell.optionIndex };
  return await inFrame(shell, frame, async () => {
    shell.variables.pushScope(hasAssignments ? 'call' : 'function');
    shell.positional = args;
    shell.line = called.line;
    try {
      const run = () => shell.runCommand(called.body);
      return await withRedirections(shell, called.redirections, { run });
    } finally {
      shell.positional = positional;
      frame.restoreOptions?.();
      // A function whose OPTIND is its own reads other arguments than its caller, which goes on where it was.
      if (shell.variables.isLocal('OPTIND')) Object.assign(shell.optionIndex, optionIndex);
      shell.variables.popScope();
    }
  });
}

/** Runs a function's body or a sourced file: `return` leaves it, loops around it are not its own. */
export async function inFrame(shell: Shell, frame: CallFrame, run: () => Promise<number>): Promise<number> {
  const { line, loopDepth } = shell;
  const depth = shell.frames.length + 1;
  shell.process.meter.check('callDepth', depth);
  const nest = Number(shell.variables.get('FUNCNEST') ?? 0);
  if (frame.type === 'function' && nest > 0 && depth > nest) {
    await shell.tell(`${frame.name}: maximum function nesting level exceeded (${nest})`);
    throw new CommandDiscard(1);
  }
  const suspended = frame.type === 'function' ? suspendTraps(shell, frame) : [];
  shell.frames.push(frame);
  if (frame.type === 'function') shell.loopDepth = 0;
  // The stack of the thread is deeper than calls are: let it go from time to time.
  if (shell.frames.length % 16 === 0) await Promise.resolve();
  try {
    shell.lastStatus = await untilReturn(run);
    await runTrap(shell, 'RETURN');
    return shell.lastStatus;
  } finally {
    shell.frames.pop();
    shell.loopDepth = loopDepth;
    shell.line = line;
    for (const [name, command] of suspended)
      if (shell.traps.get(name) === undefined) shell.traps.set(name, command);
  }
}

async function untilReturn(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof FunctionReturn) return error.status;
    throw error;
  }
}

/** A function inherits the traps of `DEBUG`, `RETURN` and `ERR` only by `set -T` and `set -E`. */
function suspendTraps(shell: Shell, { name }: CallFrame): (readonly [string, ShellText])[] {
  const suspended: (readonly [string, ShellText])[] = [];
  const isTraced = shell.functions.get(name)?.isTraced ?? false;
  for (const event of inheritedTraps) {
    const isInherited =
      event === 'ERR' ? shell.options.has('errtrace') : shell.options.has('functrace') || isTraced;
    const command = shell.traps.get(event);
    if (isInherited || command === undefined) continue;
    suspended.push([event, command]);
    shell.traps.reset(event);
  }
  return suspended;
}
