import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { AssignmentError } from '../state/variables.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `getopts letters name [arguments]`: reads one option at each call. */
export const getopts: Builtin = async (shell, call) => {
  const usage = 'getopts optstring name [arg ...]';
  const options = readOptions(shell, call, { letters: '', usage });
  if (!options) return 2;
  const [letters, name, ...given] = options.operands;
  if (letters === undefined || name === undefined) {
    shell.warnPlain(`getopts: usage: ${usage}`);
    return 2;
  }
  const isSilent = letters.startsWith(':');
  const step = nextOption(shell, letters, options.operands.length > 2 ? given : shell.positional);
  const { variables } = shell;
  setQuietly(shell, 'OPTIND', String(shell.optionIndex.next));
  shell.optionIndex.seen = variables.get('OPTIND');
  if (step.type === 'end') {
    setQuietly(shell, 'OPTARG', undefined);
    await setName(shell, name, '?');
    return 1;
  }
  if (step.type === 'option') {
    setQuietly(shell, 'OPTARG', step.value);
    return await setName(shell, name, step.letter);
  }
  const tells = !isSilent && variables.get('OPTERR') !== '0';
  setQuietly(shell, 'OPTARG', isSilent ? step.letter : undefined);
  const status = await setName(shell, name, step.type === 'missing' && isSilent ? ':' : '?');
  if (tells) {
    const problem = step.type === 'missing' ? 'option requires an argument' : 'illegal option';
    await shell.writeStderrText(`${shell.name}: ${problem} -- ${step.letter}\n`);
  }
  return status;
};

/** What cannot be assigned is told; the option is read all the same. */
function setQuietly(shell: Shell, name: string, value: ShellText | undefined): void {
  try {
    if (value === undefined) shell.variables.unset(name);
    else shell.variables.set(name, value);
  } catch (error) {
    if (!(error instanceof AssignmentError)) throw error;
    if (value !== undefined) shell.warn(error.message);
  }
}

async function setName(shell: Shell, name: ShellText, value: ShellText): Promise<number> {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    await shell.tell(`getopts: \`${name}': not a valid identifier`);
    return 1;
  }
  const isReadonly = shell.variables.variable(name)?.attributes.has('readonly') ?? false;
  setQuietly(shell, name, value);
  return isReadonly ? 2 : 0;
}

type Step =
  | { readonly type: 'end' }
  | { readonly type: 'option'; readonly letter: string; readonly value: ShellText | undefined }
  | { readonly type: 'unknown' | 'missing'; readonly letter: string };

/** Where the last call left off; `OPTIND` that the script has set starts anew. */
function nextOption(shell: Shell, letters: ShellText, args: readonly ShellText[]): Step {
  const position = shell.optionIndex;
  const index = shell.variables.get('OPTIND') ?? '1';
  if (index !== position.seen) {
    position.next = Math.max(1, Number(index) || 1);
    position.within = 0;
  }
  const arg = args[position.next - 1];
  if (position.within === 0 || arg === undefined || position.within >= arg.length) {
    position.within = 0;
    if (arg === undefined || !arg.startsWith('-') || arg === '-') {
      if (arg === undefined) position.next = args.length + 1;
      return { type: 'end' };
    }
    if (arg === '--') {
      position.next += 1;
      return { type: 'end' };
    }
    position.within = 1;
  }
  const letter = arg?.[position.within] ?? '';
  position.within += 1;
  const isLast = position.within >= (arg?.length ?? 0);
  const at = letter === ':' ? -1 : letters.indexOf(letter);
  if (at < 0 || letters[at + 1] !== ':') {
    if (isLast) endArgument(position);
    return at < 0 ? { type: 'unknown', letter } : { type: 'option', letter, value: undefined };
  }
  const rest = arg?.slice(position.within) ?? '';
  endArgument(position);
  if (rest !== '') return { type: 'option', letter, value: rest };
  const value = args[position.next - 1];
  if (value === undefined) return { type: 'missing', letter };
  position.next += 1;
  return { type: 'option', letter, value };
}

function endArgument(position: { next: number; within: number }): void {
  position.next += 1;
  position.within = 0;
}
