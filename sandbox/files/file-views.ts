import { SandboxError } from '../../protocol/errors.ts';
import type { FileInfo } from '../../protocol/sandbox/files.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { ArchiveOptions, ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { type ByteString, toByteString } from '../../tree/content/byte-string.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import { writeTar } from '../../tree/tar/write-tar.ts';
import type { Snapshotter } from '../capture/snapshotter.ts';
import { TarReader } from '../transfer/tar-reader.ts';
import { changedParts } from './changed-parts.ts';
import { findDirectory, listFiles, readFile, statFile } from './file-access.ts';

export interface FileViewsParts {
  readonly snapshotter: Snapshotter;
  /** Brings the live tree up to what the machine has written. */
  readonly sync: () => Promise<boolean>;
  /** Throws when there is nothing to read from any more. */
  readonly assertOpen: () => void;
}

/** The files of a sandbox, now or at a snapshot, to be read. */
export class FileViews {
  readonly #parts: FileViewsParts;

  constructor(parts: FileViewsParts) {
    this.#parts = parts;
  }

  async read(path: string, at: TreeRef): Promise<Uint8Array> {
    return readFile(await this.#view(at), path);
  }

  async list(path: string, at: TreeRef): Promise<FileInfo[]> {
    return listFiles(await this.#view(at), path);
  }

  async stat(path: string, at: TreeRef): Promise<FileInfo> {
    return statFile(await this.#view(at), path);
  }

  async archive(at: TreeRef, { path, since, except }: ArchiveOptions): Promise<ArchiveReader> {
    if (since !== undefined) return this.#archiveSince(since, { at, path, except });
    const view = await this.#view(at);
    // The files as they are now, whatever changes or is checked out while they are read.
    const tree = at === 'now' ? view.fork({ readOnly: true }) : view;
    const below = path === undefined ? {} : { directory: findDirectory(tree, path), isPlain: true };
    return new TarReader(writeTar(tree, below), { assertOpen: this.#parts.assertOpen });
  }

  async #archiveSince(
    since: SnapshotId | 'base',
    { at, path, except = [] }: Pick<ArchiveOptions, 'path' | 'except'> & { readonly at: TreeRef },
  ): Promise<ArchiveReader> {
    if (at === 'now' || path !== undefined) {
      const message = 'Cannot archive what differs: that is of two snapshots, and of all their files';
      throw new SandboxError('invalid-argument', message);
    }
    const view = await this.#view(at);
    const left = except.map(toByteString);
    const isLeft = (changed: ByteString) =>
      left.some((each) => changed === each || changed.startsWith(`${each}/`));
    const changes = await this.#parts.snapshotter.changes(since, at);
    const parts = changedParts(changes.filter((change) => !isLeft(change.path)));
    return new TarReader(writeTar(view, { parts, isPlain: true }), { assertOpen: this.#parts.assertOpen });
  }

  async #view(at: TreeRef): Promise<LiveTree> {
    const { snapshotter, sync, assertOpen } = this.#parts;
    assertOpen();
    if (at === 'now') await sync();
    return snapshotter.view(at);
  }
}
