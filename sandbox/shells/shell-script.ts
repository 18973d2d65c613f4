import { limits } from '../../protocol/limits.ts';
import { type ByteString, toByteString, writeByteString } from '../../tree/content/byte-string.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { randomId } from './random-id.ts';
import type { ShellState } from './shell-state.ts';

/**
 * What a bash that reads its script from standard input is told. It executes each line as it arrives, and a line that
 * reads data takes exactly those, since bash reads a pipe byte by byte. `\builtin` passes by aliases and functions of
 * the user; what the lines themselves print or trace goes to /dev/null.
 */
export const shellCommand: readonly string[] = ['/bin/bash', '--noprofile', '--norc', '-s'];

/** Built-ins that these lines call. */
export const shellBuiltins: readonly string[] = [
  ...['alias', 'builtin', 'cd', 'command', 'declare', 'eval', 'exec', 'exit', 'history', 'jobs', 'kill'],
  ...['mapfile', 'printf', 'set', 'shopt', 'trap', 'umask', 'unset', ':'],
];

/** Descriptor of the report, far from those that scripts use. */
const report = 201;

export interface RunText {
  /** Of the run, from 1 on. */
  readonly number: number;
  readonly command: string;
  readonly stdin: Uint8Array | undefined;
  /** What `$?` is when it begins. */
  readonly status: number;
}

export interface ShellStart {
  /** For the environment of its bash. */
  readonly envs: Readonly<Record<string, string>>;
  /** What it is told first. */
  readonly text: Uint8Array;
}

/** An empty line: bash takes the first line after an `eval` of a syntax error for a part of that (bash 5.2). */
const afterError = '';

/**
 * Moves the status descriptor away from 3, which scripts use, and goes on from a state: from its environment, which bash has at
 * once, or, where that would be too large or no text, from its input, of which it reads each byte by itself.
 */
export function startOf(
  { cwd, script, history }: ShellState,
  { mostBytes }: { readonly mostBytes: number },
): ShellStart {
  const before = `\\exec ${report}>&3 3>&-; \\builtin shopt -s expand_aliases`;
  const after = `{ \\builtin unset -v __coppice __coppice_command __coppice_cwd; ${forgetLines}; } >/dev/null 2>&1`;
  const commands = history.map((command) => `\\builtin history -s -- ${quoted(toByteString(command))}\n`);
  const __coppice = decodeOrNone([...commands, script].join(''));
  const __coppice_cwd = decodeOrNone(cwd);
  const bytes = cwd.length + script.length + commands.join('').length;
  if (__coppice !== undefined && __coppice_cwd !== undefined && bytes <= mostBytes)
    return {
      envs: { __coppice, __coppice_cwd },
      text: toBytes(before, goOn('$__coppice_cwd', '$__coppice'), afterError, after),
    };
  const texts = [cwd, script, ...history.map(toByteString)];
  const data = texts.map((text) => `${text}\0`).join('');
  return { envs: {}, text: toBytes(before, `${restoreLine(texts.length)}\n${data}`, afterError, after) };
}

/** Where `set -o history` is on, bash notes the lines that it reads: of ours, none stays for the user to look at. */
const forgetLines =
  'while [[ -o history && $(\\builtin history 1) = *__coppice* ]]; do \\builtin history -d -1; done';

