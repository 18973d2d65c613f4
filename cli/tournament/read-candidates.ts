import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Candidate } from '../../sdk/tournament/tournament-options.ts';
import type { CliContext } from '../context.ts';

/**
 * The candidates of a command line: its words, those of a file, or with `-` as the only word those of standard input. A list has one
 * in each line, except in those that are comments (`#`), or is a JSON array of commands and of `{ "command", "name" }`. @throws invalid-argument, not-found, limit-exceeded
 */
export async function readCandidates(
  { words, file }: { readonly words: readonly string[]; readonly file: string | undefined },
  context: CliContext,
): Promise<readonly (string | Candidate)[]> {
  const isInput = words.length === 1 && words[0] === '-';
  if (file !== undefined && words.length > 0) {
    throw new SandboxError('invalid-argument', 'Candidates come from --file or after --, not from both');
  }
  if (file !== undefined)
    return parseList(await readText(resolve(context.directory, file)), `--file ${file}`);
  return isInput ? parseList(await readInput(context), 'standard input') : words;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new SandboxError('not-found', `Cannot read the candidates in ${path}`, { cause });
  }
}

async function readInput({ stdin, signal }: CliContext): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stdin) {
    throwIfAborted(signal, 'Cannot read the candidates');
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes > limits.tournamentListBytes) {
      const message = `The candidates on standard input have more than ${limits.tournamentListBytes} bytes`;
      throw new SandboxError('limit-exceeded', message);
    }
  }
  return Buffer.concat(pieces).toString();
}

function parseList(text: string, source: string): readonly (string | Candidate)[] {
  if (!text.trimStart().startsWith('['))
    return text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new SandboxError('invalid-argument', `The candidates of ${source} begin as JSON and are none`, {
      cause,
    });
  }
  return Array.isArray(list)
    ? list.map((each, index) => parseCandidate(each, `${source}, ${index + 1}`))
    : [];
}

function parseCandidate(value: unknown, where: string): string | Candidate {
  if (typeof value === 'string') return value;
  const { command, name } = Object(value);
  if (typeof command === 'string' && (name === undefined || typeof name === 'string')) {
    return { command, ...(name === undefined ? {} : { name }) };
  }
  const message = `The candidate of ${where} is neither a command nor { "command", "name" }`;
  throw new SandboxError('invalid-argument', message);
}
