import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../protocol/errors.ts';
import type { ExecRequest, ExitStatus, ProcessEvent, ProcessHandle } from '../protocol/sandbox/processes.ts';
import type { Sandbox } from '../sdk/sandbox.ts';
import { mcpLimits } from './limits.ts';

/** What a command has printed since it was asked last, and its end once all of that was answered. */
export interface PolledOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly isRunning: boolean;
  readonly exit?: ExitStatus;
}

/** The commands that a client has started and asks about later, by number. */
export class McpProcesses {
  readonly #started = new Map<number, StartedProcess>();
  #next = 1;
  #starting = 0;

  /** @throws limit-exceeded; as the start of a command */
  async start(sandbox: Sandbox, request: ExecRequest): Promise<number> {
    if (this.count >= mcpLimits.processes) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot start another command: ${mcpLimits.processes} are started; sandbox_exec_close ends one`,
        { details: { limit: 'processes', max: mcpLimits.processes } },
      );
    }
    this.#starting += 1;
    try {
      const output = new WaitingOutput();
      const handle = await sandbox.connection.processes.exec(request, (event) => output.accept(event));
      const number = this.#next++;
      this.#started.set(number, { sandbox: sandbox.id, handle, output });
      return number;
    } finally {
      this.#starting -= 1;
    }
  }

  /** @throws not-found */
  get(number: number): StartedProcess {
    const started = this.#started.get(number);
    if (started) return started;
    throw new SandboxError(
      'not-found',
      `There is no command ${number}: sandbox_exec_start tells the number of each`,
    );
  }

  /** Kills the command if it still runs, and forgets it. @throws not-found */
  async close(number: number): Promise<PolledOutput> {
    const { handle, output } = this.get(number);
    this.#started.delete(number);
    const last = output.take();
    output.release();
    if (last.isRunning) await handle.kill();
    return last;
  }

  /** Those that are being started, and those that were not closed. */
  get count(): number {
    return this.#started.size + this.#starting;
  }

  /** Whether some are of this sandbox. */
  hasAny(sandbox: string): boolean {
    return [...this.#started.values()].some((started) => started.sandbox === sandbox);
  }

  /** Those of a sandbox, which is about to be closed. */
  async closeOf(sandbox: string): Promise<void> {
    for (const [number, started] of this.#started) {
      if (started.sandbox === sandbox) await this.close(number).catch(() => undefined);
    }
  }
}

interface StartedProcess {
  /** Its id. */
  readonly sandbox: string;
  readonly handle: ProcessHandle;
  readonly output: WaitingOutput;
}

/** Output that nobody has asked for yet. Past `mcpLimits.waitingOutputBytes` it holds the command back. */
class WaitingOutput {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #texts = { stdout: '', stderr: '' };
  #bytes = 0;
  #exit: ExitStatus | undefined;
  #isReleased = false;
  #taken = Promise.withResolvers<void>();
  #changed = Promise.withResolvers<void>();

  accept(event: ProcessEvent): void | Promise<void> {
    if (this.#isReleased) return;
    if (event.type === 'exit') {
      const { type: _, ...exit } = event;
      this.#exit = exit;
    } else {
      this.#texts[event.type] += this.#decoders[event.type].decode(event.bytes, { stream: true });
      this.#bytes += event.bytes.length;
    }
    this.#changed.resolve();
    if (this.#bytes > mcpLimits.waitingOutputBytes) return this.#taken.promise;
  }

  /** Resolves once there is something to take, at most `waitMs` later. @throws aborted */
  async until(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#bytes > 0 || this.#exit || waitMs === 0) return;
    const timer = new AbortController();
    try {
      await Promise.race([
        this.#changed.promise,
        delay(waitMs, undefined, { signal: AbortSignal.any([signal, timer.signal]) }),
      ]);
    } catch (cause) {
      throw new SandboxError('aborted', 'The poll was given up', { cause });
    } finally {
      timer.abort();
    }
  }

  take(): PolledOutput {
    const polled = {
      ...this.#texts,
      isRunning: this.#exit === undefined,
      ...(this.#exit ? { exit: this.#exit } : {}),
    };
    this.#texts = { stdout: '', stderr: '' };
    this.#bytes = 0;
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    this.#changed = Promise.withResolvers();
    return polled;
  }

  /** Nobody will ask any more: what comes is dropped. */
  release(): void {
    this.#isReleased = true;
    this.#taken.resolve();
  }
}
