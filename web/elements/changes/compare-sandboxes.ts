import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** The files of one sandbox, now or at a snapshot. */
export interface ComparedFiles {
  readonly connection: SandboxConnection;
  readonly at: TreeRef;
}

/** How a path changed since the state that both sandboxes have in common. */
type Fate = Pick<Change, 'type' | 'sizeBytes' | 'isDirectory'>;

/**
 * The differences between the files of two sandboxes, by path: the changes of each since the newest state that is
 * in both histories. Files that both have changed are compared by content, not by time. A moved file counts as one
 * deleted and one created.
 * @throws unsupported when no state is in both histories; limit-exceeded when one has too many changes since
 */
export async function compareSandboxes(from: ComparedFiles, to: ComparedFiles): Promise<Change[]> {
  const [base, same] = await findCommonState(from.connection, to.connection);
  const [before, after] = await Promise.all([readFates(from, base), readFates(to, same)]);
  const changes: Change[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const change = await compareFates(path, { from, to, before: before.get(path), after: after.get(path) });
    if (change !== undefined) changes.push(change);
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A tree that both histories have, by its snapshot in each: equal trees have equal ids (H-2). */
async function findCommonState(
  from: SandboxConnection,
  to: SandboxConnection,
): Promise<[SnapshotId, SnapshotId]> {
  const [here, there] = await Promise.all([from.history.get(), to.history.get()]);
  const byTree = new Map(there.snapshots.map(({ tree, id }) => [tree, id]));
  for (const { tree, id } of here.snapshots.toReversed()) {
    const other = byTree.get(tree);
    if (other !== undefined) return [id, other];
  }
  const why = 'no snapshot of one has the same files as a snapshot of the other';
  throw new SandboxError('unsupported', `Cannot compare the two sandboxes: ${why}`, {
    details: { feature: 'comparing unrelated sandboxes' },
  });
}

async function readFates({ connection, at }: ComparedFiles, base: SnapshotId): Promise<Map<string, Fate>> {
  if (at === base) return new Map();
  const changes = await connection.history.diff({ from: base, to: at });
  if (changes.length >= limits.diffChanges) {
    const message = `Cannot compare the two sandboxes: one has changed ${limits.diffChanges} files or more since the other`;
    throw new SandboxError('limit-exceeded', message, { details: { limit: limits.diffChanges } });
  }
  const fates = new Map<string, Fate>();
  for (const change of changes) {
    if (change.type !== 'renamed' || change.from === undefined) fates.set(change.path, change);
    else for (const [path, fate] of await spellMove(change, { connection, at })) fates.set(path, fate);
  }
  return fates;
}

/** A moved directory is one change, so its files are listed at their new paths. */
async function spellMove(change: Change, { connection, at }: ComparedFiles): Promise<[string, Fate][]> {
  const { path, from = path, sizeBytes, isDirectory } = change;
  const fates: [string, Fate][] = [];
  const add = (below: string, facts: Omit<Fate, 'type'>) => {
    fates.push([from + below, { type: 'deleted', ...facts }], [path + below, { type: 'created', ...facts }]);
    if (fates.length < 2 * limits.diffChanges) return;
    const message = `Cannot compare the two sandboxes: ${limits.diffChanges} files or more have moved`;
    throw new SandboxError('limit-exceeded', message, { details: { limit: limits.diffChanges } });
  };
  add('', isDirectory ? { sizeBytes, isDirectory } : { sizeBytes });
  const waiting = isDirectory ? [''] : [];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const { name, type, sizeBytes: size } of await connection.files.list({ path: path + below, at })) {
      add(
        `${below}/${name}`,
        type === 'directory' ? { sizeBytes: size, isDirectory: true } : { sizeBytes: size },
      );
      if (type === 'directory') waiting.push(`${below}/${name}`);
    }
  }
  return fates;
}

async function compareFates(
  path: string,
  sides: {
    from: ComparedFiles;
    to: ComparedFiles;
    before: Fate | undefined;
    after: Fate | undefined;
  },
): Promise<Change | undefined> {
  const { from, to, before, after } = sides;
  if (before === undefined) return after === undefined ? undefined : { ...after, path };
  if (after === undefined) return { ...before, path, type: opposite(before.type) };
  const [was, is] = [before.type !== 'deleted', after.type !== 'deleted'];
  if (was && is) return compareFiles(path, { from, to });
  if (was) return { ...before, path, type: 'deleted' };
  return is ? { ...after, path, type: 'created' } : undefined;
}

/** The change that leads from the changed side to the unchanged one. */
function opposite(type: Change['type']): Change['type'] {
  if (type === 'created') return 'deleted';
  return type === 'deleted' ? 'created' : type;
}

async function compareFiles(
  path: string,
  { from, to }: { from: ComparedFiles; to: ComparedFiles },
): Promise<Change | undefined> {
  const stat = ({ connection, at }: ComparedFiles) => connection.files.stat({ path, at });
  const [was, is] = await Promise.all([stat(from), stat(to)]);
  const facts = { path, sizeBytes: is.sizeBytes, ...(is.type === 'directory' ? { isDirectory: true } : {}) };
  if (!(await haveSameContent(was, is, { from, to }))) return { type: 'modified', ...facts };
  const isSame = was.mode === is.mode && was.uid === is.uid && was.gid === is.gid;
  return isSame ? undefined : { type: 'metadata', ...facts };
}

/** Large files of the same size count as different: reading both would take too much memory. */
async function haveSameContent(
  was: FileInfo,
  is: FileInfo,
  { from, to }: { from: ComparedFiles; to: ComparedFiles },
): Promise<boolean> {
  if (was.type !== is.type || was.target !== is.target) return false;
  if (is.type !== 'file') return true;
  if (was.sizeBytes !== is.sizeBytes || is.sizeBytes > limits.comparedFileBytes) return false;
  const [before, after] = await Promise.all([
    from.connection.files.read({ path: is.path, at: from.at }),
    to.connection.files.read({ path: is.path, at: to.at }),
  ]);
  return before.length === after.length && before.every((byte, at) => byte === after[at]);
}
