import { SandboxError } from '../../protocol/errors.ts';
import { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import type { RunningMachine, SandboxMachine, SyncOptions } from '../../sandbox/sandbox-machine.ts';
import { Turns } from '../../sandbox/turns.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { Jail, Root } from '../contract.ts';

/** How a machine gets its files and its jail. */
export interface HostMachineParts {
  readonly tree: LiveTree;
  /** What its processes write is theirs alone, and gone with them. */
  readonly readOnly: boolean;
  /** The tree that `tree` was last published as, or put at. */
  readonly sealed: () => ObjectId;
  readonly makeRoot: (tree: ObjectId, signal: AbortSignal | undefined) => Promise<Root>;
  readonly startJail: (root: Root, signal: AbortSignal | undefined) => Promise<Jail>;
  /** Told when the machine stops by itself, or cannot be started again. */
  readonly onFailure: (error: SandboxError) => void;
}

/** A root and the jail that runs on it, let go of together. */
interface Running extends RunningMachine {
  readonly root: Root;
  readonly jail: Jail;
  /** Of looking for changes that no command and no caller asks for. */
  readonly looking: ReturnType<typeof setInterval>;
}

/** A sandbox's machine in a jail of this host. */
export class HostMachine implements SandboxMachine {
  readonly #parts: HostMachineParts;
  /** What freezes the jail and what ends it do not overlap. */
  readonly #turns = new Turns();
  #running: Running | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  /** The tree with what the root was last collected for, to be published. */
  #held: TreeSnapshot | undefined;
  #isLooking = false;
  #isDisposed = false;

  constructor(parts: HostMachineParts) {
    this.#parts = parts;
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#assertOpen();
    const { makeRoot, sealed } = this.#parts;
    const root = await makeRoot(sealed(), signal);
    try {
      const running = await this.#startOn(root, signal);
      this.#running = running;
      void running.jail.ended.then(({ message }) => this.#onEnd(running, message));
    } catch (error) {
      await root[Symbol.asyncDispose]();
      throw error;
    }
    if (!this.#isDisposed) return;
    await this.#stop();
    this.#assertOpen();
  }

  async running(): Promise<RunningMachine> {
    while (this.#replacing) await this.#replacing;
    this.#assertOpen();
    if (this.#running) return this.#running;
    throw new SandboxError(
      'machine-failed',
      'The machine has stopped: check out a snapshot to start it again',
    );
  }

  /** Whatever its processes do, a jail can be frozen, so it always answers. */
  async sync({ isPublished = false }: SyncOptions = {}): Promise<boolean> {
    return this.#turns.run(async () => {
      if (!this.#running) return false;
      if (!this.#parts.readOnly) await this.#collect(this.#running, { isPublished });
      return true;
    });
  }

  /** A root holds what it had when it was last collected to be published; the tree may have gone on since. */
  published(tree: ObjectId, { inodes }: TreeSnapshot): void {
    if (this.#held === undefined || this.#held.inodes.root !== inodes.root) return;
    this.#running?.root.published(tree);
    this.#held = undefined;
  }

  async replaceFiles(change: () => void): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#replacing = done.promise;
    this.#replaced++;
    try {
      await this.#stop();
      change();
      await this.start();
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (!this.#isDisposed) this.#parts.onFailure(error);
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

  async #startOn(root: Root, signal: AbortSignal | undefined): Promise<Running> {
    const jail = await this.#parts.startJail(root, signal);
    const init = new InitClient(jail.channel);
    const looking = setInterval(() => this.#look(), limits.hostLookIntervalMs);
    const running: Running = {
      root,
      jail,
      init,
      looking,
      takeShell: () => undefined,
      outOfMemoryKills: () => jail.outOfMemoryKills(),
    };
    void jail.ended.then(({ message }) => init.close(message));
    try {
      await init.hello({ timeoutMs: limits.bootTimeoutMs });
      return running;
    } catch (error) {
      clearInterval(looking);
      init.close(error);
      await jail[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** One look at a time: on a slow disk they would queue up. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.sync()
      .catch((error) => console.warn('Not looked for changes:', error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** What the jail wrote is in its root still. */
  async #onEnd(running: Running, message: string): Promise<void> {
    if (this.#running !== running || this.#isDisposed) return;
    await this.#turns.run(async () => {
      if (this.#running !== running) return;
      if (!this.#parts.readOnly) await this.#collectLast(running);
      await this.#letGo(running).catch((cause) => console.warn('Not let go of:', cause));
      this.#parts.onFailure(new SandboxError('machine-failed', `The machine stopped: ${message}`));
    });
  }

  async #collect({ jail, root }: Running, { isPublished }: { isPublished: boolean }): Promise<void> {
    const { tree } = this.#parts;
    try {
      await jail.freeze();
      if (isPublished) this.#held = undefined;
      await root.collect(tree, { isPublished, onRead: () => jail.thaw() });
      if (isPublished) this.#held = tree.snapshot();
    } finally {
      await jail.thaw();
    }
  }

  async #collectLast({ root }: Running): Promise<void> {
    await root.collect(this.#parts.tree).catch((cause) => console.warn('Not collected:', cause));
  }

  async #stop(): Promise<void> {
    await this.#turns.run(async () => {
      if (this.#running) await this.#letGo(this.#running);
    });
  }

  async #letGo(running: Running): Promise<void> {
    this.#running = undefined;
    this.#held = undefined;
    clearInterval(running.looking);
    running.init.close('the machine was closed');
    try {
      await running.jail[Symbol.asyncDispose]();
    } finally {
      await running.root[Symbol.asyncDispose]();
    }
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}