/** Runs a command, then reports. */
export function runText({ number, command, stdin, status }: RunText): Uint8Array {
  const data = `${toByteString(command)}\0${number}\0`;
  const before = toBytes(readLine, data + (stdin ? inputLine(stdin.length) : ''));
  const after = toBytes(runLine({ number, status, hasInput: stdin !== undefined }), reportLine(number));
  const pieces = stdin ? [before, stdin, after] : [before, after];
  return joinBytes(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}

/** Has it report as it is, once it has run what a restored machine may have read a part of. */
export function reportText(number: number): Uint8Array {
  return toBytes('\0\0', reportLine(number));
}

/**
 * Has it print the open files of a program that it starts, one a line, and report: nothing where it has arguments or directories
 * that its state lacks. The files that bash itself puts aside are closed in programs.
 */
export function openFilesText(number: number): Uint8Array {
  const isPlain = `[[ $# = 0 && -z \${DIRSTACK[1]-} ]]`;
  const list = `\\builtin command -p ls /proc/self/fd ${report}>&-`;
  return toBytes(`{ ${isPlain} && ${list}; } 0</dev/null 2>/dev/null || \\builtin :`, reportLine(number));
}

/** Reads the directory, the script of the state, and the commands of the history. */
function restoreLine(texts: number): string {
  return [
    `{ \\builtin mapfile -d '' -n ${texts} -t __coppice`,
    `for __coppice_command in "\${__coppice[@]:2}"; do \\builtin history -s -- "$__coppice_command"; done; } >/dev/null 2>&1`,
    goOn(`\${__coppice[0]}`, `\${__coppice[1]}`),
  ].join('; ');
}

function goOn(cwd: string, script: string): string {
  return `{ \\builtin cd -- "${cwd}"; \\builtin eval "${script}" 0</dev/null ${report}>&-; } >/dev/null 2>&1`;
}

function quoted(text: ByteString): ByteString {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Nothing of bytes that are no UTF-8: an environment of a request is text. */
function decodeOrNone(text: ByteString): string | undefined {
  const bytes = new Uint8Array(text.length);
  writeByteString(text, bytes, 0);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads the command and the run's number. `runLine` is not traced. The status of a command that does not end a shell
 * with errexit must not end it as the one of `eval`, so it is kept, unless it would be a line of a here-document
 * without an end.
 */
const readLine = [
  "{ \\builtin mapfile -d '' -n 2 -t __coppice",
  `\\builtin history -s -- "\${__coppice[0]-}"`,
  "[[ $- != *x* ]] || __coppice[2]='\\builtin set -x;'",
  `[[ $- != *e* && \${__coppice[0]-} = *'<<'* ]] || __coppice[3]='{ __coppice=$?; } >/dev/null 2>&1'`,
  '\\builtin set +x; } >/dev/null 2>&1',
].join('; ');

/**
 * Puts the input into a new file, which no other program can have put there before: `runLine` removes it. Where there is no
 * room for it, bash would take the rest for script; where a checkpoint was restored of which it is a part, the rest never comes. Bash
 * ends then.
 */
function inputLine(bytes: number): string {
  const name = `.coppice-input.${randomId()}`;
  const head = `head -c ${bytes} >"\${__coppice[4]}"`;
  const command = '\\builtin command -p';
  const read = [
    `if ${command} -v timeout; then ${command} timeout ${limits.shellInputTimeoutSeconds} ${head}`,
    `else ${command} ${head}; fi`,
  ].join('; ');
  return [
    `{ __coppice[4]=/tmp/${name}; [[ ! -w /dev/shm ]] || __coppice[4]=/dev/shm/${name};`,
    `( \\builtin umask 077; \\builtin set -C; ${read} ) ||`,
    `{ \\builtin command -p rm -f "\${__coppice[4]}"; \\builtin kill -KILL $$; }; } >/dev/null 2>&1`,
  ].join(' ');
}

/** Runs the command if its number is whole. What ends a line of a script, such as a division by 0, ends this one. */
function runLine({
  number,
  status,
  hasInput,
}: {
  readonly number: number;
  readonly status: number;
  readonly hasInput: boolean;
}): string {
  const files = hasInput ? `0<"\${__coppice[4]}"` : '0</dev/null';
  const first = hasInput ? `\\builtin command -p rm -f \${__coppice[4]} || \\builtin :; ` : '';
  return [
    `if [[ \${__coppice[1]-} = ${number} ]]; then \\builtin eval "{ ${first}${forgetLines.replace('$', '\\$')}; \\builtin unset -v __coppice; \${__coppice[2]-} ${setStatus(status)}; } >/dev/null 2>&1`,
    `\${__coppice[0]}`,
    '', // A backslash at the end of the command would join the next line to it.
    `\${__coppice[3]-}`,
    `" ${files} ${report}>&-; fi`,
  ].join('\n');
}

function setStatus(status: number): string {
  if (status === 0) return '\\builtin :';
  return status === 1 ? '! \\builtin :' : `[[ $- = *e* ]] || (\\builtin exit ${status})`;
}

/** Each built-in has its own redirection: a DEBUG trap of the user writes into that of the group. */
function reportLine(number: number): string {
  const next = "printf '\\0'";
  const commands = [
    `printf '%s\\0' ${number} "\${__coppice-$?}" "\${PWD-}"`,
    ...['trap -p', next, 'jobs -rp', 'jobs -sp', next, 'shopt -p', next, 'declare -p', next],
    ...['alias -p', next, 'umask -p', next, 'declare -f', next, 'declare -Fx', next, 'set +o', next],
  ];
  const lines = commands.map((command) => `\\builtin ${command} >&${report}`);
  const after = `\\builtin unset -v __coppice; ${forgetLines}`;
  return `{ ${lines.join('; ')}; ${after}; } >/dev/null 2>&1 || \\builtin :`;
}

/** Lines of byte strings, each with a newline. */
function toBytes(...lines: readonly string[]): Uint8Array {
  const text = lines.map((line) => `${line}\n`).join('');
  const bytes = new Uint8Array(text.length);
  writeByteString(text, bytes, 0);
  return bytes;
}
