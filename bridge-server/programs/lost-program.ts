import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProgramEnd } from './program.ts';

/** Nobody tells of its end any more. */
const lookAgainMs = 100;

/** A process that has lost its parent, as far as another one can know it: by its number and the moment of its start. */
export class LostProgram {
  readonly #pid: number;
  readonly #started: Promise<string | undefined>;

  constructor(pid: number) {
    this.#pid = pid;
    this.#started = startOf(pid);
  }

  /** Resolves when it runs no more. How it has ended nobody knows. */
  async ended(): Promise<ProgramEnd> {
    // What is left to the next bridge does not keep this process.
    while (await this.#runs()) await delay(lookAgainMs, undefined, { ref: false });
    return { failure: 'the program that had started it has ended before' };
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (!(await this.#runs())) return;
    try {
      process.kill(this.#pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async #runs(): Promise<boolean> {
    const started = await this.#started;
    return started !== undefined && (await startOf(this.#pid)) === started;
  }
}

/** When a process began (proc_pid_stat(5)); `undefined` when there is none, or only what is left of it. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : fields[18];
}
