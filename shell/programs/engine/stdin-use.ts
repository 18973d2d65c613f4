import type { ShellText } from '../../text.ts';

/** Which operands of a command are files. What reads none of them reads standard input. */
export interface OperandRules {
  /** Letters of options whose argument follows. */
  readonly withArgument?: string;
  /** Long options whose argument may follow as a word of its own. */
  readonly longWithArgument?: readonly string[];
  /** Long options that are followed by a name and a value. */
  readonly longWithTwo?: readonly string[];
  /** Operands before the files: a pattern, a script. */
  readonly leading?: number;
  /** Options that give the pattern or script, so that all operands are files. */
  readonly insteadOfLeading?: readonly string[];
  /** Options with which nothing is read from standard input though no file is given (`jq -n`). */
  readonly readsNothing?: readonly string[];
  /** Arguments that stand before all others where output is no terminal. */
  readonly unlessTerminal?: readonly string[];
  /** Without a file it does not read standard input (`tree`, `file`), or only where that is a pipe or a file (`rg`). */
  readonly withoutFile?: 'reads-nothing' | 'reads-pipe';
}

const standardInput = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** Whether the engine's command reads standard input, all of which it must be given before it starts. */
export function readsStdin(
  args: readonly ShellText[],
  { rules, isPiped }: { rules: OperandRules; isPiped: boolean },
): boolean {
  const operands: ShellText[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (argument === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (argument === '-' || !argument.startsWith('-')) {
      operands.push(argument);
      continue;
    }
    if (rules.longWithTwo?.includes(argument)) {
      at += 2;
      continue;
    }
    const option = readOption(argument, rules);
    for (const name of option.names) seen.add(name);
    if (option.takesNext) at += 1;
  }
  if (rules.readsNothing?.some((name) => seen.has(name)) && operands.length <= (rules.leading ?? 0))
    return false;
  const isScriptGiven = rules.insteadOfLeading?.some((name) => seen.has(name)) ?? false;
  const files = operands.slice(isScriptGiven ? 0 : (rules.leading ?? 0));
  if (files.some((file) => standardInput.includes(file))) return true;
  if (files.length > 0 || rules.withoutFile === 'reads-nothing') return false;
  return rules.withoutFile === 'reads-pipe' ? isPiped : true;
}

function readOption(
  argument: ShellText,
  { withArgument = '', longWithArgument = [] }: OperandRules,
): { names: string[]; takesNext: boolean } {
  if (argument.startsWith('--')) {
    const equals = argument.indexOf('=');
    if (equals >= 0) {
      return { names: [argument.slice(0, equals)], takesNext: false };
    }
    return { names: [argument], takesNext: longWithArgument.includes(argument) };
  }
  const names: string[] = [];
  for (let at = 1; at < argument.length; at++) {
    const letter = argument[at] ?? '';
    names.push(`-${letter}`);
    if (!withArgument.includes(letter)) continue;
    return { names, takesNext: at + 1 === argument.length };
  }
  return { names, takesNext: false };
}
