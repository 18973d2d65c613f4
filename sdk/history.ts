import { resolveSnapshot } from '../protocol/resolve-snapshot.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import type {
  HistoryView,
  KeepPolicy,
  PruneOptions,
  PruneResult,
  SnapshotInfo,
} from '../protocol/sandbox/history.ts';
import type { SnapshotId } from '../tree/history/snapshot-record.ts';

/** The past of a sandbox: `sandbox.history`. */
export class History {
  readonly #connection: SandboxConnection;

  constructor(connection: SandboxConnection) {
    this.#connection = connection;
  }

  get(): Promise<HistoryView> {
    return this.#connection.history.get();
  }

  /** The way from HEAD to the root, newest first. */
  async log(): Promise<SnapshotInfo[]> {
    const { snapshots, head } = await this.get();
    const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
    const way: SnapshotInfo[] = [];
    for (let at = byId.get(head); at && way.length < snapshots.length; at = byId.get(at.parents[0] ?? head)) {
      way.push(at);
      if (at.parents[0] === undefined) break;
    }
    return way;
  }

  async head(): Promise<SnapshotId> {
    return (await this.get()).head;
  }

  /** The leaves of the tree: snapshots that nothing continues. */
  async branches(): Promise<SnapshotInfo[]> {
    const { snapshots } = await this.get();
    const continued = new Set(snapshots.flatMap((snapshot) => snapshot.parents));
    return snapshots.filter((snapshot) => !continued.has(snapshot.id));
  }

  async tags(): Promise<ReadonlyMap<string, SnapshotId>> {
    const { snapshots } = await this.get();
    return new Map(snapshots.flatMap((snapshot) => snapshot.tags.map((tag) => [tag, snapshot.id] as const)));
  }

  /** The snapshot that an id, a unique prefix of one (4 digits or more), a tag, or `HEAD` means; `~N` behind it goes back. @throws not-found; conflict when several begin so */
  async resolve(reference: string): Promise<SnapshotId> {
    return resolveSnapshot(await this.get(), reference);
  }

  setTag(name: string, id: SnapshotId): Promise<void> {
    return this.#connection.history.setTag({ name, id });
  }

  deleteTag(name: string): Promise<void> {
    return this.#connection.history.setTag({ name, id: undefined });
  }

  deleteSnapshot(id: SnapshotId): Promise<void> {
    return this.#connection.history.deleteSnapshot({ id });
  }

  /**
   * Forgets older snapshots by a policy (by default what was set, or what the history does by itself), and frees what only
   * they have. With `dryRun`, only tells which. @throws invalid-argument, storage-full
   */
  prune(options: PruneOptions = {}): Promise<PruneResult> {
    return this.#connection.history.prune(options);
  }

  /** Sets the policy by which the history thins out from now on, by itself. Without one, as a new history does. */
  setRetention(policy: KeepPolicy | undefined): Promise<void> {
    return this.#connection.history.setRetention({ policy });
  }

  /** Frees what no snapshot refers to. Resolves to the bytes freed. */
  collectGarbage(): Promise<number> {
    return this.#connection.history.collectGarbage();
  }

  /**
   * Resolves once HEAD has what commands have changed that have ended (`run` returns a moment before), and what was written,
   * unless it cannot be saved. Takes no snapshot of its own, unlike `createSnapshot`.
   */
  settle(): Promise<void> {
    return this.#connection.history.settle();
  }
}
