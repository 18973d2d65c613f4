import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { CheckoutResult, SnapshotInfo } from './history.ts';
import type { TreeRef } from './refs.ts';
import type { SandboxInfo } from './sandbox-info.ts';

/** A part of a tar archive. */
export interface ArchivePiece {
  /** At most `limits.archivePieceBytes`. */
  readonly bytes: Uint8Array;
  /**
   * Paths left out since the last piece, because what they hold cannot be read; with a slash at its
   * end, a directory of which entries are missing.
   */
  readonly missing: readonly string[];
}

/** What of a tree is archived. */
export interface ArchiveOptions {
  /**
   * An absolute path of a directory: what is below it, by paths from there. Files, directories and links only,
   * which is what `Sandbox.importTar` takes.
   */
  readonly path?: string | undefined;
  /**
   * Another snapshot of the sandbox, or `base`, the files that a new sandbox of its image begins with, or of its runtime where it
   * has none: what that has in the same way is left out. What it has and the archived one has not is not told. Files,
   * directories and links only; not together with `path`, nor of `now`.
   */
  readonly since?: SnapshotId | 'base' | undefined;
  /** With `since`: absolute paths that are left out, with all that is below them. At most `limits.archiveExcept`. */
  readonly except?: readonly string[] | undefined;
}

/** A part of an export. */
export interface ExportPiece {
  /** At most `limits.archivePieceBytes`. */
  readonly bytes: Uint8Array;
}

/**
 * A snapshot on its way to another backend, as a stream of objects (protocol/SPEC.md, SN-9) that is made
 * while it is read. Whoever gets one closes it.
 */
export interface SnapshotExport {
  /** The next piece, `undefined` after the last; one call at a time. @throws missing-object, corrupt-object */
  read(): Promise<ExportPiece | undefined>;
  /** Lets go of what it is made from. Calling it again does nothing. */
  close(): Promise<void>;
}

export interface SnapshotExportOptions {
  /**
   * Snapshots that the receiver has: what they refer to does not come. Those that are not known here
   * say nothing. At most `limits.exportHave`.
   */
  readonly have?: readonly SnapshotId[] | undefined;
}

/** The other end of an export. Whoever opens one closes it, which leaves nothing behind unless it is finished. */
export interface SnapshotImport<Made = SandboxInfo> {
  /**
   * Resolves when the bytes are taken, at most `limits.archivePieceBytes`; one call at a time. The bytes
   * are the import's from then on. @throws corrupt-object, storage-full, limit-exceeded
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Says that this was all. Resolves when what it makes is durable. @throws missing-object, corrupt-object, storage-full */
  finish(): Promise<Made>;
  /** Gives up what is not finished: nothing of it is left. Calling it again does nothing. */
  close(): Promise<void>;
}

/** A tar archive that is made while it is read. Whoever gets one closes it. */
export interface ArchiveReader {
  /** The next piece, `undefined` after the last; one call at a time. @throws missing-object, corrupt-object */
  read(): Promise<ArchivePiece | undefined>;
  /** Lets go of what it is made from. Calling it again does nothing. */
  close(): Promise<void>;
}

export interface RestoreOptions {
  /** Label of the snapshot that is made. */
  readonly label?: string | undefined;
}

/** Files and snapshots that leave a sandbox or come into it as a stream. */
export interface TransferFacet {
  /** All files as a tar archive. A file that cannot be read ends it with an error. @throws not-found */
  exportTar(ask: ArchiveOptions & { readonly at: TreeRef }): Promise<ArchiveReader>;
  /**
   * A snapshot with all its objects but those of the image, for `SandboxBackend.openImport` elsewhere.
   * Deleting the snapshot meanwhile may end it with `corrupt-object`. @throws not-found
   */
  openExport(ask: SnapshotExportOptions & { readonly id: SnapshotId }): Promise<SnapshotExport>;
  /**
   * Takes a snapshot of another sandbox, of the same image, into the history: beside HEAD, which stays.
   * One at a time. What came before it was given up is garbage, which `collectGarbage` frees.
   * @throws busy, read-only
   */
  openImport(): Promise<SnapshotImport<SnapshotInfo>>;
  /**
   * Takes a tar archive, or a gzip of one, that holds all files: what the sandbox has is replaced by it, as by a checkout. What was there is
   * a snapshot first, and so is what comes: it is checked out once the archive is complete, and every process ends. One
   * at a time; until it is finished, or if it is refused, nothing has changed. Sockets cannot be in a tar. @throws busy, read-only
   */
  openRestore(ask?: RestoreOptions): Promise<SnapshotImport<CheckoutResult>>;
}
