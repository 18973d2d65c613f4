import { SandboxError } from '../../../protocol/errors.ts';
import type { LoadedMemory, StartMemory } from '../../../runtimes/v86/memory-image/load-memory.ts';
import type { MachineListener } from '../../../sandbox/local-sandbox-parts.ts';
import type {
  LiveMachine,
  RestoreOptions,
  SandboxMachine,
  SyncOptions,
} from '../../../sandbox/machine/sandbox-machine.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { type GuestImage, GuestMachine, type MachineParts } from './guest-machine.ts';
import { LiveSlot } from './live-slot.ts';

/** A sandbox's machine in v86. */
export class MachineSlot implements SandboxMachine {
  readonly #tree: LiveTree;
  readonly #parts: MachineParts;
  readonly #told: MachineListener;
  readonly #loadMemory: (id: ObjectId) => LoadedMemory;
  /** What the next machine goes on from. */
  #memory: ObjectId | undefined;
  /** What the first machine goes on from, without fail. */
  #received: StartMemory | undefined;
  /** Whether the first machine may go on with the golden shell. */
  #resume: boolean;
  #machine: GuestMachine | undefined;
  #live: LiveSlot | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  #isDisposed = false;

  /**
   * `resume`: the tree is one that the golden shell may go on with; `memory`: it is the one that this memory
   * image was stored with, from which the first machine goes on; `received`: likewise, of memory that was handed over,
   * without which there is none.
   */
  constructor(
    tree: LiveTree,
    options: {
      parts: MachineParts;
      resume: boolean;
      memory: ObjectId | undefined;
      received?: StartMemory | undefined;
      loadMemory: (id: ObjectId) => LoadedMemory;
      told: MachineListener;
    },
  ) {
    this.#tree = tree;
    this.#resume = options.resume;
    this.#parts = options.parts;
    this.#told = options.told;
    this.#memory = options.memory;
    this.#received = options.received;
    this.#loadMemory = options.loadMemory;
  }

  get replaced(): number {
    return this.#replaced;
  }

