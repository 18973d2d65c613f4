import { SandboxError } from '../protocol/errors.ts';
import type { CreateOptions, SandboxBackend } from '../protocol/sandbox/backend.ts';
import type { CloseOptions } from '../protocol/sandbox/connection.ts';
import type { SandboxEvent } from '../protocol/sandbox/events.ts';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import { isUnsaved } from '../protocol/unsaved-changes.ts';
import { recordCall, type ToolCall } from '../sdk/record-call.ts';
import { Sandbox } from '../sdk/sandbox.ts';
import { IdleTimers } from './idle-timers.ts';
import { mcpLimits } from './limits.ts';
import { McpProcesses } from './mcp-processes.ts';

export interface McpSandboxesOptions {
  /** Stays its owner's. */
  readonly backend: SandboxBackend;
  /** The name or id of the sandbox that tools mean when they name none. */
  readonly defaultSandbox: string;
  /** Sandboxes are only looked at: none is made, started or changed. */
  readonly isReadOnly?: boolean;
  /** What the client makes stays when it is gone. */
  readonly keepsMade?: boolean;
  /** Records one that is open for the client, until the answer is disposed of, before it is closed. */
  readonly record?: ((sandbox: Sandbox) => Promise<AsyncDisposable>) | undefined;
  /** How long one stays open for the client that it does not use, and in which it has no command; for ever if left out. */
  readonly idleMs?: number | undefined;
}

/**
 * The sandboxes that one client uses: those that are open for it, those that it has made, and its commands. Disposing of
 * it ends the commands, closes what is open, and deletes what the client has made unless that is kept.
 */
export class McpSandboxes implements AsyncDisposable {
  readonly processes: McpProcesses = new McpProcesses();
  readonly isReadOnly: boolean;
  readonly #options: McpSandboxesOptions;
  readonly #open = new Map<string, Promise<Sandbox>>();
  /** Ids, oldest first. */
  readonly #made = new Set<string>();
  /** Of those that are open, by their ids. */
  readonly #recordings = new Map<string, Promise<AsyncDisposable | undefined>>();
  #making = 0;
  #calls = 0;
  readonly #idle: IdleTimers | undefined;
  #isClosed = false;
  readonly #underWay = new Set<Promise<unknown>>();
  #listener: () => void = () => {};

  constructor(options: McpSandboxesOptions) {
    this.#options = options;
    this.isReadOnly = options.isReadOnly ?? false;
    const { idleMs } = options;
    this.#idle = idleMs === undefined ? undefined : new IdleTimers(idleMs, (id) => this.#onIdle(id));
  }

  /** Calls `listener`, and nobody else, whenever a sandbox was made or deleted. */
  onListChange(listener: () => void): void {
    this.#listener = listener;
  }

  /** Counts a call in until it is disposed of. @throws busy, aborted */
  beginCall(): Disposable {
    this.#assertGoesOn();
    if (this.#calls >= mcpLimits.calls) {
      const message = `Cannot begin another call: ${mcpLimits.calls} of this client are under way; wait for one to end`;
      throw new SandboxError('busy', message, { details: { limit: 'calls', max: mcpLimits.calls } });
    }
    this.#calls += 1;
    return {
      [Symbol.dispose]: () => {
        this.#calls -= 1;
      },
    };
  }

  list(): Promise<SandboxInfo[]> {
    return this.#options.backend.list();
  }

  hasMade(id: string): boolean {
    return this.#made.has(id);
  }

