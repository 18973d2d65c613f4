import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderHistory } from '../../../bridge-server/main/open-folder-history.ts';
import type { WriteProbe } from '../../../bridge-server/runtimes/folder/write-options.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { beginLabel } from '../../../sdk/undo/steps.ts';
import { linesOf } from './program.ts';

/** What is small or mounted. */
export type WorldKind = 'plain' | 'small-folder' | 'small-store' | 'mounts';

/** Programs write there, too. */
const mountPoint = 'f';

export type Files = Readonly<Record<string, string>>;

/** A folder of the host with a history, and a place for that. */
export class World implements Disposable {
  readonly folder: string;
  readonly root: string;
  /** What is mounted into the folder at times. */
  readonly elsewhere: string;
  readonly #top: string;
  readonly #mounts: string[] = [];
  readonly #snapshots: Map<string, Files> = new Map();

  readonly kind: WorldKind;

  constructor(kind: WorldKind) {
    this.kind = kind;
    this.#top = mkdtempSync(join(tmpdir(), 'coppice-oracle-'));
    [this.folder, this.root, this.elsewhere] = ['work', 'root', 'elsewhere'].map((name) =>
      join(this.#top, name),
    ) as [string, string, string];
    for (const path of [this.folder, this.root, this.elsewhere]) mkdirSync(path);
    if (kind === 'small-folder') this.mount(['-t', 'tmpfs', '-o', 'size=160k', 'none', this.folder]);
    if (kind === 'small-store') this.mount(['-t', 'tmpfs', '-o', 'size=1m', 'none', this.root]);
  }

  /** Mounts another folder over a directory of this one, or takes the mount away. */
  toggleMount(): void {
    if (this.mounted !== undefined) this.unmountLast();
    else {
      const at = join(this.folder, mountPoint);
      mkdirSync(at, { recursive: true });
      this.mount(['--bind', this.elsewhere, at]);
    }
  }

  mount(args: readonly string[]): void {
    execFileSync('mount', args);
    this.#mounts.push(args.at(-1) ?? '');
  }

  unmountLast(): void {
    const path = this.#mounts.pop();
    if (path !== undefined) execFileSync('umount', ['--lazy', path]);
  }

  get mounted(): string | undefined {
    const path = this.#mounts.at(-1);
    return path?.startsWith(`${this.folder}/`) ? path.slice(this.folder.length + 1) : undefined;
  }

  async begin(): Promise<void> {
    await using history = await openFolderHistory({ root: this.root, folder: this.folder }, { create: true });
    const sandbox = await Sandbox.create({ backend: history.backend, name: 'default' });
    await sandbox.createSnapshot({ label: beginLabel });
    await sandbox.close();
  }

  /** Opens the history as a command does, and closes it again. */
  async use<T>(work: (sandbox: Sandbox) => Promise<T>, probe: WriteProbe = {}): Promise<T> {
    await using history = await openFolderHistory({ root: this.root, folder: this.folder }, { probe });
    const [only] = await history.backend.list();
    const sandbox = await Sandbox.open(only?.id ?? '', { backend: history.backend });
    try {
      return await work(sandbox);
    } finally {
      await sandbox.close();
    }
  }

  /** What is on disk now: each path with its text or what it is. */
  onDisk(): Files {
    const files: Record<string, string> = {};
    const look = (below: string) => {
      for (const name of readdirSync(join(this.folder, below))) {
        const path = below === '' ? name : `${below}/${name}`;
        if (path === this.mounted) continue;
        const at = join(this.folder, path);
        const stat = lstatSync(at);
        if (stat.isDirectory()) {
          files[`${path}/`] = '';
          look(path);
        } else files[path] = stat.isSymbolicLink() ? `-> ${readlinkSync(at)}` : readFileSync(at, 'latin1');
      }
    };
    look('');
    return files;
  }

  /** The same of a snapshot. */
  async inSnapshot(sandbox: Sandbox, id: Awaited<ReturnType<typeof sandbox.history.head>>): Promise<Files> {
    const known = this.#snapshots.get(id);
    if (known) return known;
    const files: Record<string, string> = {};
    const look = async (below: string): Promise<void> => {
      for (const { name, type } of await sandbox.files.list(`/${below}`, { at: id })) {
        const path = below === '' ? name : `${below}/${name}`;
        if (type === 'directory') {
          files[`${path}/`] = '';
          await look(path);
        } else {
          const bytes = await sandbox.files.read(`/${path}`, { at: id, format: 'bytes' });
          files[path] = Buffer.from(bytes).toString('latin1');
        }
      }
    };
    await look('');
    this.#snapshots.set(id, files);
    return files;
  }

  /** All lines that are in a snapshot. */
  async linesKept(sandbox: Sandbox): Promise<Set<string>> {
    const { snapshots } = await sandbox.history.get();
    const kept = new Set<string>();
    for (const { id } of snapshots) {
      for (const text of Object.values(await this.inSnapshot(sandbox, id)))
        for (const line of linesOf(text)) kept.add(line);
    }
    return kept;
  }

  [Symbol.dispose](): void {
    while (this.#mounts.length > 0) this.unmountLast();
    rmSync(this.#top, { recursive: true, force: true });
  }
}
