import type { WebContainer } from '@webcontainer/api';
import { SandboxError } from '../../protocol/errors.ts';
import type { FileChanger } from '../../sandbox/machine/machine-ports.ts';
import { SerialQueue } from '../../sandbox/serial-queue.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';
import { readBack, treeToMount } from './carry-tree.ts';
import { webcontainerLimits } from './limits.ts';

/** The files of a WebContainer, and the live tree that follows them. Whoever opens it closes it. */
export class WebContainerFiles implements FileChanger {
  readonly #container: WebContainer;
  readonly #tree: LiveTree;
  readonly #queue = new SerialQueue();
  readonly #watcher: { close(): void };
  /** Whether anything may have changed since the tree was brought up to it. */
  #isDirty = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  private constructor(container: WebContainer, tree: LiveTree) {
    this.#container = container;
    this.#tree = tree;
    this.#watcher = container.fs.watch('.', { recursive: true }, () => this.noteChange());
  }

  /** Mounts the tree. @throws limit-exceeded, machine-failed */
  static async open(container: WebContainer, tree: LiveTree): Promise<WebContainerFiles> {
    await container.mount(treeToMount(tree));
    return new WebContainerFiles(container, tree);
  }

  /** Files may have changed: they are read back soon, so that what watches the tree hears of it. */
  noteChange(): void {
    this.#isDirty = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.sync().catch(() => undefined),
      webcontainerLimits.readBackQuietMs,
    );
  }

  /** Brings the tree up to what there is now. @throws storage-full, connection-lost */
  sync(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isDirty || this.#isClosed) return;
      this.#isDirty = false;
      try {
        const mounted = await this.#container.export('.', { format: 'json' });
        if (!this.#isClosed) readBack(this.#tree, mounted);
      } catch (cause) {
        this.#isDirty = true;
        throw SandboxError.from(cause);
      }
    });
  }

  /** Puts all files at what the tree has once `change` has changed it. */
  replace(change: () => void): Promise<void> {
    return this.#queue.run(async () => {
      clearTimeout(this.#timer);
      change();
      for (const name of await this.#container.fs.readdir('.'))
        await this.#container.fs.rm(name, { recursive: true, force: true });
      await this.#container.mount(treeToMount(this.#tree));
      this.#isDirty = false;
    });
  }

  /** WebContainer knows no modes: that of a file is the tree's. */
  async write({ path, bytes, mode }: Parameters<FileChanger['write']>[0]): Promise<void> {
    await this.#change(`write "${path}"`, ({ fs }) => fs.writeFile(path, bytes));
    if (mode === undefined) return;
    await this.sync();
    const found = resolvePath(this.#tree, path);
    if (typeof found === 'object' && found.ino !== 0)
      this.#tree.setAttributes(found.ino, { permissions: mode });
  }

  makeDirectory({ path }: { path: string }): Promise<void> {
    return this.#change(`make directory "${path}"`, ({ fs }) => fs.mkdir(path, { recursive: true }));
  }

  remove({ path }: { path: string }): Promise<void> {
    return this.#change(`remove "${path}"`, ({ fs }) => fs.rm(path, { recursive: true }));
  }

  rename({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change(`rename "${path}"`, ({ fs }) => fs.rename(path, to));
  }

  copy({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change(`copy "${path}"`, async (container) => {
      const bytes = await container.fs.readFile(path).catch(() => undefined); // It is a directory, or not there.
      if (bytes) await container.fs.writeFile(to, bytes);
      else await container.mount(await container.export(path, { format: 'binary' }), { mountPoint: to });
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watcher.close();
  }

  async #change(what: string, work: (container: WebContainer) => Promise<unknown>): Promise<void> {
    try {
      await this.#queue.run(() => work(this.#container));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const code = message.includes('ENOENT')
        ? 'not-found'
        : message.includes('ENOSPC')
          ? 'storage-full'
          : 'invalid-argument';
      throw new SandboxError(code, `Cannot ${what}: ${message}`, { cause });
    } finally {
      this.noteChange();
    }
  }
}
