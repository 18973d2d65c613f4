import { SandboxError } from '../../protocol/errors.ts';
import type { GoToOptions, LiveMachine, SandboxMachine, SyncOptions } from '../../sandbox/sandbox-machine.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { type GuestImage, GuestMachine, type MachineParts } from './guest-machine.ts';
import { LiveSlot } from './live-slot.ts';

/** A sandbox's machine in v86. */
export class MachineSlot implements SandboxMachine {
  readonly #tree: LiveTree;
  readonly #parts: MachineParts;
  readonly #onFailure: (error: SandboxError) => void;
  /** Whether the first machine may go on with the golden shell. */
  #resume: boolean;
  #machine: GuestMachine | undefined;
  #live: LiveSlot | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  #isDisposed = false;

  /**
   * `onFailure` is told when the machine stops by itself, or cannot be started again; `resume`: the
   * tree is one that the golden shell may go on with.
   */
  constructor(
    tree: LiveTree,
    options: { parts: MachineParts; resume: boolean; onFailure: (error: SandboxError) => void },
  ) {
    this.#tree = tree;
    this.#resume = options.resume;
    this.#parts = options.parts;
    this.#onFailure = options.onFailure;
  }

  get replaced(): number {
    return this.#replaced;
  }

  get live(): LiveMachine | undefined {
    return this.#replacing || this.#machine?.failure ? undefined : this.#live;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#assertOpen();
    const machine = await GuestMachine.start(this.#tree, {
      parts: this.#parts,
      resume: this.#resume,
      signal,
      onFailure: this.#onFailure,
    });
    this.#machine = machine;
    if (machine.checkpoints)
      this.#live = new LiveSlot(machine, (image, options) => this.#goTo(image, options));
    this.#resume = false;
    if (!this.#isDisposed) return;
    await this.#stop();
    this.#assertOpen();
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

  #goTo(image: GuestImage, options: GoToOptions): Promise<void> {
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
      if (!this.#isDisposed) this.#onFailure(error);
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
