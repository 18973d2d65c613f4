import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';

/** `~`, `~user`, `~+` and `~-`: a directory, or what was written where there is none. */
export function expandTilde(user: string | null, scope: ExpansionScope): ShellText {
  const { variables } = scope;
  if (user === null) return variables.get('HOME') ?? scope.homeOf(userName(scope)) ?? '~';
  if (user === '+') return variables.get('PWD') ?? '~+';
  if (user === '-') return variables.get('OLDPWD') ?? '~-';
  if (/^[+-]?\d+$/.test(user)) return ofDirectoryStack(user, scope) ?? `~${user}`;
  return scope.homeOf(user) ?? `~${user}`;
}

function userName(scope: ExpansionScope): string {
  const isRoot = (scope.special('EUID') ?? scope.variables.get('EUID')) === '0';
  return isRoot ? 'root' : (scope.variables.get('USER') ?? 'user');
}

function ofDirectoryStack(index: string, scope: ExpansionScope): ShellText | undefined {
  const stack = scope.specialArray('DIRSTACK') ?? [];
  const number = Number(index.replace(/^[+-]/, ''));
  return index.startsWith('-') ? stack.at(-1 - number) : stack[number];
}
