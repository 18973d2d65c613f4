import { limits } from '../../protocol/limits.ts';
import type { LostShellPart } from '../../protocol/sandbox/shells.ts';
import { type ByteString, toByteString, toDisplayText } from '../../tree/content/byte-string.ts';
import type { ShellReport } from './shell-report.ts';

/** The state of a shell between two runs: a value, from which any bash can go on. */
export interface ShellState {
  readonly cwd: ByteString;
  /** Bash that brings about the rest of it. */
  readonly script: ByteString;
  /** The commands that ran in it, the oldest first. */
  readonly history: readonly string[];
  readonly lost: readonly LostShellPart[];
}

/** The parts of a state that may be too large to be kept. */
interface StateParts {
  readonly variables?: ByteString | undefined;
  readonly functions?: ByteString | undefined;
  readonly aliases?: ByteString | undefined;
}

/** The state of a shell that no bash has reported yet: `envs` are exported. */
export function newState({
  cwd,
  envs = {},
}: {
  cwd?: string;
  envs?: Readonly<Record<string, string>>;
}): ShellState {
  const quote = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;
  const exports = Object.entries(envs).map(
    ([name, value]) => `export ${name}=${quote(toByteString(value))}\n`,
  );
  return {
    cwd: cwd === undefined ? '.' : toByteString(cwd),
    script: exports.join(''),
    history: [],
    lost: [],
  };
}

/** Whether two states are the same but for their history. */
export function isSameState(one: ShellState, other: ShellState): boolean {
  return one.cwd === other.cwd && one.script === other.script;
}

/**
 * The state that a bash reports. `envs` are what the sandbox gives to all of its processes: no snapshot has them, as they may
 * be secrets. Parts that are too large are left out.
 */
export function stateOf(
  report: ShellReport,
  { envs, history }: { readonly envs: Readonly<Record<string, string>>; readonly history: readonly string[] },
): ShellState {
  const variables = keepVariables(report.variables ?? '', envs);
  const parts: { -readonly [Name in keyof StateParts]-?: StateParts[Name] | undefined } = {
    variables: report.variables && variables.kept,
    functions: report.functions && withExports(report.functions, report.exported),
    aliases: report.aliases,
  };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const size = (name: keyof typeof parts) => parts[name]?.length ?? 0;
  while (names.reduce((sum, name) => sum + size(name), 0) > limits.shellStateBytes) {
    const largest = names.reduce((most, name) => (size(name) > size(most) ? name : most));
    parts[largest] = undefined;
  }
  const isLost = (name: keyof typeof parts) => name === 'variables' && !variables.areComplete;
  const lost: LostShellPart[] = names.filter((name) => parts[name] === undefined || isLost(name));
  if (report.jobs !== '') lost.unshift('jobs');
  if (report.traps !== '') lost.unshift('traps');
  return { cwd: report.cwd, script: scriptOf(report, parts), history, lost };
}

/** The latest commands of a history, as many as a shell keeps. */
export function latestCommands(commands: readonly string[]): readonly string[] {
  const kept = commands.slice(-limits.shellHistoryCommands);
  let bytes = 0;
  const from = kept.findLastIndex((each) => {
    bytes += toByteString(each).length;
    return bytes > limits.shellHistoryBytes;
  });
  return kept.slice(from + 1);
}

/** The history of a shell after another command: its latest ones. */
export function addToHistory(history: readonly string[], command: string): readonly string[] {
  return latestCommands([...history, command]);
}

/**
 * The options that functions are parsed with come first. Aliases are not expanded until all functions are defined. Lines
 * after the functions begin with `builtin`, as a function may have the name of a built-in; what changes how a script runs is
 * last.
 */
function scriptOf({ options, settings, umask }: ShellReport, parts: StateParts): ByteString {
  const { variables = '', functions = '', aliases = '' } = parts;
  const shopts = knownLines(options, /^shopt -[su] \w{1,64}$/);
  const isOfAliases = (line: string) => line.endsWith(' expand_aliases');
  const last = [...shopts.filter(isOfAliases), ...knownLines(settings, /^set [-+]o [\w-]{1,64}$/)];
  return [
    ...['shopt -u expand_aliases', ...shopts.filter((line) => !isOfAliases(line))],
    ...knownLines(umask, /^umask [0-7]{4}$/),
    ...[variables, aliases, functions].map((part) => part.replace(/\n+$/, '')),
    ...last.map((line) => `builtin ${line}`),
    '',
  ].join('\n');
}

function withExports(functions: ByteString, exported: ByteString): ByteString {
  const names = lines(exported).filter((line) => line.startsWith('declare -f'));
  return [functions, ...names.map((line) => `builtin ${line}\n`)].join('');
}

/** Lines of a list that bash has few of. */
function knownLines(text: ByteString, known: RegExp): ByteString[] {
  return lines(text)
    .filter((line) => known.test(line))
    .slice(0, 128);
}

/** Variables of bash itself, of the machine and of its user. */
const ownVariables =
  /^(?:_|BASH.*|COLUMNS|COMP_.*|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|HOME|HOST(?:NAME|TYPE)|LINENO|LINES|LOGNAME|MACHTYPE|OSTYPE|PIPESTATUS|PPID|PWD|S?RANDOM|SECONDS|SHELL|SHELLOPTS|SHLVL|TERM|UID|USER|__coppice.*)$/;

/**
 * `declare -p` has a line for each variable, since it quotes newlines. Those are left out that have the value of `envs`, and,
 * incomplete then, those whose values cannot be compared with it, such as arrays.
 */
function keepVariables(
  declarations: ByteString,
  envs: Readonly<Record<string, string>>,
): { readonly kept: ByteString; readonly areComplete: boolean } {
  let areComplete = true;
  const kept = lines(declarations).filter((line) => {
    const [, name] = /^declare -\S+ (\w+)/.exec(line) ?? [];
    if (name === undefined || ownVariables.test(name)) return false;
    if (!Object.hasOwn(envs, name)) return true;
    const value = declaredValue(line);
    if (value === undefined) areComplete = false;
    return value !== undefined && value !== toByteString(envs[name] ?? '');
  });
  return { kept: kept.join('\n'), areComplete };
}

/** The value of a declaration; nothing of one without a value, or with several. */
function declaredValue(declaration: ByteString): ByteString | undefined {
  const value = /^\S+ \S+ \w+=(?:"((?:[^"\\]|\\.)*)"|\$'((?:[^'\\]|\\.)*)')$/s;
  const [, plain, escaped] = value.exec(declaration) ?? [];
  return (
    plain?.replace(/\\(.)/gs, '$1') ?? escaped?.replace(/\\([0-7]{3}|.)/gs, (_, name) => escapedByte(name))
  );
}

const escapeLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: '\x07', b: '\b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }),
);

/** The byte that bash writes as an octal number or a letter in `$'…'`. */
function escapedByte(name: string): ByteString {
  return name.length === 3
    ? String.fromCharCode(Number.parseInt(name, 8) & 0xff)
    : (escapeLetters.get(name) ?? name);
}

function lines(text: ByteString): ByteString[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The directory, for people and clients. */
export function cwdOf(state: ShellState): string {
  return toDisplayText(state.cwd);
}
