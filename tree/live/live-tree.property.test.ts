import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeModel, describeTree } from '../../test/tree/describe-tree.ts';
import { PlainModel } from '../../test/tree/plain-model.ts';
import {
  type FileCommand,
  type Place,
  type TreeCommand,
  treeCommands,
} from '../../test/tree/tree-commands.ts';
import type { ObjectId } from '../content/object-id.ts';
import type { DirectorySize } from '../objects/known-directories.ts';
import { loadTree } from '../objects/load-tree.ts';
import { sealTree } from '../objects/seal-tree.ts';
import type { SealedTree } from '../objects/sealed-tree.ts';
import { ContentCache } from './content-cache.ts';
import { errno } from './errno.ts';
import type { Ino } from './file-tree.ts';
import { LiveTree } from './live-tree.ts';
import type { TreeSnapshot } from './tree-snapshot.ts';

/** A sample; `npm run test:long` asks for more. */
const runs = Number(process.env.COPPICE_PROPERTY_RUNS ?? 2_000);

describe('a live tree and a plain model (H-1 H-2 H-5)', () => {
  test(`agree after ${runs} random histories with snapshots, restores, forks and seals`, () => {
    fc.assert(
      fc.property(treeCommands(100), (commands) => {
        const run = new History();
        for (const command of commands) run.step(command);
        run.check();
      }),
      { numRuns: runs, endOnFailure: false },
    );
  }, 3_600_000);
});

/** Runs the same steps on both, and every result has to be the same. */
class History {
  readonly #objects = new Map<ObjectId, Uint8Array>();
  /** So small that almost everything is evicted and read back. */
  readonly #cache = new ContentCache({ read: (id) => this.#read(id) }, { budgetBytes: 5_000 });
  #now = 1_000;
  #tree = new LiveTree({ clock: () => ({ seconds: this.#now, nanoseconds: 0 }), content: this.#cache });
  #model = new PlainModel();
  #saved: { snapshot: TreeSnapshot; model: PlainModel; seen: ReturnType<typeof describeModel> }[] = [];
  #sealed: SealedTree | undefined;
  /** Most directories of a tree are loaded a second time, and so only when they are looked at. */
  readonly #known = new Map<ObjectId, DirectorySize>();

  constructor() {
    this.#model.root.mtime = this.#now;
  }

