import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import type { RunningMachine, SandboxMachine, SyncOptions } from '../../sandbox/sandbox-machine.ts';
import { Turns } from '../../sandbox/turns.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import type { Jail, Root } from '../contract.ts';
import { AgentChannel } from './agent-channel.ts';

/** How a machine gets its files and its jail. */
export interface HostMachineParts {
  readonly tree: LiveTree;
  /** What its processes write is theirs alone, and gone with them. */
  readonly readOnly: boolean;
  /** The tree that `tree` was last published as, or put at. */
  readonly sealed: () => ObjectId;
  readonly makeRoot: (tree: ObjectId, signal: AbortSignal | undefined) => Promise<Root>;
  /** `root` has the files of `tree`. */
  readonly startJail: (
    root: Root,
    options: { readonly tree: ObjectId; readonly signal: AbortSignal | undefined },
  ) => Promise<Jail>;
  /** What an earlier process has left, whose tree `sealed` is: the first start goes on with it. */
  readonly left: LeftMachine | undefined;
  /** Whether the next process goes on with what runs when this is disposed of. */
  readonly isLeaving: () => boolean;
  /** Told when the machine stops by itself, or cannot be started again. */
  readonly onFailure: (error: SandboxError) => void;
}

/** A root and the jail that runs on it. */
export interface LeftMachine {
  readonly root: Root;
  readonly jail: Jail;
}

/** Let go of together. */
interface Running extends RunningMachine, LeftMachine {
  readonly agent: AgentChannel;
  /** Of looking for changes that no command and no caller asks for. */
  readonly looking: ReturnType<typeof setInterval>;
  /** Set when its init was alone at the last look: how often it had been told something (`AgentChannel.sent`). */
  sameSince: number | undefined;
}

/** A sandbox's machine in a jail of this host. */
export class HostMachine implements SandboxMachine {
  readonly #parts: HostMachineParts;
  /** What freezes the jail and what ends it do not overlap. */
  readonly #turns = new Turns();
  readonly goesOn: boolean;
  #left: LeftMachine | undefined;
  #running: Running | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  /** The tree with what the root was last collected for, to be published. */
  #held: TreeSnapshot | undefined;
  #isLooking = false;
  #isDisposed = false;

  constructor(parts: HostMachineParts) {
    this.#parts = parts;
    this.#left = parts.left;
    this.goesOn = parts.left !== undefined;
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#assertOpen();
    const left = this.#left;
    this.#left = undefined;
    const running = left ? await this.#goOn(left, signal) : await this.#startAnew(signal);
    this.#running = running;
    void running.jail.ended.then(({ message }) => this.#onEnd(running, message));
    if (!this.#isDisposed) return;
    await this.#stop(this.#lastStop());
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

  publishing(tree: ObjectId): void {
    this.#running?.jail.remember([this.#parts.sealed(), tree]);
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
    await this.#stop(this.#lastStop());
    if (this.#left) await this.#lastStop()(this.#left);
    this.#left = undefined;
  }

  #lastStop(): typeof end {
    return this.#parts.isLeaving() ? leave : end;
  }

  async #startAnew(signal: AbortSignal | undefined): Promise<Running> {
    const { makeRoot, startJail, sealed } = this.#parts;
    const tree = sealed();
    const root = await makeRoot(tree, signal);
    try {
      return await this.#meet(root, await startJail(root, { tree, signal }));
    } catch (error) {
      await root[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The first look finds what was written while no process of ours ran. */
  async #goOn(left: LeftMachine, signal: AbortSignal | undefined): Promise<Running> {
    try {
      throwIfAborted(signal, 'Cannot go on with the machine');
      return await this.#meet(left.root, left.jail);
    } catch (error) {
      await end(left);
      throw error;
    }
  }

  /** Ends the jail on failure. */
  async #meet(root: Root, jail: Jail): Promise<Running> {
    const agent = new AgentChannel(jail.channel);
    const init = new InitClient(agent);
    const looking = setInterval(() => this.#look(), limits.hostLookIntervalMs);
    const running: Running = {
      root,
      jail,
      init,
      agent,
      looking,
      sameSince: undefined,
      takeShell: () => undefined,
      outOfMemoryKills: () => jail.outOfMemoryKills(),
      usage: () => jail.usage(),
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

  /**
   * Where init is alone and has nothing to do, nothing can change as long as it is told nothing: that
   * is as good as to freeze it, and what was seen then is what is there until it is told something.
   */
  async #collect(running: Running, { isPublished }: { isPublished: boolean }): Promise<void> {
    const { jail, root, init, agent, sameSince } = running;
    const { tree } = this.#parts;
    const told = agent.sent;
    const isAlone = init.isQuiet && jail.isAlone();
    const isSame = isAlone && sameSince === told;
    const letGo = async () => (isAlone ? agent.open() : jail.thaw());
    running.sameSince = undefined;
    try {
      if (isAlone) agent.shut();
      else await jail.freeze();
      if (isPublished) this.#held = undefined;
      await root.collect(tree, { isPublished, isSame, onRead: letGo });
      if (isPublished) this.#held = tree.snapshot();
      if (isAlone) running.sameSince = told;
    } finally {
      await letGo();
    }
  }

  async #collectLast({ root }: Running): Promise<void> {
    await root.collect(this.#parts.tree).catch((cause) => console.warn('Not collected:', cause));
  }

  async #stop(letGo: typeof end = end): Promise<void> {
    await this.#turns.run(async () => {
      if (this.#running) await this.#letGo(this.#running, letGo);
    });
  }

  async #letGo(running: Running, letGo: typeof end = end): Promise<void> {
    this.#running = undefined;
    this.#held = undefined;
    clearInterval(running.looking);
    running.init.close('the machine was closed');
    await letGo(running);
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}

async function end({ jail, root }: LeftMachine): Promise<void> {
  try {
    await jail[Symbol.asyncDispose]();
  } finally {
    await root[Symbol.asyncDispose]();
  }
}

/** Ends what cannot go on without us. */
async function leave(machine: LeftMachine): Promise<void> {
  const { jail, root } = machine;
  if (!jail.outlives) return end(machine);
  jail.leave();
  await root.leave();
}
