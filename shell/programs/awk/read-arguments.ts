import type { ShellText } from '../../text.ts';
import { SyntaxProblem } from './awk-syntax.ts';

/** What the command line says: to run a program, or to print something and end. */
type AwkArguments =
  | {
      readonly type: 'run';
      /** The program's text; `undefined` where it comes from files. */
      readonly program: ShellText | undefined;
      readonly programFiles: readonly (ShellText | { text: ShellText })[];
      readonly separator: ShellText | undefined;
      readonly assignments: readonly ShellText[];
      readonly operands: readonly ShellText[];
    }
  | { readonly type: 'answer'; readonly text: string; readonly exitCode: number };

const usage = `Usage: awk [-F fs] [-v var=value] [program | -f progfile ...] [file ...]
`;

/** gawk's long options, as the short ones with an argument. */
const longOptions: Readonly<Record<string, string>> = {
  'field-separator': 'F',
  assign: 'v',
  file: 'f',
  source: 'e',
};
/** What changes nothing here. */
const ignored = new Set(
  '--posix --re-interval --traditional --lint --lint-old --sandbox --characters-as-bytes --use-lc-numeric --no-optimize --optimize --bignum'.split(
    ' ',
  ),
);
const ignoredLetters = 'bcPrsOStnNM';

/** @throws SyntaxProblem */
export function readArguments(args: readonly ShellText[]): AwkArguments {
  let separator: ShellText | undefined;
  const assignments: ShellText[] = [];
  const programFiles: (ShellText | { text: ShellText })[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (argument === '--') {
      at += 1;
      break;
    }
    if (argument === '-' || !argument.startsWith('-')) break;
    if (argument === '--version' || argument === '-V')
      return { type: 'answer', text: 'awk (Coppice)\n', exitCode: 0 };
    if (argument === '--help' || argument === '-h') return { type: 'answer', text: usage, exitCode: 0 };
    if (ignored.has(argument) || argument.startsWith('--lint=')) continue;
    const { letter, value } = optionOf(argument);
    if (value === undefined && ignoredLetters.includes(letter)) continue;
    const given = value ?? args[at + 1];
    if (value === undefined) at += 1;
    if (given === undefined) throw new SyntaxProblem(`option ${argument} requires an argument`);
    if (letter === 'F') separator = given;
    else if (letter === 'v') assignments.push(given);
    else if (letter === 'f') programFiles.push(given);
    else if (letter === 'e') programFiles.push({ text: given });
    else if (given.startsWith('v')) return { type: 'answer', text: 'awk (Coppice)\n', exitCode: 0 };
    else if (given.startsWith('h') || given.startsWith('u'))
      return { type: 'answer', text: usage, exitCode: 0 };
  }
  const rest = args.slice(at);
  if (programFiles.length > 0) {
    return { type: 'run', program: undefined, programFiles, separator, assignments, operands: rest };
  }
  const [program, ...operands] = rest;
  if (program === undefined) return { type: 'answer', text: usage, exitCode: 2 };
  return { type: 'run', program, programFiles, separator, assignments, operands };
}

function optionOf(argument: ShellText): { letter: string; value: ShellText | undefined } {
  if (argument.startsWith('--')) {
    const equals = argument.indexOf('=');
    const name = argument.slice(2, equals < 0 ? undefined : equals);
    const letter = Object.hasOwn(longOptions, name) ? longOptions[name] : undefined;
    if (letter === undefined) throw new SyntaxProblem(`not an option: ${argument}`);
    return { letter, value: equals < 0 ? undefined : argument.slice(equals + 1) };
  }
  const letter = argument[1] ?? '';
  if (!'FvfeW'.includes(letter) && !(ignoredLetters.includes(letter) && argument.length === 2)) {
    throw new SyntaxProblem(`not an option: ${argument}`);
  }
  return { letter, value: argument.length > 2 ? argument.slice(2) : undefined };
}
