import type { Process } from '../processes/process-table.ts';
import type { ShellText } from '../text.ts';

/** A pipeline in the background. */
export interface Job {
  readonly number: number;
  readonly process: Process;
  /** The commands as they were written. */
  readonly text: ShellText;
  /** Of the shell that this one is a copy of. */
  readonly isInherited?: boolean;
  /** `jobs` has told its end. */
  isTold: boolean;
}

/** How many ends of jobs that nobody waited for are kept (bash keeps as many as the system allows children). */
const keptEnds = 1024;

/** The background jobs of a shell. */
export class Jobs {
  readonly #jobs: Map<number, Job> = new Map();
  /** Statuses of jobs that are no longer in the table, by process: `wait` answers them. */
  readonly #ends: Map<number, Process> = new Map();
  #current: number | undefined;
  #previous: number | undefined;

  add(process: Process, text: ShellText): Job {
    for (const job of this.list()) if (job.isInherited) this.#jobs.delete(job.number);
    const number = Math.max(0, ...this.#jobs.keys()) + 1;
    const job: Job = { number, process, text, isTold: false };
    this.#jobs.set(number, job);
    this.#previous = this.#current;
    this.#current = number;
    return job;
  }

  /** What `jobs` shows in a subshell, whose children they are not. */
  forSubshell(): Jobs {
    const copy = new Jobs();
    for (const job of this.list()) copy.#jobs.set(job.number, { ...job, isInherited: true });
    copy.#current = this.#current;
    copy.#previous = this.#previous;
    return copy;
  }

  remove(job: Job): void {
    this.#jobs.delete(job.number);
    this.note(job.process);
    if (this.#current === job.number) {
      this.#current = this.#previous;
      this.#previous = undefined;
    }
    if (this.#current === undefined || !this.#jobs.has(this.#current)) {
      this.#current = [...this.#jobs.keys()].at(-1);
    }
    if (this.#previous === undefined || !this.#jobs.has(this.#previous) || this.#previous === this.#current) {
      this.#previous = [...this.#jobs.keys()].filter((number) => number !== this.#current).at(-1);
    }
  }

  /** A process that is no job, or no longer: `wait` takes its pid. */
  note(process: Process): void {
    this.#ends.set(process.pid, process);
    for (const pid of this.#ends.keys()) {
      if (this.#ends.size <= keptEnds) break;
      this.#ends.delete(pid);
    }
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  ofPid(pid: number): Job | undefined {
    return this.list().find((job) => job.process.pid === pid && !job.isInherited);
  }

  /** A process that was a job of this shell. */
  endedPid(pid: number): Process | undefined {
    return this.#ends.get(pid);
  }

  /** Forgets the end of a process that has been waited for. */
  forget(pid: number): void {
    this.#ends.delete(pid);
  }

  forgetEnds(): void {
    this.#ends.clear();
  }

  /** `+`, `-` or a space, as `jobs` marks them. */
  markOf(job: Job): '+' | '-' | ' ' {
    if (job.number === this.#current) return '+';
    return job.number === this.#previous ? '-' : ' ';
  }

  /** The job that `%1`, `%+`, `%-`, `%name` or `%?part` names. */
  named(spec: ShellText): Job | undefined {
    const name = spec.startsWith('%') ? spec.slice(1) : spec;
    if (name === '' || name === '+' || name === '%') return this.#byNumber(this.#current);
    if (name === '-') return this.#byNumber(this.#previous ?? this.#current);
    if (/^\d+$/.test(name)) return this.#byNumber(Number(name));
    const found = this.list().filter((job) => {
      return name.startsWith('?') ? job.text.includes(name.slice(1)) : job.text.startsWith(name);
    });
    return found.length === 1 ? found[0] : undefined;
  }

  #byNumber(number: number | undefined): Job | undefined {
    return number === undefined ? undefined : this.#jobs.get(number);
  }
}
