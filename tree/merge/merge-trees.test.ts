import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeTree } from '../../test/tree/describe-tree.ts';
import { type FileCommand, type Place, treeCommands } from '../../test/tree/tree-commands.ts';
import type { ObjectId } from '../content/object-id.ts';
import { ContentCache } from '../live/content-cache.ts';
import type { Ino } from '../live/file-tree.ts';
import { LiveTree } from '../live/live-tree.ts';
import { loadTree } from '../objects/load-tree.ts';
import { sealTree } from '../objects/seal-tree.ts';
import { applyMerge } from './apply-merge.ts';
import { readLinkedNames } from './linked-names.ts';
import { type MergeTrees, planMerge } from './plan-merge.ts';

const runs = Math.ceil(Number(process.env.COPPICE_PROPERTY_RUNS ?? 2_000) / 10);
const steps = (most: number) =>
  treeCommands(most).map((commands) => commands.filter((command) => 'path' in command));

describe('a merge of random trees (X-7)', () => {
  test('is the side that changed where only one did', async () => {
    await fc.assert(
      fc.asyncProperty(steps(30), steps(20), async (before, after) => {
        const trees = new Trees();
        const base = trees.grow(undefined, before);
        const side = trees.grow(base, after);
        expect(await trees.merge({ base, ours: side, theirs: base })).toEqual({ id: side, conflicts: [] });
        expect(await trees.merge({ base, ours: side, theirs: side })).toEqual({ id: side, conflicts: [] });
        expect(await trees.merge({ base, ours: base, theirs: side })).toEqual({ id: side, conflicts: [] });
      }),
      { numRuns: runs },
    );
  });

  test('has the changes of both, whoever merges, and each path of the side that changed it', async () => {
    await fc.assert(
      fc.asyncProperty(steps(30), steps(12), steps(12), async (before, one, other) => {
        const trees = new Trees();
        const base = trees.grow(undefined, before);
        const ours = trees.grow(base, one);
        const theirs = trees.grow(base, other);
        const merged = await trees.merge({ base, ours, theirs });
        const mirrored = await trees.merge({ base, ours: theirs, theirs: ours });
        expect(mirrored.conflicts.map(({ path }) => path)).toEqual(merged.conflicts.map(({ path }) => path));
        if (merged.conflicts.length > 0) return;
        expect(trees.files(mirrored.id)).toEqual(trees.files(merged.id));
        const [b, o, t, m] = [base, ours, theirs, merged.id].map((id) => trees.files(id));
        for (const path of new Set([b, o, t, m].flatMap((files) => [...(files?.keys() ?? [])]))) {
          if (t?.get(path) === b?.get(path)) expect([path, m?.get(path)]).toEqual([path, o?.get(path)]);
          if (o?.get(path) === b?.get(path)) expect([path, m?.get(path)]).toEqual([path, t?.get(path)]);
        }
      }),
      { numRuns: runs },
    );
  });

  test('goes through with either side preferred', async () => {
    await fc.assert(
      fc.asyncProperty(steps(20), steps(12), steps(12), async (before, one, other) => {
        const trees = new Trees();
        const base = trees.grow(undefined, before);
        const ours = trees.grow(base, one);
        const theirs = trees.grow(base, other);
        const { conflicts } = await trees.merge({ base, ours, theirs, prefer: 'theirs' });
        const mine = await trees.merge({ base, ours, theirs, prefer: 'ours' });
        for (const { path, kind } of conflicts) {
          if (kind === 'metadata' || kind === 'type') continue;
          expect([path, trees.files(mine.id).get(path)]).toEqual([path, trees.files(ours).get(path)]);
        }
      }),
      { numRuns: runs },
    );
  });
});

/** Sealed trees, and the objects that they are made of. */
class Trees {
  readonly #objects = new Map<ObjectId, Uint8Array>();
  readonly #content = new ContentCache({ read: (id) => this.#read(id) });
  #now = 1_000;

