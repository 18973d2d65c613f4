import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import { Rest } from '../../sandbox/capture/rest.ts';
import { initPorts } from '../../sandbox/machine/init-ports.ts';
import type { RunningMachine, SandboxMachine, SyncOptions } from '../../sandbox/machine/sandbox-machine.ts';
import { SerialQueue } from '../../sandbox/serial-queue.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { ChangedBy, FolderWatcher, Jail, Root } from '../contract.ts';
import { AgentChannel } from './agent-channel.ts';
import { ChangeFinder } from './change-finder.ts';
import type { DiskWatch } from './disk-watch.ts';
import type { WatchedDisk } from './watched-disk.ts';

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
  readonly left: RootAndJail | undefined;
  /** Holds to its disk what the kernel does not. */
  readonly watch: Pick<DiskWatch, 'watch'>;
  /** Tells when something changes in the root. */
  readonly watcher: Pick<FolderWatcher, 'watch'>;
  /** Directories in which that does not matter until something else does. */
  readonly ignored: readonly string[];
  /** Files of this sandbox that are in no snapshot. */
  readonly unsaved: UnsavedFilesKeeper;
  /** Whether the next process goes on with what runs when this is disposed of. */
  readonly isLeaving: () => boolean;
  /** Told when the machine stops by itself, or cannot be started again. */
  readonly onFailure: (error: SandboxError) => void;
  /** Told when files have changed that nobody asked for, or when that could not be found out. */
  readonly onChanged: (by?: ChangedBy) => void;
}

/** Sees to it that files which could not be saved are found by the next start of their sandbox. */
export interface UnsavedFilesKeeper {
  /** The root that an earlier machine has left with such files, to whoever asks first: the first start goes on with it. */
  take(): Root | undefined;
  /** Why those of the root that this machine goes on with are not saved yet. */
  readonly why: SandboxError | undefined;
  /** Writes down that `root` has such files and can be compared with `trees`; durable when it returns. @throws storage-full */
  note(root: Root, options: { readonly trees: readonly ObjectId[]; readonly why: SandboxError }): void;
  /** They are saved, or given up. */
  clear(): void;
}

/** A root and the jail that runs on it. */
export interface RootAndJail {
  readonly root: Root;
  readonly jail: Jail;
}

/** Let go of together. */
interface Running extends RunningMachine, RootAndJail {
  readonly init: InitClient;
  readonly agent: AgentChannel;
  /** Absent where the kernel holds it to its disk. */
  readonly disk: WatchedDisk | undefined;
  /** Of changes that no command and no caller asks for. */
  readonly finder: ChangeFinder;
  /** Set where its init is alone, from the last look on: how often it had been told something (`AgentChannel.sent`). */
  sameSince: number | undefined;
}

/** A sandbox's machine in a jail of this host. */
export class HostMachine implements SandboxMachine {
  readonly #parts: HostMachineParts;
  /** What freezes the jail and what ends it do not overlap. */
  readonly #serial = new SerialQueue();
  readonly goesOn: boolean;
  #left: RootAndJail | undefined;
  #running: Running | undefined;
  /** The root of a jail that has ended by itself, with what it wrote. */
  #ended: Root | undefined;
  /** Why the root has files that are not saved. */
  #unsaved: SandboxError | undefined;
  /** Whether the next start would find them. */
  #isUnsavedNoted = false;
  /** What the kernel was last told of the room that there is. */
  #allowedBytes: number | undefined;
  #replacing: Promise<void> | undefined;
  #replaced = 0;
  /** The tree with what the root was last collected for, to be published. */
  #held: TreeSnapshot | undefined;
  #isLooking = false;
  readonly #lookRest = new Rest();
  #isDisposed = false;

  constructor(parts: HostMachineParts) {
    this.#parts = parts;
    this.#left = parts.left;
    this.#unsaved = parts.unsaved.why;
    this.#isUnsavedNoted = this.#unsaved !== undefined;
    this.goesOn = parts.left !== undefined || this.#unsaved !== undefined;
  }

  get unsaved(): SandboxError | undefined {
    return this.#unsaved;
  }

  get replaced(): number {
    return this.#replaced;
  }

