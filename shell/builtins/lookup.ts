import { absolutePath } from '../files/tree-files.ts';
import { type Builtin, specialBuiltins } from '../interpret/builtin.ts';
import type { BuiltinCall } from '../interpret/builtin-call.ts';
import { findProgram } from '../interpret/command-lookup.ts';
import { sourceOfFunction } from '../interpret/command-text.ts';
import { runProgram } from '../interpret/program-commands.ts';
import type { Shell } from '../interpret/shell.ts';
import { defaultPath } from '../invocation/initial-variables.ts';
import { AssignmentError } from '../state/variables.ts';
import type { ShellText } from '../text.ts';
import { singleQuote } from './declaration-text.ts';
import { runInner } from './evaluation.ts';
import { readOptions } from './option-letters.ts';

const keywords: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'case',
  'esac',
  'for',
  'select',
  'while',
  'until',
  'do',
  'done',
  'in',
  'function',
  'time',
  '{',
  '}',
  '!',
  '[[',
  ']]',
  'coproc',
]);

type Found =
  | { readonly type: 'alias' | 'keyword' | 'function' | 'builtin' }
  | { readonly type: 'file'; readonly path: ShellText; readonly isHashed: boolean };

interface Search {
  readonly all?: boolean;
  /** Not functions. */
  readonly skipsFunctions?: boolean;
  /** Files only. */
  readonly filesOnly?: boolean;
  readonly path?: ShellText | undefined;
}

/** What a command word could be, in the order in which the shell looks. */
function* findAll(shell: Shell, name: ShellText, search: Search): Generator<Found, undefined> {
  if (!search.filesOnly) {
    if (shell.aliases.has(name) && shell.options.hasShopt('expand_aliases')) yield { type: 'alias' };
    if (keywords.has(name)) yield { type: 'keyword' };
    if (!search.skipsFunctions && shell.functions.has(name)) yield { type: 'function' };
    if (shell.builtin(name)) yield { type: 'builtin' };
  }
  const { executables } = shell.host;
  if (name.includes('/')) {
    if (executables.isExecutable(absolutePath(shell.cwd, name)))
      yield { type: 'file', path: name, isHashed: false };
    return;
  }
  const hashed = shell.hashed.get(name);
  if (hashed && !search.all && search.path === undefined) {
    yield { type: 'file', path: hashed.path, isHashed: true };
    return;
  }
  const path = search.path ?? shell.variables.get('PATH');
  let isFound = false;
  for (const found of executables.findAll(name, { path, cwd: shell.cwd })) {
    isFound = true;
    yield { type: 'file', path: found, isHashed: false };
  }
  // A file that may not be run is found where there is no other.
  const forbidden = isFound ? undefined : executables.find(name, { path, cwd: shell.cwd });
  if (forbidden !== undefined) yield { type: 'file', path: forbidden, isHashed: false };
}

/** `type [-afptP] names` */
export const type: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'afptP', usage: 'type [-afptP] name [name ...]' });
  if (!options) return 2;
  const { on, operands } = options;
  let status = 0;
  for (const name of operands) {
    const search = { all: on.has('a'), skipsFunctions: on.has('f'), filesOnly: on.has('P') };
    let count = 0;
    for (const found of findAll(shell, name, search)) {
      count += 1;
      const text = on.has('t')
        ? `${found.type}\n`
        : descriptionOf(shell, name, found, { pathsOnly: on.has('p') || on.has('P') });
      await shell.print(text);
      if (!on.has('a')) break;
    }
    if (count > 0) continue;
    status = 1;
    if (!on.has('t') && !on.has('p') && !on.has('P')) await shell.tell(`type: ${name}: not found`);
  }
  return status;
};

function descriptionOf(
  shell: Shell,
  name: ShellText,
  found: Found,
  { pathsOnly }: { pathsOnly: boolean },
): ShellText {
  if (pathsOnly) return found.type === 'file' ? `${found.path}\n` : '';
  const isSpecial = shell.options.has('posix') && specialBuiltins.has(name);
  switch (found.type) {
    case 'alias':
      return `${name} is aliased to \`${shell.aliases.get(name)}'\n`;
    case 'keyword':
      return `${name} is a shell keyword\n`;
    case 'builtin':
      return `${name} is a ${isSpecial ? 'special ' : ''}shell builtin\n`;
    case 'function': {
      const called = shell.functions.get(name);
      return `${name} is a function\n${called ? `${sourceOfFunction(called)}\n` : ''}`;
    }
    case 'file':
      return found.isHashed ? `${name} is hashed (${found.path})\n` : `${name} is ${found.path}\n`;
  }
}

