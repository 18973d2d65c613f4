import type { ShellText } from '../../text.ts';

/** What a mode is changed to: `0644`, `u+x,go-w`. */
export type ModeChange = (
  mode: number,
  context: { readonly isDirectory: boolean; readonly umask: number },
) => number;

const whoBits: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const clause = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/;

/** Reads a mode as chmod(1) has it; `undefined` of what is none. */
export function parseMode(text: ShellText): ModeChange | undefined {
  if (/^[0-7]{1,5}$/.test(text)) {
    const bits = Number.parseInt(text, 8);
    if (bits > 0o7777) return undefined;
    // A directory keeps its set-id bits unless five digits take them away.
    return (mode, { isDirectory }) => (isDirectory && text.length < 5 ? bits | (mode & 0o6000) : bits);
  }
  const clauses = text.split(',').map((part) => clause.exec(part));
  if (clauses.some((match) => match === null)) return undefined;
  return (mode, context) => {
    let changed = mode & 0o7777;
    for (const match of clauses) {
      const [, who = '', actions = ''] = match ?? [];
      for (const [, operator = '', permissions = ''] of actions.matchAll(/([-+=])([rwxXstugo]*)/g)) {
        changed = applyAction(changed, { who, operator, permissions, ...context });
      }
    }
    return changed;
  };
}

interface Action {
  readonly who: string;
  readonly operator: string;
  readonly permissions: string;
  readonly isDirectory: boolean;
  readonly umask: number;
}

function applyAction(mode: number, { who, operator, permissions, isDirectory, umask }: Action): number {
  const affected = [...(who === '' ? 'a' : who)].reduce((bits, letter) => bits | (whoBits[letter] ?? 0), 0);
  const allowed = who === '' ? affected & ~umask : affected;
  let bits = 0;
  if (/^[ugo]$/.test(permissions)) {
    const shift = { u: 6, g: 3, o: 0 }[permissions as 'u' | 'g' | 'o'];
    const triple = (mode >> shift) & 7;
    bits = (triple << 6) | (triple << 3) | triple;
  } else {
    for (const letter of permissions) {
      if (letter === 'r') bits |= 0o444;
      if (letter === 'w') bits |= 0o222;
      if (letter === 'x' || (letter === 'X' && (isDirectory || (mode & 0o111) !== 0))) bits |= 0o111;
      if (letter === 's') bits |= 0o6000;
      if (letter === 't') bits |= 0o1000;
    }
  }
  bits &= allowed;
  if (operator === '+') return mode | bits;
  if (operator === '-') return mode & ~bits;
  const cleared = affected & ~(isDirectory && !permissions.includes('s') ? 0o6000 : 0);
  return (mode & ~cleared) | bits;
}
