import { throwIfAborted } from '../../protocol/abort.ts';
import { copyAncestry } from '../../protocol/copy/copy-ancestry.ts';
import { snapshotNow } from '../../protocol/copy/copy-snapshot.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { CommandResult, RunOptions } from '../commands.ts';
import { type CopyOptions, copyIntoSandbox } from '../copy-sandbox.ts';
import type { OpenSandbox } from '../open-sandbox.ts';

type SnapshotId = SnapshotInfo['id'];

/** What a host has brought back: HEAD of now, and the way to what was left for it. */
export interface BroughtBack {
  readonly head: SnapshotId;
  readonly previousHead: SnapshotId;
  /** Files were changed here meanwhile: those changes are in `previousHead`, and not in `head`. */
  readonly changedHere: boolean;
}

/** A command for the copy. */
interface HostTask {
  readonly command: string | readonly string[];
  readonly options: RunOptions;
  /** Of the machine there, cut to the most that the host gives; as usual there by default. */
  readonly memoryMiB: number | undefined;
}

interface ReplicaOptions {
  readonly backend: SandboxBackend;
  readonly name: string;
  readonly copy: (options: CopyOptions) => Promise<OpenSandbox>;
}

const what = 'Cannot run on the host';

/**
 * The copy of a sandbox in another backend, in which commands of it run: made when it is first needed, kept for the
 * next one, so that only what has changed moves, and deleted when this is disposed of.
 */
export class RemoteReplica implements AsyncDisposable {
  readonly name: string;
  readonly #origin: OpenSandbox;
  readonly #backend: SandboxBackend;
  readonly #copy: ReplicaOptions['copy'];
  #twin: OpenSandbox | undefined;
  #memoryMiB = 0;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isOver = false;

  /** The backend stays its owner's; `copy` makes a copy of `origin` in it, and opens that. */
  constructor(origin: OpenSandbox, { backend, name, copy }: ReplicaOptions) {
    this.#origin = origin;
    this.#backend = backend;
    this.#copy = copy;
    this.name = name;
  }

  /**
   * Runs a command there, one after the other, on the files that are here now; what it changes comes back as snapshots,
   * to the newest of which the sandbox goes. When any of it fails or is aborted, the sandbox stays as it was. What a
   * command has made and could not be brought back stays there: the error names the copy, and tells the result.
   * @throws what moving, running or going there does; busy
   */
  run(task: HostTask): Promise<{ result: CommandResult; broughtBack: BroughtBack | undefined }> {
    if (this.#waiting >= limits.hostRuns) {
      throw new SandboxError('busy', `${what}: ${limits.hostRuns} commands wait for it`);
    }
    this.#waiting++;
    const running = this.#last.then(() => this.#runNow(task));
    this.#last = running.catch(() => undefined).finally(() => this.#waiting--);
    return running;
  }