  /** A tree that begins as another and goes through `commands`. */
  grow(from: ObjectId | undefined, commands: readonly FileCommand[]): ObjectId {
    const tree = from === undefined ? this.#empty() : this.#open(from);
    for (const command of commands) {
      this.#now += 1;
      run(tree, command);
    }
    return this.#seal(tree);
  }

  async merge(trees: MergeTrees): Promise<{ id: ObjectId; conflicts: { path: string; kind: string }[] }> {
    const get = async (id: ObjectId) => this.#objects.get(id);
    const plan = await planMerge(get, trees);
    const tree = this.#open(trees.ours);
    applyMerge(tree, { ...plan, theirs: await readLinkedNames(get, trees.theirs) });
    return { id: this.#seal(tree), conflicts: [...plan.conflicts] };
  }

  /** All files that are no directories, by their paths, as one text. */
  files(id: ObjectId): Map<string, string> {
    const all = describeTree(this.#open(id)).filter(({ mode }) => (mode & 0o170000) !== 0o040000);
    return new Map(all.map(({ nlink: _, file: __, ...seen }) => [seen.path, JSON.stringify(seen)]));
  }

  #empty(): LiveTree {
    return new LiveTree({ clock: () => ({ seconds: this.#now, nanoseconds: 0 }), content: this.#content });
  }

  #open(id: ObjectId): LiveTree {
    const { snapshot } = loadTree({ read: (object) => this.#read(object) }, id);
    return LiveTree.from(snapshot, {
      clock: () => ({ seconds: this.#now, nanoseconds: 0 }),
      content: this.#content,
    });
  }

  #seal(tree: LiveTree): ObjectId {
    const { id, objects } = sealTree(tree.snapshot());
    for (const object of objects) this.#objects.set(object.id, object.bytes);
    return id;
  }

  #read(id: ObjectId): Uint8Array {
    const bytes = this.#objects.get(id);
    if (bytes === undefined) throw new Error(`Object ${id} is missing`);
    return bytes;
  }
}

function run(tree: LiveTree, command: FileCommand): void {
  const path = resolve(tree, command.path);
  const directory = find(tree, path.slice(0, -1));
  const name = path.at(-1) ?? '';
  const ino = find(tree, path);
  const to = 'to' in command ? resolve(tree, command.to) : [];
  const target = { directory: find(tree, to.slice(0, -1)), name: to.at(-1) ?? '' };
  switch (command.type) {
    case 'create':
      tree.create(directory, name, { mode: command.mode, uid: 0, gid: 0 });
      return;
    case 'symlink':
      tree.create(directory, name, { mode: 0o120777, uid: 0, gid: 0, target: command.target });
      return;
    case 'write':
      // Lines, so that some files merge.
      tree.write(ino, command.offset, new Uint8Array(command.length).fill(command.fill * 5));
      return;
    case 'truncate':
      tree.truncate(ino, command.size);
      return;
    case 'link':
      tree.link(ino, target.directory, target.name);
      return;
    case 'rename':
      tree.rename(directory, name, target.directory, target.name);
      return;
    case 'unlink':
      tree.unlink(directory, name);
      return;
    case 'rmdir':
      tree.rmdir(directory, name);
      return;
    case 'attributes':
      tree.setAttributes(ino, {
        permissions: command.permissions,
        uid: command.uid,
        mtime: { seconds: command.mtime, nanoseconds: 0 },
      });
      return;
    case 'setXattr':
      tree.setXattr(ino, command.name, new TextEncoder().encode(command.value));
      return;
    case 'removeXattr':
      tree.removeXattr(ino, command.name);
  }
}

function resolve(tree: LiveTree, place: Place): string[] {
  const isNew = place.name !== undefined;
  const among = describeTree(tree).filter((one) =>
    isNew ? (one.mode & 0o170000) === 0o040000 : one.path !== '',
  );
  const found = among[place.pick % Math.max(1, among.length)]?.path.split('/').slice(1) ?? ['nothing'];
  return place.name === undefined ? found : [...found, place.name];
}

function find(tree: LiveTree, path: readonly string[]): Ino {
  let at = tree.root;
  for (const name of path) at = at === 0 ? 0 : tree.lookup(at, name);
  return at;
}
