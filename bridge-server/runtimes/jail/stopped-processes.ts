import { readdir, readFile, readlink } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { JailLauncher } from './jail-launcher.ts';

const lookAgainMs = 1;

/** What stops a job (signal(7)), with its number where Node runs. SIGCONT takes such a one back that still waits. */
const jobStops = {
  SIGTSTP: constants.signals.SIGTSTP,
  SIGTTIN: constants.signals.SIGTTIN,
  SIGTTOU: constants.signals.SIGTTOU,
};
type JobStop = keyof typeof jobStops;

export interface StopOptions {
  /** Tells whether a process is one of its jail or of another's. */
  readonly isInside?: ((pid: number) => Promise<boolean>) | undefined;
  /** Sends a signal, whoever may. By default this process does. */
  readonly send?: ((pid: number, signal: number) => void) | undefined;
}

/**
 * Stops what runs in a jail where no control group can: by signal, process by process, until nothing that
 * descends from its PID 1 runs, in pid namespaces of its own neither. A child is stopped once its parent stands still, and goes
 * on before it: a shell that waits for its jobs is not told of the stop, which SIGCONT takes back (signal(7), wait(2)).
 */
export class StoppedProcesses {
  readonly #launcher: number;
  readonly #isInside: (pid: number) => Promise<boolean>;
  readonly #send: (pid: number, signal: number) => void;
  #stopped = new Set<number>();
  #found: ReadonlySet<number> = new Set();

  /** `launcher` is the parent of the jail's init. */
  constructor(launcher: number, { isInside = isInNamespace, send = sendOurselves }: StopOptions = {}) {
    this.#launcher = launcher;
    this.#isInside = isInside;
    this.#send = send;
  }

  /** Those of a jail: by its launcher where that sends signals, and knows itself who is inside. */
  static of({ pid, signal }: JailLauncher, options: StopOptions = {}): StoppedProcesses {
    return new StoppedProcesses(pid, signal ? { isInside: async () => true, send: signal } : options);
  }

  /** @throws timeout */
  async freeze(): Promise<void> {
    const init = await this.#init();
    const deadlineMs = performance.now() + limits.jailFreezeTimeoutMs;
    let known: ReadonlySet<number> = new Set();
    for (;;) {
      const found = await descendantsOf(init);
      const running = await whoRuns(found.keys());
      // Whose parent ended during the walk may have moved to where the walk had been.
      const isSettled = found.size === known.size && [...found.keys()].every((pid) => known.has(pid));
      this.#found = new Set(found.keys());
      if (running.length === 0 && isSettled) return;
      if (performance.now() > deadlineMs) {
        throw new SandboxError('timeout', `Cannot freeze the jail in ${limits.jailFreezeTimeoutMs} ms`);
      }
      const inside = new Set<number | undefined>();
      for (const pid of running) {
        // A number may be that of another by now, who is not of this jail.
        if (!(await this.#isInside(pid))) continue;
        inside.add(pid);
        // Its parent is first. One in vfork(2) stands still once its child has executed a program.
        if (inside.has(found.get(pid))) continue;
        this.#stopped.add(pid);
        this.#send(pid, constants.signals.SIGSTOP);
      }
      known = this.#found;
      if (running.length > 0) await delay(lookAgainMs);
    }
  }

  /**
   * Lets go on what `freeze` has stopped, init last: while it stands still, others may do too (`goOn`).
   * What was stopped before stays so, and whom Ctrl-Z has met meanwhile stops then.
   */
  async thaw(): Promise<void> {
    for (const pid of [...this.#stopped].reverse()) {
      if (await this.#isInside(pid)) await this.#continue(pid);
    }
    this.#stopped = new Set();
  }

  /** Ids of the processes inside, as of the last `freeze`. */
  async processes(): Promise<readonly number[]> {
    return [...this.#found];
  }

  /** Lets all go on where an earlier bridge has died amid `freeze`, which is when its init is stopped. */
  async goOn(): Promise<void> {
    const init = await this.#init();
    if ((await whoRuns([init])).length > 0) return;
    this.#stopped = new Set((await descendantsOf(init)).keys());
    await this.thaw();
  }

  /** The same as of now: some may have ended by the time that this is answered. */
  async present(): Promise<readonly number[]> {
    return [...(await descendantsOf(await this.#init())).keys()];
  }

  async #continue(pid: number): Promise<void> {
    const waiting = await jobStopsOf(pid);
    this.#send(pid, constants.signals.SIGCONT);
    for (const signal of waiting) this.#send(pid, jobStops[signal]);
  }

  /** The jail's init, by its id here. */
  async #init(): Promise<number> {
    for (const pid of await childrenOf(this.#launcher)) if (await this.#isInside(pid)) return pid;
    throw new SandboxError('machine-failed', 'Cannot freeze the jail: it has ended');
  }
}

/** Whether a process is in another pid namespace than the bridge. */
export async function isInNamespace(pid: number): Promise<boolean> {
  const own = await readlink('/proc/self/ns/pid');
  return own !== (await readlink(`/proc/${pid}/ns/pid`).catch(() => own));
}

/** Whether a process is of that user (proc_pid_status(5)); files in its folder may be root's all the same. */
export async function hasId(pid: number, id: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^Uid:\t(\d+)/m.exec(status)?.[1] === `${id}`;
}

/**
 * A process and all below it, each with its parent and after it, in whatever pid namespace: whose parent ends goes to the first process of a
 * namespace, which is below the jail's too (pid_namespaces(7)). Certain once nothing of it runs.
 */
async function descendantsOf(pid: number): Promise<ReadonlyMap<number, number | undefined>> {
  const found = new Map<number, number | undefined>([[pid, undefined]]);
  // What is added meanwhile is visited too.
  for (const parent of found.keys())
    for (const child of await childrenOf(parent)) if (!found.has(child)) found.set(child, parent);
  return found;
}

/** The children of every thread (proc_tid_children(5)). */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const paths = threads.map((thread) => `/proc/${pid}/task/${thread}/children`);
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number));
}

async function whoRuns(pids: Iterable<number>): Promise<number[]> {
  const running: number[] = [];
  for (const pid of pids) {
    // proc_pid_stat(5): the state comes after the name, which may hold anything.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') X');
    if (!'TtXZ'.includes(stat.charAt(stat.lastIndexOf(')') + 2))) running.push(pid);
  }
  return running;
}

/** The stops of its job that have been sent to a process and not reached it (proc_pid_status(5)). */
async function jobStopsOf(pid: number): Promise<JobStop[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const pending = BigInt(`0x${/^ShdPnd:\t([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  const signals = Object.keys(jobStops) as JobStop[];
  return signals.filter((signal) => (pending >> BigInt(jobStops[signal] - 1)) & 1n);
}

function sendOurselves(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