  /** Commands that wait for it are rejected; one that runs there loses what it runs in. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#drop();
    await this.#last;
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const twin = this.#twin;
    this.#twin = undefined;
    if (twin) await drop(twin, this.#backend);
  }

  async #runNow({ command, options, memoryMiB }: HostTask): ReturnType<RemoteReplica['run']> {
    const { signal } = options;
    throwIfAborted(signal, what);
    if (this.#isOver) throw new SandboxError('aborted', `${what}: the sandbox uses another now, or none`);
    try {
      const sent = await snapshotNow(this.#origin.connection, `to ${this.name}`, { ifChanged: true });
      const twin = await this.#goTo(sent, { memoryMiB, signal });
      const result = await twin.commands.run(command, { ...options, background: false });
      throwIfAborted(signal, what);
      const broughtBack = await this.#bringBack(twin, { sent, signal }).catch(async (cause: unknown) => {
        throw signal?.aborted ? cause : await this.#leaveThere(twin, { result, cause });
      });
      await forgetPast(twin);
      return { result, broughtBack };
    } catch (error) {
      // Whatever it stands at, the next one begins with another.
      await this.#drop();
      throw error;
    }
  }

  /** What has been made there is worth more than order: nobody else has it. */
  async #leaveThere(
    twin: OpenSandbox,
    { result, cause }: { result: CommandResult; cause: unknown },
  ): Promise<SandboxError> {
    if (this.#twin === twin) this.#twin = undefined;
    await twin.close().catch(() => undefined);
    const { code, message, details } = SandboxError.from(cause);
    const where = `What the command has made is in the sandbox ${twin.id} of ${this.name}`;
    return new SandboxError(code, `${message}. ${where}`, {
      details: { ...details, sandbox: twin.id, result },
      cause,
    });
  }

  /** The copy, at a snapshot of the sandbox. */
  async #goTo(
    sent: SnapshotId,
    { memoryMiB, signal }: { memoryMiB: number | undefined; signal: AbortSignal | undefined },
  ): Promise<OpenSandbox> {
    const aborting = signal ? { signal } : {};
    if (memoryMiB !== undefined && memoryMiB > this.#memoryMiB) await this.#drop();
    if (this.#twin) {
      const { snapshots } = await this.#twin.history.get();
      const isThere = snapshots.some(({ id }) => id === sent);
      if (!isThere) await copyIntoSandbox(this.#origin, { other: this.#twin, snapshot: sent, ...aborting });
      await this.#twin.checkout(sent);
      return this.#twin;
    }
    const memory = memoryMiB === undefined ? {} : { memoryMiB };
    this.#twin = await this.#copy({ snapshot: sent, ...memory, ...aborting });
    this.#memoryMiB = Math.max(memoryMiB ?? 0, this.#twin.info.memoryMiB);
    return this.#twin;
  }

  async #trees(): Promise<ReadonlyMap<SnapshotId, string>> {
    const { snapshots } = await this.#origin.history.get();
    return new Map(snapshots.map(({ id, tree }) => [id, tree]));
  }

  async #bringBack(
    twin: OpenSandbox,
    { sent, signal }: { sent: SnapshotId; signal: AbortSignal | undefined },
  ): Promise<BroughtBack | undefined> {
    const made = await twin.createSnapshot({ label: `from ${this.name}`, ifChanged: true });
    const { snapshots } = await this.#origin.history.get();
    if (snapshots.find(({ id }) => id === sent)?.tree === made.tree) return undefined;
    const known = new Set(snapshots.map(({ id }) => id));
    try {
      const into = this.#origin.connection;
      await copyAncestry(twin.connection, { snapshot: made.id, into, onProgress: () => {}, signal });
      throwIfAborted(signal, what);
      // From here on it is there or not: an abort would not know which.
      const { head, previousHead } = await this.#origin.checkout(made.id);
      const treeOf = await this.#trees();
      return { head, previousHead, changedHere: treeOf.get(previousHead) !== treeOf.get(sent) };
    } catch (error) {
      await forgetAll(this.#origin, { from: twin, known });
      throw error;
    }
  }
}

/** A copy needs HEAD only, from which the next run differs least: both sides have it. What stays does no harm. */
async function forgetPast(twin: OpenSandbox): Promise<void> {
  const view = await twin.history.get().catch(() => undefined);
  for (const { id } of view?.snapshots ?? []) {
    if (id !== view?.head) await twin.history.deleteSnapshot(id).catch(() => undefined);
  }
}

/** Takes out of a history again what has come of another one, children first. */
async function forgetAll(
  origin: OpenSandbox,
  { from, known }: { from: OpenSandbox; known: ReadonlySet<SnapshotId> },
): Promise<void> {
  const theirs = new Set((await from.history.get().catch(() => undefined))?.snapshots.map(({ id }) => id));
  const { snapshots } = await origin.history.get();
  for (const { id } of snapshots.toReversed()) {
    // One that stays is a snapshot like others.
    if (theirs.has(id) && !known.has(id)) await origin.history.deleteSnapshot(id).catch(() => undefined);
  }
}

/** Nobody else knows of it. Where its host is gone, it stays there. */
async function drop(twin: OpenSandbox, backend: SandboxBackend): Promise<void> {
  await twin.close({ discard: true }).catch(() => undefined);
  await backend.delete({ id: twin.id }).catch(() => undefined);
}
