import { throwIfAborted } from '../protocol/abort.ts';
import { copyAncestry } from '../protocol/copy/copy-ancestry.ts';
import { copyIntoHistory, copySnapshot, snapshotNow } from '../protocol/copy/copy-snapshot.ts';
import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxBackend, SandboxSettings, StartOptions } from '../protocol/sandbox/backend.ts';
import type { SnapshotInfo } from '../protocol/sandbox/history.ts';
import type { RuntimeName, SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import { importOptions } from './import-options.ts';
import type { OpenSandbox } from './open-sandbox.ts';

export interface CopyOptions extends StartOptions {
  /** An id, the start of one, a tag or `HEAD`; a new snapshot of now by default. */
  readonly snapshot?: string;
  /** The name of the copy; this one's by default. */
  readonly name?: string;
  /** What is to run it there; by default the first that begins as it does, with an image or without one. */
  readonly runtime?: RuntimeName;
  /** Of the machine there, cut to the most that it may have; as usual there by default. */
  readonly memoryMiB?: number;
  /** Cut in the same way; this one's by default. */
  readonly diskMiB?: number;
  /** What the copy is told, as `create` would be: nothing of that comes along by itself. */
  readonly settings?: SandboxSettings;
  /** Told how many bytes have arrived. */
  readonly onProgress?: (movedBytes: number) => void;
}

/** Makes a sandbox in another backend that begins with a snapshot of this one; nobody has it open yet. */
export async function copyToBackend(
  sandbox: OpenSandbox,
  options: CopyOptions & { readonly backend: SandboxBackend },
): Promise<SandboxInfo> {
  const { backend, name, memoryMiB, diskMiB, runtime, settings, onProgress = () => {}, signal } = options;
  throwIfAborted(signal, 'Cannot copy the sandbox');
  const snapshotImport = importOptions(sandbox.info, { name, memoryMiB, diskMiB, runtime, settings });
  return copySnapshot(sandbox.connection, {
    snapshot: await whichSnapshot(sandbox, options.snapshot),
    to: () => backend.openImport(snapshotImport),
    onProgress,
    signal,
  });
}

/** Adds the files of a sandbox as they are now, and what led to them, to the history of another one. @throws invalid-argument (another image) */
export async function bringToMerge(
  sandbox: OpenSandbox,
  other: OpenSandbox,
  onProgress: (movedBytes: number) => void = () => {},
): Promise<SnapshotInfo['id']> {
  assertSameImage(sandbox, other);
  const snapshot = await snapshotNow(sandbox.connection, 'merge', { ifChanged: true });
  await copyAncestry(sandbox.connection, {
    ...{ snapshot, into: other.connection, most: limits.mergeAncestors },
    onProgress,
    signal: undefined,
  });
  return snapshot;
}

/** Adds a snapshot of a sandbox to the history of another one. @throws invalid-argument (another image) */
export async function copyIntoSandbox(
  sandbox: OpenSandbox,
  options: Omit<CopyOptions, 'name' | 'memoryMiB' | 'diskMiB' | 'runtime' | 'settings'> & {
    readonly other: OpenSandbox;
  },
): Promise<SnapshotInfo> {
  const { other, onProgress = () => {}, signal } = options;
  throwIfAborted(signal, 'Cannot copy the sandbox');
  assertSameImage(sandbox, other);
  const snapshot = await whichSnapshot(sandbox, options.snapshot);
  return copyIntoHistory(sandbox.connection, { into: other.connection, snapshot, onProgress, signal });
}

function assertSameImage(sandbox: OpenSandbox, other: OpenSandbox): void {
  if (other.info.imageDigest === sandbox.info.imageDigest) return;
  throw new SandboxError('invalid-argument', 'Cannot copy into a sandbox that was made from another image');
}

async function whichSnapshot(
  sandbox: OpenSandbox,
  reference: string | undefined,
): Promise<SnapshotInfo['id']> {
  if (reference === undefined) return snapshotNow(sandbox.connection, 'copy');
  return sandbox.history.resolve(reference);
}