  step(command: TreeCommand): void {
    this.#now += 1;
    if ('path' in command) {
      const path = this.#resolve(command.path);
      const to = 'to' in command ? this.#resolve(command.to) : [];
      const result = this.#onModel(command, { path, to });
      expect([command, this.#onTree(command, { path, to })]).toEqual([command, result]);
    } else if (command.type === 'snapshot') this.#snapshot();
    else if (command.type === 'seal') this.#seal(command);
    else if (command.type === 'restore' || command.type === 'fork') this.#return(command);
  }

  check(): void {
    expect(describeTree(this.#tree)).toEqual(describeModel(this.#model));
    const { usedInodes, usedBytes } = this.#tree.usage();
    const names = describeModel(this.#model).length;
    expect(usedInodes).toBe(names);
    expect(usedBytes).toBeGreaterThanOrEqual(0);
    for (const { snapshot, seen } of this.#saved) {
      expect(describeTree(LiveTree.from(snapshot, { content: this.#cache }))).toEqual(seen);
    }
  }

  #snapshot(): void {
    const model = structuredModel(this.#model);
    this.#saved.push({ snapshot: this.#tree.snapshot(), model, seen: describeModel(model) });
  }

  #return(command: { type: 'restore' | 'fork'; pick: number }): void {
    const saved = this.#saved[command.pick % Math.max(1, this.#saved.length)];
    if (saved === undefined) return;
    this.#model = structuredModel(saved.model);
    if (command.type === 'restore') this.#tree.restore(saved.snapshot);
    else {
      this.#tree = this.#from(saved.snapshot);
    }
  }

  #from(snapshot: TreeSnapshot): LiveTree {
    const clock = () => ({ seconds: this.#now, nanoseconds: 0 });
    return LiveTree.from(snapshot, { clock, content: this.#cache });
  }

  #seal({ reopens }: { reopens: boolean }): void {
    const snapshot = this.#tree.snapshot();
    const incremental = sealTree(snapshot, this.#sealed);
    const full = sealTree(snapshot);
    expect(incremental.id).toBe(full.id);
    for (const { id, bytes } of incremental.objects) this.#objects.set(id, bytes);
    incremental.sealed.settle(this.#cache);
    this.#sealed = incremental.sealed;
    const load = () => loadTree({ read: (id) => this.#read(id) }, full.id, { known });
    const known = {
      get: (id: ObjectId) => this.#known.get(id),
      note: (id: ObjectId, size: DirectorySize) => void this.#known.set(id, size),
    };
    const loaded = load();
    expect(describeTree(LiveTree.from(loaded.snapshot, { content: this.#cache }))).toEqual(
      describeModel(this.#model),
    );
    expect(sealTree(loaded.snapshot).id).toBe(full.id);
    expect(sealTree(snapshot, loaded.sealed).id).toBe(full.id);
    if (!reopens) return;
    const again = load();
    expect(again.snapshot).toMatchObject({
      nextIno: loaded.snapshot.nextIno,
      usedBytes: loaded.snapshot.usedBytes,
      usedInodes: loaded.snapshot.usedInodes,
      depthBound: loaded.snapshot.depthBound,
    });
    this.#tree = this.#from(again.snapshot);
    this.#sealed = again.sealed;
    this.#saved = []; // Of the tree as it was before.
  }

  #read(id: ObjectId): Uint8Array {
    const bytes = this.#objects.get(id);
    if (bytes === undefined) throw new Error(`Object ${id} is missing`);
    return bytes;
  }

  /** The path of something that is there, or of a name in a directory that is. */
  #resolve(place: Place): string[] {
    const all = describeModel(this.#model);
    const isNew = place.name !== undefined;
    const among = all.filter((one) => (isNew ? (one.mode & 0o170000) === 0o040000 : one.path !== ''));
    const found = among[place.pick % Math.max(1, among.length)]?.path.split('/').slice(1) ?? ['nothing'];
    return place.name === undefined ? found : [...found, place.name];
  }

  #find(path: readonly string[]): Ino {
    let at = this.#tree.root;
    for (const name of path) at = at === 0 ? 0 : this.#tree.lookup(at, name);
    return at;
  }

  #onTree(command: FileCommand, at: Paths): number {
    const tree = this.#tree;
    const ino = this.#find(at.path);
    const directory = this.#find(at.path.slice(0, -1));
    const name = at.path.at(-1) ?? '';
    switch (command.type) {
      case 'create':
        return Math.min(0, tree.create(directory, name, { mode: command.mode, uid: 0, gid: 0 }));
      case 'symlink': {
        const inode = { mode: 0o120777, uid: 0, gid: 0, target: command.target };
        return Math.min(0, tree.create(directory, name, inode));
      }
      case 'write':
        return tree.write(ino, command.offset, new Uint8Array(command.length).fill(command.fill));
      case 'truncate':
        return tree.truncate(ino, command.size);
      case 'link':
        return tree.link(ino, this.#find(at.to.slice(0, -1)), at.to.at(-1) ?? '');
      case 'rename':
        return tree.rename(directory, name, this.#find(at.to.slice(0, -1)), at.to.at(-1) ?? '');
      case 'unlink':
        return tree.unlink(directory, name);
      case 'rmdir':
        return tree.rmdir(directory, name);
      case 'attributes': {
        const mtime = { seconds: command.mtime, nanoseconds: 0 };
        return tree.setAttributes(ino, { permissions: command.permissions, uid: command.uid, mtime });
      }
      case 'setXattr':
        return tree.setXattr(ino, command.name, new TextEncoder().encode(command.value));
      case 'removeXattr':
        return tree.removeXattr(ino, command.name);
    }
  }

  #onModel(command: FileCommand, at: Paths): number {
    const model = this.#model;
    switch (command.type) {
      case 'create':
        return model.create(at.path, command.mode, this.#now);
      case 'symlink':
        return model.create(at.path, 0o120777, this.#now, command.target);
      case 'write': {
        // An empty write changes nothing, not even times.
        const bytes = new Uint8Array(command.length).fill(command.fill);
        const node = model.find(at.path);
        const mtime = node?.mtime ?? 0;
        const length = node?.data.length ?? 0;
        const result = model.write(at.path, command.offset, bytes, this.#now);
        if (node && bytes.length === 0 && result === 0) {
          node.mtime = mtime;
          node.data = node.data.slice(0, length);
        }
        return result;
      }
      case 'truncate':
        return model.truncate(at.path, command.size, this.#now);
      case 'link':
        return model.link(at.path, at.to, this.#now);
      case 'rename':
        return model.rename(at.path, at.to, this.#now);
      case 'unlink':
      case 'rmdir':
        return model.remove(at.path, command.type, this.#now);
      case 'attributes': {
        const node = model.find(at.path);
        if (node === undefined) return -errno.ENOENT;
        node.mode = (node.mode & 0o170000) | command.permissions;
        node.uid = command.uid;
        node.mtime = command.mtime;
        return 0;
      }
      case 'setXattr': {
        const node = model.find(at.path);
        if (node === undefined) return -errno.ENOENT;
        node.xattrs.set(command.name, command.value);
        return 0;
      }
      case 'removeXattr': {
        const node = model.find(at.path);
        if (node === undefined) return -errno.ENOENT;
        return node.xattrs.delete(command.name) ? 0 : -errno.ENODATA;
      }
    }
  }
}

interface Paths {
  path: string[];
  to: string[];
}

function structuredModel(model: PlainModel): PlainModel {
  const copy = new PlainModel();
  copy.root = structuredClone(model.root);
  return copy;
}
