import type { FunctionDefNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import { specialBuiltins } from './builtin.ts';
import type { ShellFunction } from './call-frame.ts';
import { exportedSource } from './command-text.ts';
import { ShellExit } from './control-flow.ts';
import type { Shell } from './shell.ts';

/** The function that a command word calls: not where POSIX mode has a special built-in of that name. */
export function functionToCall(shell: Shell, name: ShellText): ShellFunction | undefined {
  const called = shell.functions.get(name);
  if (!called) return undefined;
  return shell.options.has('posix') && specialBuiltins.has(name) && shell.builtin(name) ? undefined : called;
}

/** Defines a function. Answers the status. */
export async function defineFunction(shell: Shell, node: FunctionDefNode): Promise<number> {
  const { name, body, redirections } = node;
  if (shell.options.has('posix') && specialBuiltins.has(name)) {
    await shell.tell(`\`${name}': is a special builtin`);
    throw new ShellExit(2);
  }
  const before = shell.functions.get(name);
  if (before?.isReadonly) {
    await shell.tell(`${name}: readonly function`);
    return shell.setStatus(1);
  }
  shell.functions.set(name, {
    name,
    body,
    redirections,
    source: shell.sourceName,
    line: node.line ?? shell.line,
    isExported: before?.isExported ?? shell.options.has('allexport'),
  });
  return shell.setStatus(0);
}

/** Where a program is, as the table of `hash` remembers it. */
export function findProgram(shell: Shell, name: ShellText): ShellText | undefined {
  const { executables } = shell.host;
  const options = { path: shell.variables.get('PATH'), cwd: shell.cwd };
  if (name.includes('/')) return executables.find(name, options) && name;
  const kept = shell.hashed.get(name);
  const isGood = !shell.options.hasShopt('checkhash') || (kept && executables.isExecutable(kept.path));
  if (kept && isGood) {
    kept.hits += 1;
    return kept.path;
  }
  const path = executables.find(name, options);
  if (path !== undefined && shell.options.has('hashall')) shell.hashed.set(name, { path, hits: 1 });
  return path;
}

/** With `PATH` changed for one command, what was remembered of another one does not count. */
export async function withoutHash<T>(shell: Shell, run: () => Promise<T>): Promise<T> {
  const { hashed } = shell;
  shell.hashed = new Map();
  try {
    return await run();
  } finally {
    shell.hashed = hashed;
  }
}

/** The environment that programs get, with exported functions. */
export function programEnvironment(shell: Shell, path: ShellText): Map<ShellText, ShellText> {
  const environment = shell.variables.environment();
  environment.set('_', path);
  for (const name of ['SHELLOPTS', 'BASHOPTS']) {
    if (environment.has(name)) environment.set(name, shell.specials.get(name) ?? '');
  }
  for (const called of shell.functions.values()) {
    if (called.isExported) environment.set(`BASH_FUNC_${called.name}%%`, exportedSource(called));
  }
  return environment;
}
