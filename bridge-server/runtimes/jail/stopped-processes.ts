import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';

const lookAgainMs = 1;

/**
 * Stops what runs in a jail where no control group can: by signal, process by process, until none of
 * its pid namespace runs. A parent inside can notice, which with a freezer it cannot.
 */
export class StoppedProcesses {
  readonly #launcher: number;
  #stopped = new Set<number>();

  /** `launcher` is the parent of the jail's PID 1. */
  constructor(launcher: number) {
    this.#launcher = launcher;
  }

  /** @throws timeout */
  async freeze(): Promise<void> {
    const namespace = await this.#namespace();
    const deadlineMs = performance.now() + limits.jailFreezeTimeoutMs;
    for (;;) {
      const running = await runningIn(namespace);
      if (running.length === 0) return;
      if (performance.now() > deadlineMs) {
        throw new SandboxError('timeout', `Cannot freeze the jail in ${limits.jailFreezeTimeoutMs} ms`);
      }
      for (const pid of running) {
        this.#stopped.add(pid);
        send(pid, 'SIGSTOP');
      }
      await delay(lookAgainMs);
    }
  }

  /** Lets go on what `freeze` has stopped; what was stopped before stays so. */
  async thaw(): Promise<void> {
    for (const pid of this.#stopped) send(pid, 'SIGCONT');
    this.#stopped = new Set();
  }

  async #namespace(): Promise<string> {
    const [own, children] = await Promise.all([readlink('/proc/self/ns/pid'), childrenOf(this.#launcher)]);
    for (const pid of children) {
      const namespace = await readlink(`/proc/${pid}/ns/pid`).catch(() => own);
      if (namespace !== own) return namespace;
    }
    throw new SandboxError('machine-failed', 'Cannot freeze the jail: it has ended');
  }
}

async function childrenOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean);
}

async function runningIn(namespace: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    if ((await readlink(`/proc/${name}/ns/pid`).catch(() => '')) !== namespace) continue;
    // proc(5), stat: the state comes after the name, which may hold anything.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ') X');
    if (!'TtXZ'.includes(stat.charAt(stat.lastIndexOf(')') + 2))) found.push(Number(name));
  }
  return found;
}

function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
