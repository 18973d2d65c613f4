import { open, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';

/** The most that a script may have. */
const scriptBytes = 1024 * 1024;

/** What is to run: words, and a script of this host that they name, which is put there first. */
export interface RunTarget {
  readonly command: readonly string[];
  readonly script?: { readonly path: string; readonly content: Uint8Array };
  /** Whether standard input was the script, and has nothing more to say. */
  readonly hasReadInput?: boolean;
}

export interface TargetWords {
  readonly words: readonly string[];
  /** Whether they stand after `--`: then they are a program and its arguments. */
  readonly isProgram: boolean;
  /** Text of `-c`. */
  readonly text?: string | undefined;
  /** Whether it is to run on this host, where a script stays in its place. */
  readonly isOnHost?: boolean;
}

/**
 * Finds out what words of a command line mean: after `--`, or where there are several and the first is no file, a program and its
 * arguments; a file of this host, a script; `-`, a script on standard input; anything else, text for bash.
 * @throws invalid-argument, limit-exceeded
 */
export async function readTarget(
  { words, isProgram, text, isOnHost = false }: TargetWords,
  { stdin, directory }: Pick<CliContext, 'stdin' | 'directory'>,
): Promise<RunTarget> {
  if (text !== undefined) return { command: bash(text, words) };
  const [first, ...rest] = words;
  if (first === undefined) {
    throw new SandboxError(
      'invalid-argument',
      'Nothing to run: give a script, -c TEXT, or -- PROGRAM ARGUMENTS',
    );
  }
  if (isProgram) return { command: words };
  if (first === '-') return { command: bash(await readAll(stdin), rest), hasReadInput: true };
  const path = resolve(directory, first);
  if ((await stat(path).catch(() => undefined))?.isFile()) return scriptTarget(path, rest, { isOnHost });
  return rest.length > 0 ? { command: words } : { command: bash(first, []) };
}

function bash(text: string, args: readonly string[]): readonly string[] {
  return ['/bin/bash', '-c', text, ...(args.length > 0 ? ['bash', ...args] : [])];
}

async function scriptTarget(
  path: string,
  args: readonly string[],
  { isOnHost }: { readonly isOnHost: boolean },
): Promise<RunTarget> {
  const content = await readScript(path);
  if (isOnHost) return { command: [...interpreterOf(content), path, ...args] };
  const inside = `/tmp/${basename(path)}`;
  return { command: [...interpreterOf(content), inside, ...args], script: { path: inside, content } };
}

/** That of its first line, which Linux splits at the first blank; else bash. */
function interpreterOf(content: Buffer): readonly string[] {
  const [first = ''] = content.toString('utf8', 0, 256).split('\n');
  const [, program, argument] = /^#!\s*(\S+)(?:\s+(.*\S))?\s*$/.exec(first) ?? [];
  if (program === undefined) return ['/bin/bash'];
  return argument === undefined ? [program] : [program, argument];
}

async function readScript(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > scriptBytes) throw tooLong(path);
  return file.readFile();
}

async function readAll(stdin: CliContext['stdin']): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > scriptBytes) throw tooLong('standard input');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString();
}

function tooLong(what: string): SandboxError {
  const message = `The script in ${what} has more than ${scriptBytes} bytes: copy it in with --mount-in`;
  return new SandboxError('limit-exceeded', message, { details: { most: scriptBytes } });
}
