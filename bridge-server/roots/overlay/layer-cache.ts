import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listenAbort, orAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { RootName, UnpackListener } from '../../contract.ts';
import { runHostTool } from '../../programs/host-tool.ts';
import { removeFolder } from '../remove-folder.ts';

/** A finished layer that stays until it is released as often as it was taken. */
export interface Layer {
  readonly path: string;
  release(): void;
}

interface Entry {
  readonly made: Promise<string>;
  /** Told while it is made. */
  readonly listeners: Set<UnpackListener>;
  /** Ends its making. */
  readonly giveUp: AbortController;
  /** Made while nobody waited, of the objects of a sandbox that may go meanwhile. */
  readonly beganAhead: boolean;
  /** Nobody has waited for it yet. */
  isAhead: boolean;
  users: number;
}

interface OpenOptions {
  /** Those of roots of an earlier process stay. */
  readonly spared?: readonly RootName[];
  /** Whether a layer is of use to anybody but those who use it now; by default each is. */
  readonly isWanted?: (name: string) => boolean;
  /** Of this start of the host: what was written since is whole, whichever process wrote it. Without one nothing passing stays. */
  readonly bootId?: string | undefined;
}

interface MakeLayerOptions {
  readonly onUnpack: UnpackListener;
  readonly signal: AbortSignal;
}

export interface LayerOptions {
  /** Whether it outlives this start of the host; then it is on disk for good before anyone sees it. */
  readonly isDurable: boolean;
  /** Makes the folder that it is given, and fills it. Others may wait for it too, so giving up does not stop it. */
  readonly make: (folder: string, told: MakeLayerOptions) => Promise<void>;
  /** Set where nobody waits for it: then giving up does stop it, until somebody waits who has not set this. */
  readonly isAhead?: boolean | undefined;
  /** Told how far it is, whoever began to make it. */
  readonly onUnpack?: UnpackListener | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Read-only folders by name, each made once however many ask for it at a time. A layer appears under
 * its name by one rename, so what has a name is whole. Of those that nobody uses the last few are kept, if wanted.
 */
export class LayerCache {
  readonly #folder: string;
  readonly #makingFolder: string;
  /** By name, least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Under way, by name: who takes the layer again waits, or would find what is about to go. */
  readonly #removals = new Map<string, Promise<void>>();
  readonly #isWanted: (name: string) => boolean;
  /** Ends the names of layers that are not durable. */
  readonly #suffix: string;

  private constructor(
    folder: string,
    { isWanted, suffix }: { readonly isWanted: (name: string) => boolean; readonly suffix: string },
  ) {
    this.#isWanted = isWanted;
    this.#suffix = suffix;
    this.#folder = join(folder, 'layers');
    this.#makingFolder = join(folder, 'making');
  }