  get captureWatch(): CaptureWatch | undefined {
    return this.#running?.finder.state;
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
    return this.#serial.run(async () => {
      if (this.#parts.readOnly) return this.#running !== undefined;
      if (this.#running) await this.#collect(this.#running, { isPublished });
      else if (this.#ended) await this.#collectEnded(this.#ended, { isPublished });
      return this.#running !== undefined;
    });
  }

  publishing(tree: ObjectId): void {
    const trees = [this.#parts.sealed(), tree];
    this.#running?.jail.remember(trees);
    if (this.#unsaved) this.#noteUnsaved(this.#unsaved, trees);
  }

  noteUnsaved(why: SandboxError): void {
    // What a checkout gives up is not to be found again.
    if (this.#replacing) return;
    this.#unsaved = why;
    if (this.#isUnsavedNoted) return;
    try {
      this.#noteUnsaved(why);
    } catch (error) {
      // It is tried again when the next capture fails, and at the end.
      console.warn('Unsaved files are not noted:', error);
    }
  }

  /** A root holds what it had when it was last collected to be published; the tree may have gone on since. */
  published(tree: ObjectId, { inodes }: TreeSnapshot): void {
    if (this.#held === undefined || this.#held.inodes.root !== inodes.root) return;
    this.#root?.published(tree);
    this.#held = undefined;
    this.#clearUnsaved();
  }

  async replaceFiles(change: () => void): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#replacing = done.promise;
    this.#replaced++;
    try {
      // What was not saved is given up. A crash before the root is gone leaves it to the next bridge, which clears it away.
      this.#clearUnsaved();
      await this.#stop();
      await this.#disposeEnded();
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
    let failure: unknown;
    try {
      if (this.#unsaved && !this.#isUnsavedNoted) this.#noteUnsaved(this.#unsaved);
    } catch (error) {
      failure = error;
    }
    await this.#stop(this.#lastStop());
    if (this.#left) await this.#lastStop()(this.#left);
    this.#left = undefined;
    await this.#disposeEnded();
    if (failure !== undefined) throw failure;
  }

  #lastStop(): typeof end {
    const keepsRoot = this.#unsaved !== undefined;
    if (this.#parts.isLeaving()) return (machine) => leave(machine, { keepsRoot });
    return keepsRoot ? endOnly : end;
  }

  get #root(): Root | undefined {
    return this.#running?.root ?? this.#ended;
  }

  /** @throws storage-full */
  #noteUnsaved(why: SandboxError, trees: readonly ObjectId[] = [this.#parts.sealed()]): void {
    if (!this.#root) return;
    this.#parts.unsaved.note(this.#root, { trees, why });
    this.#isUnsavedNoted = true;
  }

  /** Left behind, the note says of a root that it has files which are saved: the next start looks, and finds nothing new. */
  #clearUnsaved(): void {
    if (!this.#unsaved) return;
    this.#unsaved = undefined;
    if (!this.#isUnsavedNoted) return;
    this.#isUnsavedNoted = false;
    try {
      this.#parts.unsaved.clear();
    } catch (error) {
      console.warn('A note of unsaved files stays:', error);
    }
  }

  async #disposeEnded(): Promise<void> {
    const ended = this.#ended;
    this.#ended = undefined;
    if (this.#unsaved) await ended?.leave();
    else await ended?.[Symbol.asyncDispose]();
  }

  async #startAnew(signal: AbortSignal | undefined): Promise<Running> {
    const { makeRoot, startJail, sealed, unsaved } = this.#parts;
    const tree = sealed();
    const found = unsaved.take();
    const root = found ?? (await makeRoot(tree, signal));
    try {
      return await this.#meet(root, await startJail(root, { tree, signal }));
    } catch (error) {
      if (found) await root.leave();
      else await root[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The first look finds what was written while no process of ours ran. */
  async #goOn(left: RootAndJail, signal: AbortSignal | undefined): Promise<Running> {
    try {
      throwIfAborted(signal, 'Cannot go on with the machine');
      return await this.#meet(left.root, left.jail);
    } catch (error) {
      await (this.#unsaved ? endOnly : end)(left);
      throw error;
    }
  }

  /** Ends the jail on failure. */
  async #meet(root: Root, jail: Jail): Promise<Running> {
    const agent = new AgentChannel(jail.channel);
    const init = new InitClient(agent);
    const finder = new ChangeFinder({
      mount: root.mount,
      ignored: this.#parts.ignored,
      jail,
      watcher: this.#parts.watcher,
      look: () => this.#look(),
      onChanged: (by) => isSameAsSeen(running) || this.#parts.onChanged(by),
    });
    const disk = root.allow ? undefined : this.#parts.watch.watch({ root, jail });
    const running: Running = {
      ...{ root, jail, init, agent, disk, finder },
      ...initPorts(init),
      sameSince: undefined,
      outOfMemoryKills: () => jail.outOfMemoryKills(),
      diskLimitKills: () => disk?.kills ?? 0,
      usage: () => jail.usage(),
    };
    void jail.ended.then(({ message }) => init.close(message));
    try {
      await init.hello({ timeoutMs: limits.bootTimeoutMs });
      await this.#allowRest(running);
      return running;
    } catch (error) {
      disk?.[Symbol.dispose]();
      finder[Symbol.dispose]();
      init.close(error);
      await jail[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** One look at a time, and a rest after a long one: on a slow disk they would queue up. */
  #look(): void {
    if (this.#isLooking || this.#lookRest.leftMs() > 0) return;
    this.#isLooking = true;
    this.#lookRest
      .after(() => this.sync())
      // Whoever tries to capture says why it cannot be done.
      .catch(() => this.#parts.onChanged())
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** What the jail wrote is in its root still. */
  async #onEnd(running: Running, message: string): Promise<void> {
    if (this.#running !== running || this.#isDisposed) return;
    await this.#serial.run(async () => {
      if (this.#running !== running) return;
      this.#ended = running.root;
      await this.#letGo(running, endJail).catch((cause) => console.warn('Not let go of:', cause));
      // What cannot be read now is read when it is to be saved.
      if (!this.#parts.readOnly) await this.#collectEnded(running.root).catch(() => undefined);
      this.#parts.onFailure(new SandboxError('machine-failed', `The machine stopped: ${message}`));
    });
  }

  /**
   * Where init is alone and has nothing to do, nothing can change as long as it is told nothing: that
   * is as good as to freeze it, and what was seen then is what is there until it is told something.
   */
  async #collect(running: Running, { isPublished }: { isPublished: boolean }): Promise<void> {
    const { jail, root, init, agent, finder } = running;
    const { tree } = this.#parts;
    const sent = agent.sent;
    const isAlone = init.isQuiet && jail.isAlone();
    const isSame = isAlone && running.sameSince === sent;
    let begun: Promise<void> | undefined;
    const letGo = async () => {
      try {
        await begun;
        await (isAlone ? agent.open() : jail.thaw());
      } finally {
        init.goOn();
      }
    };
    running.sameSince = isAlone ? sent : undefined;
    init.hold();
    try {
      if (isAlone) agent.shut();
      else await jail.freeze();
      if (isPublished) this.#held = undefined;
      // Where init is alone, `isSameAsSeen` knows of events that come late.
      begun = finder.begin({ isAlone });
      // What runs is all that has mappings, and init has none.
      const mapsShared = async () => !isAlone && (await jail.mapsShared());
      const changes = await root.collect(tree, { isPublished, isSame, mapsShared, onRead: letGo });
      await begun;
      finder.noteLook({ hasChanged: changes > 0 });
      if (isPublished) this.#held = tree.snapshot();
      if (!isSame) await this.#allowRest(running);
    } catch (error) {
      running.sameSince = undefined;
      finder.noteFailure();
      throw error;
    } finally {
      await letGo();
    }
  }

  /**
   * What the tree has no room for could not be saved. What a root takes is another number: files of the layers below
   * that were deleted give room back here only, those that were changed take it twice there.
   */
  async #allowRest({ root, disk }: Running): Promise<void> {
    const { usedBytes, totalBytes } = this.#parts.tree.usage();
    const roomBytes = Math.max(0, totalBytes - usedBytes);
    disk?.allow({ roomBytes, totalBytes });
    if (root.allow && Math.abs(roomBytes - (this.#allowedBytes ?? Infinity)) >= limits.diskStrayBytes) {
      // Without it the limit of before holds.
      await root
        .allow({ roomBytes, totalBytes })
        .catch((error) => console.warn('The limit of a disk stays as it was:', error));
      this.#allowedBytes = roomBytes;
    }
  }

  async #collectEnded(root: Root, { isPublished = false } = {}): Promise<void> {
    const { tree } = this.#parts;
    if (isPublished) this.#held = undefined;
    await root.collect(tree, { isPublished });
    if (isPublished) this.#held = tree.snapshot();
  }

  async #stop(letGo: typeof end = end): Promise<void> {
    await this.#serial.run(async () => {
      if (this.#running) await this.#letGo(this.#running, letGo);
    });
  }

  async #letGo(running: Running, letGo: typeof end = end): Promise<void> {
    this.#running = undefined;
    this.#held = undefined;
    this.#allowedBytes = undefined;
    running.disk?.[Symbol.dispose]();
    running.finder[Symbol.dispose]();
    running.init.close('the machine was closed');
    await letGo(running);
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new SandboxError('connection-lost', 'The sandbox was closed');
  }
}

/** Whether nothing can have changed since the last look: init alone has run, and was told nothing. */
function isSameAsSeen({ init, jail, agent, sameSince }: Running): boolean {
  return init.isQuiet && sameSince === agent.sent && jail.isAlone();
}

async function endJail({ jail }: RootAndJail): Promise<void> {
  await jail[Symbol.asyncDispose]();
}

/** Ends what runs, and leaves the root to the next start. */
async function endOnly({ jail, root }: RootAndJail): Promise<void> {
  try {
    await jail[Symbol.asyncDispose]();
  } finally {
    await root.leave();
  }
}

async function end({ jail, root }: RootAndJail): Promise<void> {
  try {
    await jail[Symbol.asyncDispose]();
  } finally {
    await root[Symbol.asyncDispose]();
  }
}

/** Ends what cannot go on without us. */
async function leave(machine: RootAndJail, { keepsRoot }: { readonly keepsRoot: boolean }): Promise<void> {
  const { jail, root } = machine;
  if (!jail.outlives) return keepsRoot ? endOnly(machine) : end(machine);
  jail.leave();
  await root.leave();
}
