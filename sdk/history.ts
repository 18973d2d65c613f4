import { resolveSnapshot } from '../protocol/resolve-snapshot.ts';
import type { HistoryView, SandboxConnection, SnapshotInfo } from '../protocol/sandbox.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

/** The past of a sandbox: `sandbox.history`. */
export class History {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  view(): Promise<HistoryView> {
    return this.#connection.history();
  }

  /** The way from HEAD to the root, newest first. */
  async log(): Promise<SnapshotInfo[]> {
    const { snapshots, head } = await this.view();
    const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
    const way: SnapshotInfo[] = [];
    for (let at = byId.get(head); at && way.length < snapshots.length; at = byId.get(at.parents[0] ?? head)) {
      way.push(at);
      if (at.parents[0] === undefined) break;
    }
    return way;
  }

  async head(): Promise<SnapshotId> {
    return (await this.view()).head;
  }

  /** The leaves of the tree: snapshots that nothing continues. */
  async branches(): Promise<SnapshotInfo[]> {
    const { snapshots } = await this.view();
    const continued = new Set(snapshots.flatMap((snapshot) => snapshot.parents));
    return snapshots.filter((snapshot) => !continued.has(snapshot.id));
  }

  async tags(): Promise<ReadonlyMap<string, SnapshotId>> {
    const { snapshots } = await this.view();
    return new Map(snapshots.flatMap((snapshot) => snapshot.tags.map((tag) => [tag, snapshot.id] as const)));
  }

  /** The snapshot that an id, a unique prefix of one (4 digits or more), a tag, or `HEAD` means. @throws not-found; conflict when several begin so */
  async resolve(reference: string): Promise<SnapshotId> {
    return resolveSnapshot(await this.view(), reference);
  }

  setTag(name: string, id: SnapshotId): Promise<void> {
    return this.#connection.setTag(name, id);
  }

  deleteTag(name: string): Promise<void> {
    return this.#connection.setTag(name, undefined);
  }

  delete(id: SnapshotId): Promise<void> {
    return this.#connection.deleteSnapshot(id);
  }

  /** Frees what no snapshot refers to. Resolves to the bytes freed. */
  gc(): Promise<number> {
    return this.#connection.collectGarbage();
  }
}