  /**
   * Removes what an earlier process has left half made, and what is not durable of an earlier start of this host, but for `spared`.
   * `folder` is this cache's alone.
   */
  static async open(
    folder: string,
    { spared = [], isWanted = () => true, bootId }: OpenOptions = {},
  ): Promise<LayerCache> {
    const suffix = bootId === undefined ? passingSuffix : `${passingSuffix}-${bootId}`;
    const cache = new LayerCache(folder, { isWanted, suffix });
    await removeFolder(cache.#makingFolder);
    for (const path of [cache.#folder, cache.#makingFolder])
      await mkdir(path, { recursive: true, mode: 0o700 });
    // What is not durable may have lost bytes when the host went down.
    const used = new Set(spared.flatMap(({ layers }) => layers));
    for (const fileName of await readdir(cache.#folder)) {
      const path = join(cache.#folder, fileName);
      const isKept = !isPassing(fileName) || (bootId !== undefined && fileName.endsWith(suffix));
      if (!isKept && !used.has(fileName)) await removeFolder(path);
      else cache.#entries.set(nameOf(fileName), entryOf(Promise.resolve(path)));
    }
    return cache;
  }

  /** Those that are there, or about to be. */
  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Whether the layer `name` is there, or about to be, and wanted. */
  has(name: string): boolean {
    return this.#entries.has(name) && this.#isWanted(name);
  }

  /** The layer `name`, made if it is not there. @throws aborted, and what `make` throws */
  async take(name: string, options: LayerOptions): Promise<Layer> {
    const taken = this.#take(name, options);
    try {
      return await orAborted(taken, { signal: options.signal, what: 'Cannot make a root' });
    } catch (error) {
      void taken.then(
        (layer) => layer.release(),
        () => {},
      );
      throw error;
    }
  }

  /** The layer in the folder `fileName`, which an earlier process has made. @throws not-found */
  async takeThere(fileName: string): Promise<Layer> {
    const name = nameOf(fileName);
    const entry = this.#entries.get(name);
    if (entry === undefined || basename(await entry.made) !== fileName) {
      throw new SandboxError('not-found', `Cannot find the layer ${fileName}`);
    }
    const make = () => Promise.reject(new SandboxError('not-found', `The layer ${fileName} is gone`));
    return this.#take(name, { isDurable: true, make, signal: undefined });
  }

  async #take(name: string, options: LayerOptions): Promise<Layer> {
    const entry = this.#entries.get(name) ?? this.#begin(name, options);
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    entry.users += 1;
    const { onUnpack, signal, isAhead = false } = options;
    entry.isAhead &&= isAhead;
    if (onUnpack) entry.listeners.add(onUnpack);
    const unlisten = listenAbort(signal, () => {
      if (onUnpack) entry.listeners.delete(onUnpack);
      if (isAhead) this.#giveUp(name, entry);
    });
    try {
      const path = await entry.made;
      let isReleased = false;
      const release = () => {
        if (!isReleased) this.#release(entry);
        isReleased = true;
      };
      return { path, release };
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      if (entry.beganAhead && !isAhead && !signal?.aborted) return this.#take(name, options);
      throw error;
    } finally {
      unlisten();
      entry.listeners.clear();
    }
  }

  #begin(name: string, options: LayerOptions): Entry {
    const listeners: Entry['listeners'] = new Set();
    const giveUp = new AbortController();
    const onUnpack: UnpackListener = (progress) => {
      for (const listener of listeners) listener(progress);
    };
    const made = this.#make(name, options, { onUnpack, signal: giveUp.signal });
    const isAhead = options.isAhead === true;
    return { ...entryOf(made), listeners, giveUp, isAhead, beganAhead: isAhead };
  }

  /** Whoever takes it from now on has it made anew, once what there is of it has gone. */
  #giveUp(name: string, entry: Entry): void {
    if (!entry.isAhead || this.#entries.get(name) !== entry) return;
    entry.giveUp.abort();
    this.#drop(name, entry);
  }

  /** Removes what nobody uses and nobody wants. Resolves when it is gone. */
  async removeUnwanted(): Promise<void> {
    this.#thinOut();
    await Promise.allSettled(this.#removals.values());
  }

  /** Waits for what is being made and removed. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#entries.values()].map((entry) => entry.made));
    await Promise.allSettled(this.#removals.values());
  }

  async #make(name: string, { isDurable, make }: LayerOptions, told: MakeLayerOptions): Promise<string> {
    const path = join(this.#folder, isDurable ? name : `${name}${this.#suffix}`);
    await this.#removals.get(name);
    if (await stat(path).catch(() => undefined)) return path;
    const making = join(this.#makingFolder, randomUUID());
    try {
      await make(making, told);
      // Every file of the layer in one call (syncfs), the name of the layer after that.
      if (isDurable) await runHostTool('sync', ['--file-system', making]);
      await rename(making, path);
      if (isDurable) await runHostTool('sync', [this.#folder]);
    } catch (error) {
      await removeFolder(making);
      throw error;
    }
    return path;
  }

  #release(entry: Entry): void {
    entry.users -= 1;
    this.#thinOut();
  }

  #thinOut(): void {
    const idle = [...this.#entries].filter(([, { users }]) => users === 0);
    const unwanted = idle.filter(([name]) => !this.#isWanted(name));
    const wanted = idle.filter(([name]) => this.#isWanted(name));
    const past = wanted.slice(0, Math.max(0, wanted.length - limits.idleLayers));
    for (const [name, entry] of [...unwanted, ...past]) this.#drop(name, entry);
  }

  #drop(name: string, { made }: Entry): void {
    this.#entries.delete(name);
    const removal = made.then((path) => this.#remove(path)).catch(() => {});
    this.#removals.set(name, removal);
    void removal.then(() => {
      if (this.#removals.get(name) === removal) this.#removals.delete(name);
    });
  }

  /** Takes its name away first: a layer that is half removed when the process dies must not look whole. */
  async #remove(path: string): Promise<void> {
    const removed = join(this.#makingFolder, randomUUID());
    await rename(path, removed);
    await removeFolder(removed);
  }
}

function entryOf(made: Promise<string>): Entry {
  const own = { listeners: new Set<UnpackListener>(), giveUp: new AbortController() };
  return { made, ...own, beganAhead: false, isAhead: false, users: 0 };
}

const passingSuffix = '.passing';

function isPassing(fileName: string): boolean {
  return fileName.includes(passingSuffix);
}

function nameOf(fileName: string): string {
  return fileName.split(passingSuffix)[0] ?? fileName;
}
