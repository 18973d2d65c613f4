import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { Change, HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import { type RuntimeName, runtimeNames, type SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type AnyMethod, makeFacets } from '../../protocol/sandbox/tables.ts';
import type { ArchiveOptions, SnapshotExportOptions } from '../../protocol/sandbox/transfer.ts';
import type { RecordedSnapshot } from '../../recording/format/recording-event.ts';
import type { Recording } from '../../recording/read/recording.ts';
import { openSnapshotExport } from '../../sandbox/transfer/export-stream.ts';
import { TarReader } from '../../sandbox/transfer/tar-reader.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Coverage, SnapshotId } from '../../tree/history/snapshot-record.ts';
import { writeTar } from '../../tree/tar/write-tar.ts';
import { heldFiles } from './held-files.ts';
import { changesOfSummary, diffRecorded } from './recorded-diff.ts';
import { RecordedFiles } from './recorded-files.ts';
import { type RecordedObjects, snapshotsOf } from './recorded-objects.ts';

const notThere = { captured: false, why: 'nothing runs in a recording' } as const;
const nothingPending = { created: 0, modified: 0, deleted: 0, paths: [] };

/**
 * The snapshots of a recording as a sandbox that can only be read: its files at each snapshot, what differs between them, and their
 * exports; as an archive since `base`, the files that the file holds. `now` is the last HEAD of the session. Everything else is `read-only`.
 */
export function recordedConnection(recording: Recording, objects: RecordedObjects): SandboxConnection {
  const snapshots = new Map(withKnownParents(snapshotsOf(recording)).map((each) => [each.id, each]));
  const head = lastHead(recording);
  const idOf = (at: TreeRef): SnapshotId => {
    if (at !== 'now') return at;
    if (head !== undefined) return head;
    throw new SandboxError('not-found', 'This recording holds no files');
  };
  const read = (id: ObjectId) => objects.read(id);
  const filesAt = async (at: TreeRef) => new RecordedFiles(await objects.treeOf(idOf(at)), read);

  const diff = async (ask: { from: TreeRef; to: TreeRef }): Promise<Change[]> => {
    const [before, after] = [idOf(ask.from), idOf(ask.to)];
    const [from, to] = [await objects.treeOf(before), await objects.treeOf(after)];
    try {
      return await diffRecorded(read, { from, to });
    } catch (error) {
      const snapshot = snapshots.get(after);
      const isStep = snapshot?.parents[0] === before;
      if (SandboxError.from(error).code !== 'asset-unavailable' || !isStep) throw error;
      return changesOfSummary(snapshot, {
        // Its root may be in the image, too.
        before: { stat: async (path) => new RecordedFiles(from, read).stat(path) },
        after: new RecordedFiles(to, read),
      });
    }
  };

  const known: Readonly<Record<string, AnyMethod>> = {
    'info.get': async () => infoOf(recording),
    'history.get': async (): Promise<HistoryView> => ({
      snapshots: [...snapshots.values()].map((each) => snapshotInfo(each, recording)),
      head: head ?? ('' as SnapshotId),
      pending: nothingPending,
    }),
    'history.diff': diff,
    'files.list': async ({ path, at = 'now' }) => (await filesAt(at)).list(path),
    'files.stat': async ({ path, at = 'now' }) => (await filesAt(at)).stat(path),
    'files.read': async ({ path, at = 'now' }) => (await filesAt(at)).read(path),
    'checkpoints.list': async () => ({ checkpoints: [] }),
    'events.subscribe': async () => () => undefined,
    'transfer.exportTar': async ({ at, since }: ArchiveOptions & { at: TreeRef }) => {
      if (since !== 'base') throw readOnly('transfer.exportTar');
      const tree = heldFiles(await objects.treeOf(idOf(at)), objects);
      return new TarReader(writeTar(tree, { isPlain: true }));
    },
    'transfer.openExport': async ({ id, have = [] }: SnapshotExportOptions & { id: SnapshotId }) => {
      await objects.take(id);
      const { history, store, elsewhere: image } = objects;
      return openSnapshotExport(id, { history, store, image, have, assertOpen: () => undefined });
    },
  };
  return {
    ...makeFacets(({ facet, method }) => known[`${facet}.${method}`] ?? refuse(`${facet}.${method}`)),
    close: async () => undefined,
  };
}

function refuse(feature: string): AnyMethod {
  return async () => {
    throw readOnly(feature);
  };
}

function readOnly(feature: string): SandboxError {
  const message = 'A recording can only be read: continue from it first';
  return new SandboxError('read-only', message, { details: { feature } });
}

/** A snapshot whose parent the file lacks is compared with the one before it in the file. */
function withKnownParents(snapshots: readonly RecordedSnapshot[]): RecordedSnapshot[] {
  const known = new Set(snapshots.map(({ id }) => id));
  return snapshots.map((snapshot, index) => {
    const parents = snapshot.parents.filter((parent) => known.has(parent));
    const before = snapshots[index - 1];
    if (parents.length > 0 || before === undefined) return { ...snapshot, parents };
    return { ...snapshot, parents: [before.id] };
  });
}

/** The snapshot that the session ended at. */
function lastHead({ landmarks, header }: Recording): SnapshotId | undefined {
  const last = landmarks.findLast(({ event }) => event.type === 'snapshot' || event.type === 'head')?.event;
  const id = last?.type === 'snapshot' || last?.type === 'head' ? last.id : header.coppice.begin;
  return id as SnapshotId | undefined;
}

function snapshotInfo(snapshot: RecordedSnapshot, { header }: Recording): SnapshotInfo {
  const { id, parents, label, changes, takenAtMs, hasMemory } = snapshot;
  const files = header.coppice.coverage?.files ?? { captured: true };
  const memory: Coverage['memory'] = hasMemory ? { captured: true } : notThere;
  return {
    id: id as SnapshotId,
    // Its record, which has it, is read when its files are.
    tree: '' as ObjectId,
    memory: undefined,
    parents: parents as readonly SnapshotId[],
    cause: { type: 'manual', label },
    coverage: { files, memory, processes: memory, sockets: notThere, mounts: notThere },
    changes,
    takenAtMs,
    tags: [],
  };
}

function infoOf({ header }: Recording): SandboxInfo {
  const { coppice, title, beginMs } = header;
  const { sandbox, image, memoryMiB = 0, diskMiB = 0, runtime } = coppice;
  return {
    id: 'recording',
    name: sandbox ?? title ?? 'recording',
    image: image?.name ?? '',
    imageDigest: image?.digest ?? '',
    memoryMiB,
    diskMiB,
    network: 'isolated',
    runtime: runtimeNames.find((name): name is RuntimeName => name === runtime) ?? 'shell',
    createdAtMs: beginMs,
  };
}