  get live(): LiveMachine | undefined {
    return this.#replacing || this.#machine?.failure ? undefined : this.#live;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#assertOpen();
    const machine =
      (await this.#startFromReceived(signal)) ??
      (await this.#startFromMemory(signal)) ??
      (await this.#startAnew(signal));
    this.#machine = machine;
    if (machine.canRewind)
      this.#live = new LiveSlot(machine, (image, options) => this.#restore(image, options));
    this.#resume = false;
    if (!this.#isDisposed) return;
    await this.#stop();
    this.#assertOpen();
  }

  async #startFromReceived(signal: AbortSignal | undefined): Promise<GuestMachine | undefined> {
    const memory = this.#received;
    this.#received = undefined;
    if (!memory) return undefined;
    const { onFailure } = this.#told;
    return GuestMachine.start(this.#tree, { parts: this.#parts, memory, signal, onFailure });
  }

  /** A machine that goes on from memory, if that is there to go on from. */
  async #startFromMemory(
    signal: AbortSignal | undefined,
    id: ObjectId | undefined = this.#memory,
  ): Promise<GuestMachine | undefined> {
    this.#memory = undefined;
    if (id === undefined) return undefined;
    const before = this.#tree.snapshot();
    try {
      const memory = this.#loadMemory(id);
      const onFailure = (error: SandboxError) => this.#failedLate(error, { before, memory: id });
      return await GuestMachine.start(this.#tree, { parts: this.#parts, memory, signal, onFailure });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      this.#putFilesBack(before);
      const error = SandboxError.from(cause);
      if (isOfKeptStart(error)) return this.#startFromMemory(signal, id);
      this.#told.onRefused(error);
      return undefined;
    }
  }

  /**
   * Of a page that cannot be read it is known only when the machine runs: then one begins anew, with the files of then,
   * and from its memory where that is not what was damaged.
   */
  #failedLate(
    error: SandboxError,
    { before, memory }: { before: TreeSnapshot; memory: ObjectId | undefined },
  ): void {
    if (error.code !== 'corrupt-object') {
      this.#told.onFailure(error);
      return;
    }
    if (!this.#machine || this.#replacing) return; // Its start fails, or it is not wanted any more.
    if (isOfKeptStart(error)) this.#memory = memory;
    else this.#told.onRefused(error);
    const beginAnew = async () => {
      this.#replaced++;
      return false;
    };
    this.#replace(() => this.#putFilesBack(before), beginAnew).catch(() => undefined); // Was told.
  }

  #putFilesBack(before: TreeSnapshot): void {
    this.#tree.restore(before);
    this.#tree.dropUnlinked();
  }

  async #startAnew(signal: AbortSignal | undefined): Promise<GuestMachine> {
    const before = this.#tree.snapshot();
    const onFailure = (error: SandboxError) => this.#failedLate(error, { before, memory: undefined });
    const options = { parts: this.#parts, resume: this.#resume, signal, onFailure };
    try {
      return await GuestMachine.start(this.#tree, options);
    } catch (cause) {
      if (signal?.aborted || !isOfKeptStart(SandboxError.from(cause))) throw cause;
      this.#putFilesBack(before);
      return GuestMachine.start(this.#tree, options);
    }
  }

  async running(): Promise<GuestMachine> {
    while (this.#replacing) await this.#replacing;
    this.#assertOpen();
    if (this.#machine && !this.#machine.failure) return this.#machine;
    throw new SandboxError(
      'machine-failed',
      'The machine has stopped: check out a snapshot to start it again',
    );
  }

  async sync({ timeoutMs, mustAnswer = false }: SyncOptions = {}): Promise<boolean> {
    if (!this.#machine || this.#machine.failure) return false;
    try {
      await this.#machine.init.sync({ timeoutMs });
      return true;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (mustAnswer && error.code === 'timeout') throw error;
      return error.code !== 'timeout' && error.code !== 'connection-lost';
    }
  }

  replaceFiles(change: () => void, { obeys }: { obeys: boolean }): Promise<void> {
    return this.#replace(change, async () => {
      this.#replaced++;
      return obeys && (await this.#remount(change));
    });
  }

  goOnFrom(memory: ObjectId, change: () => void): Promise<void> {
    return this.#replace(change, async () => {
      this.#replaced++;
      this.#memory = memory;
      return false;
    });
  }

  #restore(image: GuestImage, options: RestoreOptions): Promise<void> {
    return this.#replace(
      () => this.#tree.restore(image.tree),
      async () => {
        try {
          await this.#machine?.rewind(image, options);
          if (this.#machine && !this.#machine.failure) return true;
        } catch {
          // It does not answer: another one is started.
        }
        this.#replaced++;
        return false;
      },
    );
  }

  /** Lets the machine do it, where it can; otherwise it is stopped, its files are changed, and another one started. */
  async #replace(change: () => void, inPlace: () => Promise<boolean>): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#replacing = done.promise;
    try {
      if (await inPlace()) return;
      await this.#stop();
      change();
      await this.start();
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (!this.#isDisposed) this.#told.onFailure(error);
      throw error;
    } finally {
      this.#replacing = undefined;
      done.resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#stop();
  }

  async #remount(change: () => void): Promise<boolean> {
    try {
      if (!this.#machine) return false;
      await this.#machine.remount(change);
      return true;
    } catch {
      return false;
    }
  }

  async #stop(): Promise<void> {
    const machine = this.#machine;
    this.#machine = undefined;
    this.#live = undefined;
    await machine?.[Symbol.asyncDispose]();
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}

/** What was kept is read once: the next machine's state is fetched. */
function isOfKeptStart({ code, details }: SandboxError): boolean {
  return code === 'corrupt-object' && details.keptStart === true;
}
