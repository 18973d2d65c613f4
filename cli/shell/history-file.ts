import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CliContext } from '../context.ts';
import { shellLimits } from './limits.ts';

/** Lines that were typed, kept from one `coppice shell` to the next in the user's state folder, for that user alone. */
export class HistoryFile {
  readonly #path: string;

  constructor({ environment }: Pick<CliContext, 'environment'>) {
    const state = environment.XDG_STATE_HOME || join(environment.HOME ?? homedir(), '.local/state');
    this.#path = join(state, 'coppice/shell-history');
  }

  /** The newest first, as `node:readline` has them. */
  read(): string[] {
    try {
      const lines = readFileSync(this.#path, 'utf8').split('\n');
      return lines
        .filter((line) => line !== '')
        .slice(-shellLimits.historyLines)
        .reverse();
    } catch {
      return [];
    }
  }

  /** Without it the next shell has an older one, which is no reason to fail. */
  write(newestFirst: readonly string[]): void {
    const kept = newestFirst.filter((line) => line.length <= shellLimits.historyLineCharacters);
    const lines = kept.slice(0, shellLimits.historyLines).reverse();
    const made = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(made, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
      renameSync(made, this.#path);
    } catch (error) {
      console.warn('The history of the shell is not kept:', error);
    }
  }
}