/** `command [-pVv] name [arguments]` */
export const command: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'pvV', usage: 'command [-pVv] command [arg ...]' });
  if (!options) return 2;
  const { on, operands } = options;
  const [name, ...args] = operands;
  if (name === undefined) return 0;
  const searchPath = on.has('p') ? defaultPath : undefined;
  if (on.has('v') || on.has('V'))
    return await tellCommands(shell, operands, { isLong: on.has('V'), path: searchPath });
  if (shell.builtin(name)) return await runCalledBuiltin(shell, call, { name, args });
  return await runProgram(shell, operands, { searchPath });
};

/** A mistake of a special built-in that `command` runs does not end the shell. */
async function runCalledBuiltin(
  shell: Shell,
  call: BuiltinCall,
  inner: { name: string; args: readonly ShellText[] },
): Promise<number> {
  try {
    return await runInner(shell, call, inner);
  } catch (error) {
    if (!(error instanceof AssignmentError)) throw error;
    await shell.tell(`${inner.name}: ${error.message}`);
    return 1;
  }
}

async function tellCommands(
  shell: Shell,
  names: readonly ShellText[],
  { isLong, path }: { isLong: boolean; path: ShellText | undefined },
): Promise<number> {
  let status = 1;
  for (const name of names) {
    const found = findAll(shell, name, { path }).next().value;
    if (!found) {
      if (isLong) await shell.tell(`command: ${name}: not found`);
      continue;
    }
    status = 0;
    if (isLong) await shell.print(descriptionOf(shell, name, found, { pathsOnly: false }));
    else if (found.type === 'alias') {
      await shell.print(`alias ${name}=${singleQuote(shell.aliases.get(name) ?? '')}\n`);
    } else await shell.print(`${found.type === 'file' ? found.path : name}\n`);
  }
  return status;
}

/** `hash [-lrdt] [-p path] [names]` */
export const hash: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, {
    letters: 'lrdtp:',
    usage: 'hash [-lr] [-p pathname] [-dt] [name ...]',
  });
  if (!options) return 2;
  const { on, values, operands } = options;
  if (on.has('r')) shell.hashed.clear();
  if (operands.length === 0) {
    if (on.size === 0 || on.has('l')) await showHashed(shell, on.has('l'));
    return 0;
  }
  let status = 0;
  for (const name of operands) {
    const given = values.get('p');
    const kept = shell.hashed.get(name);
    if (given !== undefined) shell.hashed.set(name, { path: given, hits: 0 });
    else if (on.has('d') || on.has('t')) {
      if (!kept) {
        await shell.tell(`hash: ${name}: not found`);
        status = 1;
      } else if (on.has('d')) shell.hashed.delete(name);
      else {
        kept.hits += 1;
        await shell.print(operands.length > 1 ? `${name}\t${kept.path}\n` : `${kept.path}\n`);
      }
    } else if (!name.includes('/') && !shell.builtin(name) && !shell.functions.has(name)) {
      shell.hashed.delete(name);
      const path = findProgram(shell, name);
      const found = shell.hashed.get(name);
      if (found) found.hits = 0;
      if (path === undefined) {
        await shell.tell(`hash: ${name}: not found`);
        status = 1;
      }
    }
  }
  return status;
};

async function showHashed(shell: Shell, asCommands: boolean): Promise<void> {
  if (shell.hashed.size === 0) {
    if (!asCommands) await shell.print('hash: hash table empty\n');
    return;
  }
  const lines = [...shell.hashed].map(([name, { path, hits }]) => {
    return asCommands ? `builtin hash -p ${path} ${name}\n` : `${String(hits).padStart(4)}\t${path}\n`;
  });
  await shell.print(`${asCommands ? '' : 'hits\tcommand\n'}${lines.join('')}`);
}

/** `enable [-a] [-dnps] [names]` */
export const enable: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, {
    letters: 'adnpsf:',
    usage: 'enable [-a] [-dnps] [-f filename] [name ...]',
  });
  if (!options) return 2;
  const { on, operands } = options;
  if (operands.length === 0) {
    for (const name of [...shell.builtins.keys()].sort()) {
      const isDisabled = shell.disabledBuiltins.has(name);
      if (on.has('a') || isDisabled === on.has('n'))
        await shell.print(`enable ${isDisabled ? '-n ' : ''}${name}\n`);
    }
    return 0;
  }
  let status = 0;
  for (const name of operands) {
    if (!shell.builtins.has(name)) {
      await shell.tell(`enable: ${name}: not a shell builtin`);
      status = 1;
    } else if (on.has('n')) shell.disabledBuiltins.add(name);
    else shell.disabledBuiltins.delete(name);
  }
  return status;
};
