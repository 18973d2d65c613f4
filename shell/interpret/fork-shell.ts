import { shellLimits } from '../limits.ts';
import { ShellLimitError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import { Shell } from './shell.ts';

export interface ForkOptions {
  /** What `ps` shows; empty: as the shell's own. */
  readonly command: ShellText;
  /** It goes on when the shell is killed, or has ended. */
  readonly isBackground?: boolean;
  /** A command substitution: `set -e` is off in it, but for `inherit_errexit`. */
  readonly isSubstitution?: boolean;
}

/** A copy of a shell in a new process. */
export function forkShell(shell: Shell, { command, isBackground, isSubstitution }: ForkOptions): Shell {
  if (shell.subshellDepth >= shellLimits.depth) {
    throw new ShellLimitError('depth', `More than ${shellLimits.depth} subshells within each other`);
  }
  const process = shell.host.table.create({
    parent: shell.process,
    command: command === '' ? shell.process.command : command,
    ...(isBackground && { isBackground, leadsGroup: shell.options.has('monitor') }),
  });
  const subshell = new Shell({
    ...shell.start,
    mainPid: shell.mainPid,
    process,
    originalInput: shell.originalInput,
    name: shell.name,
    isInteractive: false,
    descriptors: shell.descriptors.clone(),
    cwd: shell.cwd,
    umask: shell.umask,
  });
  copyState(shell, subshell);
  if (isSubstitution) subshell.substitutionDepth += 1;
  if (isBackground && !shell.options.has('monitor')) subshell.traps.ignoreInBackground();
  if (isSubstitution && !shell.options.hasShopt('inherit_errexit')) subshell.options.set('errexit', false);
  return subshell;
}

/** Gives a subshell all that it has of the shell that it is a copy of. */
function copyState(shell: Shell, subshell: Shell): void {
  subshell.variables = shell.variables.clone(subshell.scope.variableOptions);
  subshell.options = shell.options.clone();
  subshell.functions = new Map(shell.functions);
  subshell.aliases = new Map(shell.aliases);
  subshell.hashed = new Map(shell.hashed);
  subshell.disabledBuiltins = new Set(shell.disabledBuiltins);
  subshell.resourceLimits = new Map(shell.resourceLimits);
  subshell.directoryStack = [...shell.directoryStack];
  subshell.history = [...shell.history];
  subshell.positional = shell.positional;
  subshell.frames = [...shell.frames];
  subshell.jobs = shell.jobs.forSubshell();
  subshell.traps = shell.traps.forSubshell(inheritedTraps(shell));
  subshell.specials.copyFrom(shell.specials);
  Object.assign(subshell.optionIndex, shell.optionIndex);
  subshell.lastStatus = shell.lastStatus;
  subshell.pipeStatus = shell.pipeStatus;
  subshell.lastBackgroundPid = shell.lastBackgroundPid;
  subshell.lastArgument = shell.lastArgument;
  subshell.currentCommand = shell.currentCommand;
  subshell.line = shell.line;
  subshell.evaluationDepth = shell.evaluationDepth;
  subshell.expectedFailures = shell.expectedFailures;
  subshell.subshellDepth = shell.subshellDepth + 1;
  subshell.substitutionDepth = shell.substitutionDepth;
}

function inheritedTraps({ options }: Shell): ReadonlySet<string> {
  return new Set([
    ...(options.has('errtrace') ? ['ERR'] : []),
    ...(options.has('functrace') ? ['DEBUG', 'RETURN'] : []),
  ]);
}
