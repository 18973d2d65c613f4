import { orAborted, throwIfAborted } from '../../protocol/abort.ts';
import { askSandbox } from '../../protocol/ask-sandbox.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { recordCall } from '../record-call.ts';
import type { Sandbox } from '../sandbox.ts';
import { absolutePath } from './absolute-path.ts';

type SnapshotId = SnapshotInfo['id'];

interface StepOptions {
  readonly label: string;
  /** The tool that it is a call of, for recordings; absent where whoever takes the step has told them of it. */
  readonly tool?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a step answered, and the snapshot after it, or why there is none. */
export interface Step<T> {
  readonly value: T;
  readonly snapshot: SnapshotId | undefined;
  readonly unsaved: string | undefined;
}

/** Where a sandbox went, and the snapshot of what it had before: the way back. */
export interface Move {
  readonly snapshot: SnapshotId;
  readonly previousHead: SnapshotId;
}

const what = 'Cannot begin a step';

const stepsOf = new WeakMap<Sandbox, SandboxSteps>();

/**
 * What models do to a sandbox, one step after the other, whichever adapters they use: a snapshot follows each step that
 * changed files, and `undo` goes back to the snapshot before the last one.
 */
export class SandboxSteps {
  readonly sandbox: Sandbox;
  /** The snapshots before the last `limits.modelSteps` steps, the newest last; nothing where the store was full. */
  readonly #befores: (SnapshotId | undefined)[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #home: Promise<string> | undefined;

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  /** All adapters of a sandbox share its steps. */
  static of(sandbox: Sandbox): SandboxSteps {
    const steps = stepsOf.get(sandbox) ?? new SandboxSteps(sandbox);
    stepsOf.set(sandbox, steps);
    return steps;
  }

  /** The absolute path that a model means: relative ones begin at `cwd`, or where the sandbox's commands begin. */
  async resolve(path: string, cwd?: string): Promise<string> {
    if (path.startsWith('/')) return absolutePath('/', path);
    return absolutePath(cwd ?? (await this.directory()), path);
  }

  /** Where the sandbox's commands begin. */
  directory(): Promise<string> {
    const { info, connection } = this.sandbox;
    if (info.cwd !== undefined) return Promise.resolve(info.cwd);
    // What else the terminal says comes before the last line.
    this.#home ??= askSandbox(connection, { script: `printf '\\n%s' "$HOME"`, args: [] }).then(
      (text) => text.split('\n').at(-1) || '/',
    );
    this.#home.catch(() => {
      this.#home = undefined;
    });
    return this.#home;
  }

  /**
   * Does `work` when the steps before it have ended. Where the store is full, it is done without snapshots, as it may
   * make room. A snapshot after it that fails is `unsaved`.
   * @throws busy, aborted, what `work` and the snapshot before it fail with
   */
  take<T>(work: () => Promise<T>, { label, tool, signal }: StepOptions): Promise<Step<T>> {
    return this.#serialize(signal, async () => {
      const { id: before, failure } = await this.#save();
      if (failure && failure.code !== 'storage-full') throw failure;
      // What a step has changed can be undone, whether it or the snapshot after it fails.
      const end = async () => {
        const after = await this.#save(label);
        this.#note(before, after.id);
        return after;
      };
      let value: T;
      try {
        value = await this.#recorded(work, { label, tool });
      } catch (error) {
        await end();
        throw error;
      }
      const after = await end();
      return { value, snapshot: after.id, unsaved: after.failure?.message };
    });
  }

  /** Goes to a snapshot, which ends what runs. @throws not-found, conflict, storage-full */
  checkout(reference: string, signal?: AbortSignal): Promise<Move> {
    return this.#serialize(signal, async () => {
      const { head, previousHead } = await this.sandbox.checkout(reference);
      this.#note(previousHead, head);
      return { snapshot: head, previousHead };
    });
  }

  /**
   * Goes to the snapshot before the last step, which ends what runs.
   * @throws not-found where no step is known; conflict where there was no room for a snapshot before it
   */
  undo(signal?: AbortSignal): Promise<Move> {
    return this.#serialize(signal, async () => {
      const before = this.#befores.at(-1);
      if (this.#befores.length === 0) {
        throw new SandboxError('not-found', 'Cannot undo: no step is known; name a snapshot to check out');
      }
      if (before === undefined) {
        const why = 'there was no room for a snapshot before the last step';
        throw new SandboxError('conflict', `Cannot undo: ${why}; name a snapshot to check out`);
      }
      const { head, previousHead } = await this.sandbox.checkout(before);
      this.#befores.pop();
      return { snapshot: head, previousHead };
    });
  }

  async #serialize<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= limits.modelCalls) {
      throw new SandboxError('busy', `${what}: ${limits.modelCalls} wait already; try it again later`);
    }
    this.#waiting++;
    const previous = this.#last;
    const done = previous.then(() => {
      throwIfAborted(signal, what);
      return work();
    });
    this.#last = done.catch(() => undefined).finally(() => this.#waiting--);
    await orAborted(previous, { signal, what });
    return done;
  }

  #recorded<T>(work: () => Promise<T>, { label, tool }: Pick<StepOptions, 'label' | 'tool'>): Promise<T> {
    if (tool === undefined) return work();
    return recordCall(this.sandbox.connection, { tool, arguments: { command: label } }, work);
  }

  async #save(label?: string): Promise<{ readonly id?: SnapshotId; readonly failure?: SandboxError }> {
    try {
      const options = label === undefined ? {} : { label: oneLine(label) };
      const { id } = await this.sandbox.createSnapshot({ ifChanged: true, ...options });
      return { id };
    } catch (cause) {
      return { failure: SandboxError.from(cause) };
    }
  }

  #note(before: SnapshotId | undefined, after: SnapshotId | undefined): void {
    if (before !== undefined && before === after) return;
    // One mark will do: nothing goes back past it.
    if (before === undefined && this.#befores.length > 0 && this.#befores.at(-1) === undefined) return;
    this.#befores.push(before);
    if (this.#befores.length > limits.modelSteps) this.#befores.shift();
  }
}

function oneLine(label: string): string {
  const most = limits.causeCommandBytes;
  return label
    .slice(0, most)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed();
}