  /** By its id or name; without one, the default, or else the first that the client has made. @throws not-found, conflict */
  async find(which?: string): Promise<SandboxInfo> {
    const all = await this.list();
    const wanted = which ?? this.#options.defaultSandbox;
    const [one, other] = all.filter(({ id, name }) => id === wanted || name === wanted);
    if (one && other) {
      throw new SandboxError(
        'conflict',
        `Several sandboxes are called ${wanted}: give an id that sandbox_list tells`,
      );
    }
    const made = which === undefined ? all.find(({ id }) => this.#made.has(id)) : undefined;
    const found = one ?? made;
    if (found) return found;
    throw new SandboxError(
      'not-found',
      `There is no sandbox ${wanted}: sandbox_list tells which there are, sandbox_create makes one`,
    );
  }

  /** The sandbox, opened by the first call that needs it. @throws as `find` and `Sandbox.open`; limit-exceeded */
  async use(which?: string): Promise<Sandbox> {
    const { id } = await this.find(which);
    this.#assertGoesOn();
    this.#idle?.use(id);
    const known = this.#open.get(id);
    if (known) return known;
    if (this.#open.size >= mcpLimits.openSandboxes) {
      throw tooMany('open', mcpLimits.openSandboxes, 'sandbox_stop closes one');
    }
    const opening = this.#openSandbox(id).then((sandbox) => this.#recorded(sandbox));
    this.#open.set(id, opening);
    const forget = (): void => void (this.#open.get(id) === opening && this.#open.delete(id));
    opening.then((sandbox) => this.#onClosed(sandbox, forget)).catch(forget);
    return opening;
  }

  /** @throws limit-exceeded; as `Sandbox.create` */
  async create(options: CreateOptions & { readonly signal: AbortSignal }): Promise<Sandbox> {
    const [sandbox] = await this.#make(1, async () => [
      await Sandbox.create({ backend: this.#options.backend, ...options }),
    ]);
    if (sandbox instanceof Sandbox) return sandbox;
    throw sandbox ?? new SandboxError('internal', 'No sandbox was made');
  }

  /** Forks, open as others are; one that could not be made is an error in its place. @throws as `Sandbox.fork` */
  fork(
    sandbox: Sandbox,
    options: { readonly count: number; readonly from?: string; readonly name?: string },
  ): Promise<(Sandbox | SandboxError)[]> {
    return this.#make(options.count, () => sandbox.fork(options));
  }

  /** Ends what runs in it for the client, and closes it; its history stays. Whether it was open. @throws as `Sandbox.close` */
  async stop(id: string, { discard = false }: CloseOptions = {}): Promise<boolean> {
    const opened = this.#open.get(id);
    this.#idle?.forget(id);
    if (!opened) return false;
    this.#open.delete(id);
    await this.processes.closeOf(id);
    await this.#endRecording(id);
    try {
      await (await opened).close({ discard });
    } catch (error) {
      if (isUnsaved(error)) {
        this.#open.set(id, opened);
        this.#idle?.use(id);
      }
      throw error;
    }
    return true;
  }

  /** Deletes one that the client has made, with its history. @throws forbidden for any other */
  async remove(id: string): Promise<void> {
    if (!this.#made.has(id)) {
      throw new SandboxError(
        'forbidden',
        `Cannot remove the sandbox ${id}, which was not made through this server: its owner can, with coppice delete ${id}`,
      );
    }
    await this.stop(id, { discard: true }).catch(() => undefined); // It is deleted all the same.
    await Sandbox.delete(id, { backend: this.#options.backend }).catch((error) => {
      // By another client, or at its end of life.
      if (SandboxError.from(error).code !== 'not-found') throw error;
    });
    this.#made.delete(id);
    this.#listener();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#idle?.[Symbol.dispose]();
    this.#listener = () => {};
    // What is being made is deleted too.
    await Promise.allSettled(this.#underWay);
    const ids = new Set([...this.#open.keys(), ...this.#made]);
    await Promise.all([...ids].map((id) => this.#letGo(id)));
  }

  /** What it would take away from a call or a command waits. */
  #onIdle(id: string): void {
    if (this.#calls > 0 || this.processes.hasAny(id)) this.#idle?.use(id);
    else this.stop(id).catch(() => undefined);
  }

  /** Does what a tool does with a sandbox, as an event of its recording, where it is recorded. */
  async recordCall<T>(
    which: string | undefined,
    { call, work }: { readonly call: ToolCall; readonly work: () => Promise<T> },
  ): Promise<T> {
    if (!this.#options.record) return work();
    const sandbox = await this.use(which).catch(() => undefined); // The tool says why.
    return sandbox ? recordCall(sandbox.connection, call, work) : work();
  }

  /** The sandbox, once it is recorded, or cannot be. */
  async #recorded(sandbox: Sandbox): Promise<Sandbox> {
    const { record } = this.#options;
    if (record && !this.#recordings.has(sandbox.id)) {
      const recording = record(sandbox).catch(() => undefined);
      this.#recordings.set(sandbox.id, recording);
      await recording;
    }
    return sandbox;
  }

  async #endRecording(id: string): Promise<void> {
    const recording = await this.#recordings.get(id);
    this.#recordings.delete(id);
    await recording?.[Symbol.asyncDispose]();
  }

  /** Whatever becomes of it, the others are let go of too. */
  async #letGo(id: string): Promise<void> {
    // The client is gone: its server tells what is lost.
    await this.stop(id, { discard: true }).catch(() => undefined);
    if (!this.#made.has(id) || this.#options.keepsMade) return;
    await this.remove(id).catch(() => undefined);
  }

  async #openSandbox(id: string): Promise<Sandbox> {
    const { backend } = this.#options;
    if (!this.isReadOnly) {
      try {
        return await Sandbox.open(id, { backend });
      } catch (cause) {
        const error = SandboxError.from(cause);
        if (error.code !== 'busy') throw error;
        // Somebody has it open: it is used together with them, where that is possible.
        return Sandbox.connect(id, { backend }).catch(() => Promise.reject(error));
      }
    }
    try {
      return await Sandbox.connect(id, { backend });
    } catch {
      return Sandbox.open(id, { backend, readOnly: true });
    }
  }

  async #make(
    count: number,
    make: () => Promise<(Sandbox | SandboxError)[]>,
  ): Promise<(Sandbox | SandboxError)[]> {
    this.#assertGoesOn();
    if (!this.#hasPlaces(count)) await this.#forgetDeleted();
    this.#assertGoesOn();
    if (!this.#hasPlaces(count)) {
      throw tooMany('made', mcpLimits.madeSandboxes, 'sandbox_remove deletes one, sandbox_stop closes one');
    }
    this.#making += count;
    const made = this.#hold(make()).finally(() => {
      this.#making -= count;
      this.#underWay.delete(made);
    });
    this.#underWay.add(made);
    return made;
  }

  /** Whether so many more may be made. */
  #hasPlaces(count: number): boolean {
    const made = this.#made.size + this.#making + count;
    const open = this.#open.size + this.#making + count;
    return made <= mcpLimits.madeSandboxes && open <= mcpLimits.openSandboxes;
  }

  /** What was deleted by others is not counted any more. */
  async #forgetDeleted(): Promise<void> {
    const known = new Set((await this.list()).map(({ id }) => id));
    for (const id of this.#made) if (!known.has(id)) this.#made.delete(id);
  }

  async #hold(making: Promise<(Sandbox | SandboxError)[]>): Promise<(Sandbox | SandboxError)[]> {
    const made = await making;
    for (const sandbox of made) {
      if (!(sandbox instanceof Sandbox)) continue;
      const { id } = sandbox;
      const opened = this.#recorded(sandbox);
      this.#made.add(id);
      this.#open.set(id, opened);
      this.#idle?.use(id);
      this.#onClosed(sandbox, () => this.#open.get(id) === opened && this.#open.delete(id));
    }
    this.#listener();
    return made;
  }

  /**
   * Calls `forget` when somebody else closes the sandbox: then the next call opens it anew. One that cannot be watched is
   * closed, as it would take up room that nobody counts.
   */
  #onClosed(sandbox: Sandbox, forget: () => void): void {
    const onEvent = ({ type }: SandboxEvent): void => void (type === 'closed' && forget());
    sandbox.subscribe(onEvent).catch(async () => {
      forget();
      await sandbox.close().catch(() => undefined);
    });
  }

  #assertGoesOn(): void {
    if (this.#isClosed) throw new SandboxError('aborted', 'The client is gone');
  }
}

function tooMany(what: string, max: number, remedy: string): SandboxError {
  return new SandboxError('limit-exceeded', `Too many sandboxes are ${what}: ${max} is the most; ${remedy}`, {
    details: { limit: what, max },
  });
}
