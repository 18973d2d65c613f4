import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import { coverageWithout } from '../../sandbox/capture/disk-coverage.ts';
import { Rest } from '../../sandbox/capture/rest.ts';
import type {
  LeaveRule,
  RunningMachine,
  SandboxMachine,
  SyncOptions,
} from '../../sandbox/machine/sandbox-machine.ts';
import { SerialQueue } from '../../sandbox/serial-queue.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Coverage } from '../../tree/history/snapshot-record.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { CollectOptions, Root } from '../contract.ts';
import type { HostMachineParts } from './host-machine-parts.ts';
import { type JailMachine, meetJail } from './jail-machine.ts';
import { end, endJail, endOnly, leave, type RootAndJail } from './root-and-jail.ts';

/** A sandbox's machine in a jail of this host. */
export class HostMachine implements SandboxMachine {
  readonly #parts: HostMachineParts;
  /** What freezes the jail and what ends it do not overlap. */
  readonly #serial = new SerialQueue();
  readonly goesOn: boolean;
  #left: RootAndJail | undefined;
  #running: JailMachine | undefined;
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
  /** Of the collection under way that nobody has asked for. */
  #unasked: AbortController | undefined;
  #stoppedMs = 0;
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

  get coverage(): Coverage {
    return coverageWithout(this.#root?.left ?? []);
  }

  get stoppedMs(): number {
    return this.#stoppedMs;
  }

  /** Whatever its processes do, a jail can be frozen, so it always answers. */
  async sync({ isPublished = false, leave }: SyncOptions = {}): Promise<boolean> {
    // Who waits now does not wait for files that nobody has asked for.
    this.#unasked?.abort();
    return this.#serial.run(async () => {
      if (this.#parts.readOnly) return this.#running !== undefined;
      if (this.#running) await this.#collectLeaving(this.#running, { isPublished, leave });
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

  async #startAnew(signal: AbortSignal | undefined): Promise<JailMachine> {
    const { makeRoot, startJail, sealed, unsaved } = this.#parts;
    const tree = sealed();
    const found = unsaved.take();
    const root = found ?? (await makeRoot(tree, signal));
    try {
      return await this.#meet({ root, jail: await startJail(root, { tree, signal }) });
    } catch (error) {
      if (found) await root.leave();
      else await root[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The first look finds what was written while no process of ours ran. */
  async #goOn(left: RootAndJail, signal: AbortSignal | undefined): Promise<JailMachine> {
    try {
      throwIfAborted(signal, 'Cannot go on with the machine');
      return await this.#meet(left);
    } catch (error) {
      await (this.#unsaved ? endOnly : end)(left);
      throw error;
    }
  }

  /** Ends the jail on failure. */
  #meet({ root, jail }: RootAndJail): Promise<JailMachine> {
    const { ignored, watch, watcher, onChanged } = this.#parts;
    return meetJail(
      { root, jail },
      { ignored, watch, watcher, onChanged, look: () => this.#look(), ready: (met) => this.#allowRest(met) },
    );
  }

  /** One look at a time, and a rest after a long one: on a slow disk they would queue up. */
  #look(): void {
    if (this.#isLooking || this.#lookRest.leftMs() > 0) return;
    this.#isLooking = true;
    this.#lookRest
      .after(() => this.sync({ leave: 'changing' }), { stoppedMs: () => this.#stoppedMs })
      // Whoever tries to capture says why it cannot be done.
      .catch(() => this.#parts.onChanged())
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** What the jail wrote is in its root still. */
  async #onEnd(running: JailMachine, message: string): Promise<void> {
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

  /** What may be left is read while its processes run; what may not, and has changed meanwhile, while they stand still. */
  async #collectLeaving(
    running: JailMachine,
    { isPublished, leave }: { readonly isPublished: boolean; readonly leave: LeaveRule | undefined },
  ): Promise<void> {
    const unasked = new AbortController();
    if (leave === 'changing') this.#unasked = unasked;
    try {
      await this.#collect(running, { isPublished, leave: leave ?? 'changing', signal: unasked.signal });
    } finally {
      this.#unasked = undefined;
    }
    if (running.root.left.length === 0) return;
    if (leave === undefined) await this.#collect(running, { isPublished });
    // They may be quiet by the next look, which no change would tell.
    else this.#parts.onChanged();
  }

  /**
   * Where init is alone and has nothing to do, nothing can change as long as it is told nothing: that
   * is as good as to freeze it, and what was seen then is what is there until it is told something.
   */
  async #collect(
    running: JailMachine,
    options: Pick<CollectOptions, 'leave' | 'signal'> & { readonly isPublished: boolean },
  ): Promise<void> {
    const { isPublished, leave, signal } = options;
    const { jail, root, init, agent, finder } = running;
    const { tree } = this.#parts;
    const sent = agent.sent;
    const isAlone = init.isQuiet && jail.isAlone();
    const isSame = isAlone && running.sameSince === sent;
    let begun: Promise<void> | undefined;
    let stoppedAtMs: number | undefined;
    const letGo = async () => {
      try {
        await begun;
        await (isAlone ? agent.open() : jail.thaw());
      } finally {
        init.goOn();
        if (stoppedAtMs !== undefined && !isAlone) this.#stoppedMs += performance.now() - stoppedAtMs;
        stoppedAtMs = undefined;
      }
    };
    running.sameSince = isAlone ? sent : undefined;
    if (isPublished && !isAlone) await root.prepare?.();
    stoppedAtMs = performance.now();
    init.hold();
    try {
      if (isAlone) agent.shut();
      else await jail.freeze();
      if (isPublished) this.#held = undefined;
      // Where init is alone, `meetJail` knows of events that come late.
      begun = finder.begin({ isAlone });
      // What runs is all that has mappings, and init has none.
      const mapsShared = async () => !isAlone && (await jail.mapsShared());
      const rules = isAlone ? {} : { leave, signal };
      const changes = await root.collect(tree, {
        ...{ isPublished, isSame, mapsShared, onRead: letGo },
        ...rules,
      });
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
  async #allowRest({ root, disk }: JailMachine): Promise<void> {
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

  async #letGo(running: JailMachine, letGo: typeof end = end): Promise<void> {
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
