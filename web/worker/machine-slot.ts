import { SandboxError } from '../../protocol/errors.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { GuestMachine, type GuestMachineOptions, type MachineParts } from './guest-machine.ts';

export interface SyncOptions {
  readonly timeoutMs?: number | undefined;
  /** A machine that does not answer is a `timeout`, not a `false`. */
  readonly mustAnswer?: boolean;
}

type MachineStartOptions = Pick<GuestMachineOptions, 'resume' | 'signal'>;

/** The one machine of a sandbox: started, asked, and replaced where it does not obey. */
export class MachineSlot implements AsyncDisposable {
  readonly #tree: LiveTree;
  readonly #parts: MachineParts;
  readonly #onFailure: (error: SandboxError) => void;
  #machine: GuestMachine | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  #isDisposed = false;

  /** `onFailure` is told when the machine stops by itself, or cannot be started again. */
  constructor(tree: LiveTree, options: { parts: MachineParts; onFailure: (error: SandboxError) => void }) {
    this.#tree = tree;
    this.#parts = options.parts;
    this.#onFailure = options.onFailure;
  }

  /** How often `replaceFiles` has begun: a process that started before the last time ended with it. */
  get replaced(): number {
    return this.#replaced;
  }

  /**
   * `resume`: the tree is one that the golden shell may go on with. Aborting ends the machine.
   * @throws timeout, machine-failed, version-mismatch; connection-lost once aborted or disposed of
   */
  async start({ resume = false, signal }: MachineStartOptions = {}): Promise<void> {
    this.#assertOpen();
    const machine = await GuestMachine.start(this.#tree, {
      parts: this.#parts,
      resume,
      signal,
      onFailure: this.#onFailure,
    });
    this.#machine = machine;
    if (!this.#isDisposed) return;
    await this.#stop();
    this.#assertOpen();
  }

  /** The machine, once its files are in place. @throws machine-failed, connection-lost */
  async running(): Promise<GuestMachine> {
    while (this.#replacing) await this.#replacing;
    this.#assertOpen();
    if (this.#machine && !this.#machine.failure) return this.#machine;
    throw new SandboxError(
      'machine-failed',
      'The machine has stopped: check out a snapshot to start it again',
    );
  }

  /**
   * What the guest has cached is written back to the tree, as far as the disk has room. A machine
   * that does not answer has nothing to add, unless it must: a snapshot is not older than it says
   * (H-6). Answers whether there is a machine that answers.
   */
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

  /**
   * Ends every process and puts other files under the machine (H-5). One that does not obey, or that
   * is said not to, is started anew; where that fails too, there is none, and the files are changed.
   */
  async replaceFiles(change: () => void, { obeys }: { obeys: boolean }): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#replacing = done.promise;
    this.#replaced++;
    try {
      if (obeys && (await this.#remount(change))) return;
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
    await machine?.[Symbol.asyncDispose]();
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}
