import { SandboxError } from '../../../protocol/errors.ts';
import { shellBuiltins } from '../../../sandbox/shells/shell-script.ts';
import { builtins } from '../../../shell/builtins/builtins.ts';
import type { Program, Programs } from '../../../shell/programs/program.ts';
import { customProgram } from './custom-program.ts';
import type { ShellCustomization } from './shell-customization.ts';

export interface ChosenPrograms {
  readonly programs: Programs;
  /** Absent where all built-ins are there. */
  readonly hasBuiltin: ((name: string) => boolean) | undefined;
  /** Built-ins without which `Sandbox.shell` cannot work, and that are not there. */
  readonly missingForShells: readonly string[];
}

const commandName = /^[A-Za-z0-9_][\w.+-]*$/;
/** They are the shell itself. */
const shellNames: ReadonlySet<string> = new Set(['bash', 'sh']);

/** What scripts of a sandbox may call. @throws invalid-argument of names that cannot be, or are not there */
export function choosePrograms(
  all: Programs,
  { commands = [], allow }: Pick<ShellCustomization, 'commands' | 'allow'>,
): ChosenPrograms {
  const custom = new Map<string, Program>();
  for (const command of commands) {
    assertName(command.name, custom);
    custom.set(command.name, customProgram(command));
  }
  const allowed = allow && new Set(allow);
  for (const name of allowed ?? []) {
    const isThere = all.has(name) || builtins.has(name) || custom.has(name) || shellNames.has(name);
    if (!isThere) throw refusal(`Cannot allow "${name}": the shell has no such command`);
  }
  const isAllowed = (name: string) => allowed?.has(name) ?? true;
  const programs = new Map([...[...all].filter(([name]) => isAllowed(name)), ...custom]);
  const hasBuiltin =
    allowed || custom.size > 0 ? (name: string) => isAllowed(name) && !custom.has(name) : undefined;
  const missingForShells = hasBuiltin ? shellBuiltins.filter((name) => !hasBuiltin(name)) : [];
  return { programs, hasBuiltin, missingForShells };
}

function assertName(name: unknown, others: ReadonlyMap<string, Program>): asserts name is string {
  if (typeof name !== 'string' || !commandName.test(name) || shellNames.has(name)) {
    throw refusal(`Cannot have a command named ${JSON.stringify(name)}: a name has letters, digits and _.+-`);
  }
  if (others.has(name)) throw refusal(`Cannot have two commands named "${name}"`);
}

function refusal(message: string): SandboxError {
  return new SandboxError('invalid-argument', message);
}
