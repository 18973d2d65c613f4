import type { WebContainer } from '@webcontainer/api';
import { SandboxError } from '../../protocol/errors.ts';
import type { FileChanger } from '../../sandbox/machine/machine-ports.ts';
import { SerialQueue } from '../../sandbox/serial-queue.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { type ResolvedPath, resolvePath } from '../../tree/live/resolve-path.ts';
import { copyPermissions, mountsOf, readBack } from './carry-tree.ts';
import type { HostWatch } from './host-watch.ts';
import type { InputFile } from './input-process.ts';
import { webcontainerLimits } from './limits.ts';

interface MountParts {
  readonly container: WebContainer;
  readonly host: HostWatch;
  readonly tree: LiveTree;
}

interface WebContainerFilesParts extends MountParts {
  /** What there is could not be brought into the tree; `sync` says why. */
  readonly onReadBackFailed: () => void;
}

/** The files of a WebContainer, and the live tree that follows them. Whoever opens it closes it. */
export class WebContainerFiles implements FileChanger {
  readonly #container: WebContainer;
  readonly #host: HostWatch;
  readonly #tree: LiveTree;
  readonly #onReadBackFailed: () => void;
  readonly #queue = new SerialQueue();
  readonly #watcher: { close(): void };
  /** Since when anything may have changed that the tree was not brought up to. */
  #dirtySinceMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Names of files in the root that are none of the sandbox's. */
  readonly #aside = new Set<string>();
  #isReadingBack = false;
  #isClosed = false;

  private constructor({ container, host, tree, onReadBackFailed }: WebContainerFilesParts) {
    this.#container = container;
    this.#host = host;
    this.#tree = tree;
    this.#onReadBackFailed = onReadBackFailed;
    this.#watcher = container.fs.watch('.', { recursive: true }, () => this.noteChange());
  }

  /** Mounts the tree. @throws limit-exceeded, machine-failed */
  static async open(parts: WebContainerFilesParts): Promise<WebContainerFiles> {
    await mountAll(parts);
    return new WebContainerFiles(parts);
  }

  /** Files may have changed: they are read back soon, so that what watches the tree hears of it. */
  noteChange(): void {
    this.#dirtySinceMs ??= performance.now();
    this.#schedule();
  }

  /** Brings the tree up to what there is now. @throws storage-full, limit-exceeded, machine-failed */
  sync(): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#dirtySinceMs === undefined || this.#isClosed) return;
      this.#dirtySinceMs = undefined;
      try {
        const mounted = await this.#host.answer(() => this.#container.export('.', { format: 'json' }));
        for (const name of this.#aside) delete mounted[name];
        if (!this.#isClosed) readBack(this.#tree, mounted);
      } catch (cause) {
        this.#dirtySinceMs ??= performance.now();
        throw SandboxError.from(cause);
      }
    });
  }

  /** Puts all files at what the tree has once `change` has changed it. @throws machine-failed, limit-exceeded */
  replace(change: () => void): Promise<void> {
    const { fs } = this.#container;
    return this.#queue.run(async () => {
      clearTimeout(this.#timer);
      change();
      for (const name of await this.#host.answer(() => fs.readdir('.')))
        await this.#host.answer(() => fs.rm(name, { recursive: true, force: true }));
      await mountAll({ container: this.#container, host: this.#host, tree: this.#tree });
      this.#dirtySinceMs = undefined;
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
    return this.#change(`rename "${path}"`, async ({ fs }) => {
      await fs.rename(path, to);
      // In the tree too, with all that WebContainer does not know of it. What that lacks is read back.
      const [from, into] = [this.#find(path), this.#find(to)];
      if (from && into && from.ino !== 0)
        this.#tree.rename(from.directory, from.name, into.directory, into.name);
    });
  }

  async copy({ path, to }: { path: string; to: string }): Promise<void> {
    await this.#change(`copy "${path}"`, async (container) => {
      const bytes = await container.fs.readFile(path).catch(() => undefined); // It is a directory, or not there.
      if (bytes) await container.fs.writeFile(to, bytes);
      else await container.mount(await container.export(path, { format: 'binary' }), { mountPoint: to });
    });
    await this.sync();
    const [from, into] = [this.#find(path), this.#find(to)];
    if (from && into) copyPermissions(this.#tree, { from: from.ino, to: into.ino });
  }

  /** Makes a file that snapshots do not have. A checkout removes it. */
  async makeAside(bytes: Uint8Array<ArrayBuffer>): Promise<InputFile> {
    const { fs } = this.#container;
    const name = `.coppice-input-${crypto.randomUUID()}`;
    this.#aside.add(name);
    const remove = () =>
      this.#queue.run(async () => {
        await this.#host.answer(() => fs.rm(name, { force: true }));
        this.#aside.delete(name);
      });
    try {
      await this.#queue.run(() => this.#host.answer(() => fs.writeFile(name, bytes)));
    } catch (cause) {
      await remove().catch(() => undefined);
      throw SandboxError.from(cause);
    }
    return { name, remove };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#watcher.close();
  }

  /** Where the last name of a path is in the tree, or would be. */
  #find(path: string): ResolvedPath | undefined {
    const found = resolvePath(this.#tree, path, { followLast: false });
    return typeof found === 'object' ? found : undefined;
  }

  /** After a quiet moment; a program that writes on and on is read back all the same. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#dirtySinceMs === undefined || this.#isReadingBack || this.#isClosed) return;
    const { readBackQuietMs, readBackMs } = webcontainerLimits;
    const mostMs = Math.max(0, this.#dirtySinceMs + readBackMs - performance.now());
    this.#timer = setTimeout(() => void this.#readBack(), Math.min(readBackQuietMs, mostMs));
  }

  async #readBack(): Promise<void> {
    this.#isReadingBack = true;
    try {
      await this.sync();
    } catch {
      this.#onReadBackFailed();
      return; // The next change, and the next capture, try again.
    } finally {
      this.#isReadingBack = false;
    }
    this.#schedule();
  }

  async #change(what: string, work: (container: WebContainer) => Promise<unknown>): Promise<void> {
    try {
      await this.#queue.run(() => this.#host.answer(() => work(this.#container)));
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
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

/** What is there stays where the tree has nothing of its name. */
async function mountAll({ container, host, tree }: MountParts): Promise<void> {
  for (const mount of mountsOf(tree)) {
    if (mount.type === 'tree') await host.answer(() => container.mount(mount.tree));
    else await host.answer(() => container.fs.writeFile(mount.path, mount.bytes));
  }
}
