import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MakeOptions, Root, RootMaker } from '../../../bridge-server/contract.ts';
import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import {
  openRootMaker,
  type RootKind,
  type RootMakerOptions,
} from '../../../bridge-server/roots/open-root-maker.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';
import { extractTar } from '../../../tree/tar/extract-tar.ts';
import type { DiskCommand } from './disk-commands.ts';

/** A root that is mounted here, with the tree that its changes go to. */
export interface LabRoot extends AsyncDisposable {
  readonly root: Root;
  /** Where its files are. */
  readonly path: string;
  readonly tree: LiveTree;
  /** Does things to its files. */
  operate(commands: readonly DiskCommand[]): void;
  /** The id of the collected tree; its objects can be made a root of. */
  seal(): ObjectId;
  /** A tree read from the files alone. */
  readAll(): LiveTree;
}

/** A root maker in a folder of its own, with a memory of objects. Owns both. */
export class RootLab implements AsyncDisposable {
  readonly folder: string;
  readonly objects = new Map<ObjectId, Uint8Array>();
  readonly #options: RootMakerOptions;
  #maker: RootMaker;
  #roots = 0;

  private constructor(folder: string, parts: { maker: RootMaker; options: RootMakerOptions }) {
    this.folder = folder;
    this.#maker = parts.maker;
    this.#options = parts.options;
  }

  get maker(): RootMaker {
    return this.#maker;
  }

  /** In a folder below `place`; the programs as `buildHostProgram` makes them, where this user reaches them. */
  static async open(
    kind: RootKind,
    {
      place = tmpdir(),
      ...programs
    }: Pick<RootMakerOptions, 'scanner' | 'unpacker'> & { readonly place?: string | undefined },
  ): Promise<RootLab> {
    const folder = mkdtempSync(join(place, 'coppice-roots-'));
    const launcher = kind === 'btrfs' ? await builtLauncher() : undefined;
    const options = { folder: join(folder, 'maker'), ...programs, launcher, prefer: kind };
    return new RootLab(folder, { maker: await openRootMaker(options), options });
  }

  readonly read = (id: ObjectId): Uint8Array => {
    const bytes = this.objects.get(id);
    if (bytes === undefined) throw new Error(`object ${id} is missing`);
    return bytes;
  };

  /** Keeps the objects of a tree; answers its id. */
  seal(tree: LiveTree): ObjectId {
    const { id, objects } = sealTree(tree.snapshot());
    for (const object of objects) this.objects.set(object.id, object.bytes);
    return id;
  }

  /** What is half made, and roots. */
  leftovers(): string[] {
    const inside = (...names: string[]) => readdirSync(join(this.folder, 'maker', ...names));
    return inside().flatMap((kind) => [...inside(kind, 'making'), ...inside(kind, 'roots')]);
  }

  /** Without what may be needed to make it, unless the maker has it ready. */
  makeFromNothing(tree: ObjectId, base: ObjectId): Promise<LabRoot> {
    const read = (id: ObjectId) => {
      throw new Error(`object ${id} was read`);
    };
    return this.#mount(tree, { base, read });
  }

  make(tree: ObjectId, base: ObjectId, near: readonly ObjectId[] = []): Promise<LabRoot> {
    return this.#mount(tree, { base, near, read: this.read });
  }

  /** Lets go of the folder, and opens it as another process would. */
  async openAgain(): Promise<void> {
    await this.#maker[Symbol.asyncDispose]();
    this.#maker = await openRootMaker(this.#options);
  }

  /** Goes on with a root as another process would, which knows of it that its files were once as those of `tree`. */
  async takeOver({ root, path }: LabRoot, tree: ObjectId): Promise<LabRoot> {
    await root.leave();
    await this.#maker[Symbol.asyncDispose]();
    this.#maker = await openRootMaker({ ...this.#options, spared: [root.name] });
    return this.#lend(await this.#maker.adopt(root.name), { path, tree });
  }

  async #mount(tree: ObjectId, options: MakeOptions): Promise<LabRoot> {
    const root = await this.maker.make(tree, options);
    this.#roots += 1;
    return this.#lend(root, { path: mountRoot(root, join(this.folder, `mounted-${this.#roots}`)), tree });
  }

  #lend(root: Root, { path, tree }: { path: string; tree: ObjectId }): LabRoot {
    const source = { read: this.read };
    const live = LiveTree.from(loadTree(source, tree).snapshot, { content: new ContentCache(source) });
    return {
      root,
      path,
      tree: live,
      operate: (commands) => operate(path, commands),
      seal: () => this.seal(live),
      readAll: () => readFolder(path),
      [Symbol.asyncDispose]: async () => {
        if (root.mount.type === 'overlay') execFileSync('umount', [path]);
        await root[Symbol.asyncDispose]();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.maker[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true });
  }
}

function builtLauncher(): Promise<string> {
  return buildHostProgram('launcher', { cache: new CacheFolder(cachePath()), progress: createProgress() });
}

function mountRoot({ mount }: Root, path: string): string {
  if (mount.type === 'bind') return mount.path;
  mkdirSync(path);
  const { lower, upper, work } = mount;
  const options = `lowerdir=${lower.join(':')},upperdir=${upper},workdir=${work},index=off,redirect_dir=off`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, path]);
  return path;
}

function operate(path: string, commands: readonly DiskCommand[]): void {
  execFileSync('python3', [join(import.meta.dirname, 'operate.py'), path], {
    input: JSON.stringify(commands),
  });
}

/**
 * Reads what is visible, with nothing that a root remembers. All directories are listed before: a listing makes
 * overlay take a mark (`impure`) off a directory from which a file of its layers has gone again, which changes the
 * directory's ctime, and tar takes that for a change while it reads.
 */
function readFolder(path: string): LiveTree {
  execFileSync('find', [path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const visible = ['--xattrs', '--xattrs-include=user.*', '--xattrs-include=security.capability'];
  const options = [
    '--create',
    '--file=-',
    '--format=pax',
    '--numeric-owner',
    ...visible,
    '--directory',
    path,
    '.',
  ];
  const archive = execFileSync('tar', options, { maxBuffer: 2 ** 30, env: { ...process.env, LC_ALL: 'C' } });
  const tree = new LiveTree();
  extractTar(tree, [archive]);
  return tree;
}
