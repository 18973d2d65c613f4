import { hash } from 'node:crypto';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';

/** The content of a file that was acknowledged. */
export interface NotedFile {
  readonly path: string;
  readonly digest: string;
}

/** What goes on from round to round, each in a sandbox of its own. */
export type Load = 'mapped' | 'uploads' | 'stress';

/** Of one sandbox. */
export interface LedgerEntry {
  readonly id: string;
  readonly snapshots: Map<SnapshotId, NotedFile>;
  /** What it was closed with, until it is opened again to change. */
  closedWith?: NotedFile | undefined;
}

/** What a bridge has acknowledged, noted outside of it: it must hold, whatever happens to the bridge. */
export class Ledger {
  readonly sandboxes = new Map<string, LedgerEntry>();
  readonly deleted = new Set<string>();
  /** The sandbox that each load is at. */
  readonly current = new Map<Load, LedgerEntry>();

  addSandbox(id: string): LedgerEntry {
    const entry: LedgerEntry = { id, snapshots: new Map() };
    this.sandboxes.set(id, entry);
    return entry;
  }

  /** From when its deletion is asked for, either is right. */
  forget(id: string): void {
    this.sandboxes.delete(id);
  }

  addDeleted(id: string): void {
    this.deleted.add(id);
  }
}

/** A file as the ledger has it. */
export function notedFile(path: string, content: string | Uint8Array): NotedFile {
  return { path, digest: hash('sha256', content, 'hex') };
}
