import { posix } from 'node:path';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import { plainText } from '../output/plain-text.ts';
import { shellLimits } from './limits.ts';
import { shellCommandNames } from './shell-commands.ts';
import type { ShellSession } from './shell-session.ts';

/** What `node:readline` asks of a completer: the words that fit, and what of the line they replace. */
export type Completion = [words: string[], replaced: string];

/** Completes the last word of a line: a command where one stands, otherwise a path. Nothing where the sandbox does not say. */
export async function completeLine(line: string, session: ShellSession): Promise<Completion> {
  if (line.startsWith('%') && !line.includes(' ')) {
    return [shellCommandNames.filter((name) => name.startsWith(line)), line];
  }
  const word = /(?:\\.|[^\s|&;()<>])*$/s.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - word.length).trimEnd();
  const isCommand = (before === '' || /[|&;(]$/.test(before)) && !word.includes('/');
  try {
    const words = isCommand ? await commandsLike(word, session) : await pathsLike(word, session);
    return [words.filter(isPlain).slice(0, shellLimits.completions), word];
  } catch {
    return [[], word];
  }
}

async function commandsLike(word: string, { sandbox }: ShellSession): Promise<string[]> {
  const script = `compgen -c -- "$WORD" | head -n ${shellLimits.completions * 4}`;
  const { stdout } = await sandbox.run(script, { envs: { WORD: unescaped(word) }, timeoutMs: 2_000 });
  return [...new Set(stdout.split('\n'))]
    .filter((name) => name !== '')
    .sort()
    .map((name) => `${escaped(name)} `);
}

async function pathsLike(word: string, session: ShellSession): Promise<string[]> {
  const typed = unescaped(word);
  const slash = typed.lastIndexOf('/');
  const [directory, start] = [typed.slice(0, slash + 1), typed.slice(slash + 1)];
  const home = describeRuntime(session.sandbox.info.runtime)?.home ?? '/home/user';
  const from = directory.startsWith('~/') ? posix.join(home, directory.slice(2)) : directory;
  const files = await session.sandbox.files.list(posix.resolve(await session.directory(), from || '.'));
  return files
    .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
    .map(({ name, type }) => `${escaped(directory)}${escaped(name)}${type === 'directory' ? '/' : ' '}`)
    .sort();
}

/** Names that would move the cursor are not offered. */
function isPlain(word: string): boolean {
  return plainText(word) === word;
}

function escaped(name: string): string {
  return name.replace(/[\s"'\\$`&|;()<>*?[\]{}!#]/g, '\\$&');
}

function unescaped(word: string): string {
  return word.replace(/\\(.)/gs, '$1');
}
