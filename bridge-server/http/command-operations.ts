import { randomUUID } from 'node:crypto';
import { orAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import { Shares } from '../../protocol/shares.ts';
import type { ErrorBody } from './error-body.ts';

/** How a command has ended, with what it said. */
export type CommandResult = Omit<ExitStatus, 'unsaved' | 'missing' | 'files'> & {
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes: number;
  readonly missing?: string[];
  readonly files: { created: string[]; modified: string[]; deleted: string[] };
  readonly unsaved?: ErrorBody['error'];
};

interface Operation<Result> {
  readonly sandbox: string;
  readonly account: string;
  readonly startedAtMs: number;
  readonly end: AbortController;
  readonly done: Promise<void>;
  result?: Result;
  error?: SandboxError;
  /** Of its result. */
  timer?: NodeJS.Timeout;
}

/** How far a command is that nobody waits for. */
export interface OperationState<Result> {
  readonly id: string;
  readonly startedAtMs: number;
  readonly state: 'running' | 'ended' | 'failed';
  readonly result?: Result | undefined;
  readonly error?: SandboxError | undefined;
}

export interface OperationStart {
  readonly sandbox: string;
  /** Whom it is counted to. */
  readonly account: string;
  /** Calls back when the client's token ends. Returns how to let go. */
  readonly whileValid: (onEnd: () => void) => () => void;
}

/** Commands that go on without their request (RFC 7240, `respond-async`), and their results for a while. Disposing of it ends them. */
export class CommandOperations<Result extends object> implements Disposable {
  readonly #operations = new Map<string, Operation<Result>>();
  readonly #sizeOf: (result: Result) => number;
  readonly #shares = new Shares({
    most: limits.commandOperations,
    mostOfAccount: limits.commandOperationsOfAccount,
    name: 'commands that run without a request',
  });

  /** `sizeOf`: of a result that is kept. */
  constructor(sizeOf: (result: Result) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Begins one, and answers its id. @throws busy */
  start(
    { sandbox, account, whileValid }: OperationStart,
    run: (signal: AbortSignal) => Promise<Result>,
  ): string {
    const giveBack = this.#shares.take(account, 'Cannot run the command without its request');
    const id = randomUUID();
    const end = new AbortController();
    const letGo = whileValid(() => end.abort());
    const work = run(end.signal).then(
      (result) => {
        operation.result = result;
      },
      (cause) => {
        operation.error = SandboxError.from(cause);
      },
    );
    const done = work.then(() => {
      letGo();
      giveBack();
      operation.timer = setTimeout(() => this.forget(id), limits.commandResultMs).unref();
      this.#makeRoom(account);
    });
    const operation: Operation<Result> = { sandbox, account, startedAtMs: Date.now(), end, done };
    this.#operations.set(id, operation);
    return id;
  }

  /** How it is once it has ended, or `waitMs` later. @throws not-found; aborted */
  async get(
    id: string,
    {
      sandbox,
      waitMs,
      signal,
    }: { readonly sandbox: string; readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<OperationState<Result>> {
    const operation = this.#find(id, sandbox);
    if (waitMs > 0) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, waitMs);
      const what = 'Cannot wait for the command';
      await orAborted(Promise.race([operation.done, late.promise]), { signal, what }).finally(() =>
        clearTimeout(timer),
      );
    }
    const { startedAtMs, result, error } = operation;
    const state = error ? 'failed' : result ? 'ended' : 'running';
    return { id, startedAtMs, state, result, error };
  }

  /** Its result, when it has ended. @throws not-found; what it has failed with */
  async result(id: string): Promise<Result> {
    const operation = this.#operations.get(id);
    await operation?.done;
    if (operation?.result) return operation.result;
    throw operation?.error ?? unknown(id);
  }

  /** Its result is with its client. */
  forget(id: string): void {
    clearTimeout(this.#operations.get(id)?.timer);
    this.#operations.delete(id);
  }

  /** Kills it; its result stays for a while. @throws not-found */
  async end(id: string, { sandbox }: { readonly sandbox: string }): Promise<void> {
    const operation = this.#find(id, sandbox);
    operation.end.abort();
    await operation.done;
  }

  [Symbol.dispose](): void {
    for (const { end, timer } of this.#operations.values()) {
      end.abort();
      clearTimeout(timer);
    }
    this.#operations.clear();
  }

  /** Old results go, of the account first: there are so many, and so many bytes of all, at most. */
  #makeRoom(account: string): void {
    const ended = [...this.#operations].filter(([, { timer }]) => timer !== undefined);
    let own = ended.filter(([, operation]) => operation.account === account).length;
    let bytes = ended.reduce((sum, [, { result }]) => sum + (result ? this.#sizeOf(result) : 0), 0);
    for (const [id, { account: whose, result }] of ended) {
      const isOver = own > limits.commandOperationsOfAccount && whose === account;
      if (!isOver && bytes <= limits.commandResultsBytes) continue;
      if (whose === account) own--;
      bytes -= result ? this.#sizeOf(result) : 0;
      this.forget(id);
    }
  }

  #find(id: string, sandbox: string): Operation<Result> {
    const found = this.#operations.get(id);
    if (found?.sandbox === sandbox) return found;
    throw unknown(id);
  }
}

function unknown(id: string): SandboxError {
  const message = `There is no command "${id}" that runs without its request, or its result is no longer kept`;
  return new SandboxError('not-found', message);
}
