import { orAborted } from '../../../protocol/abort.ts';
import { isArchitecture } from '../../../protocol/architecture.ts';
import { copyAncestry } from '../../../protocol/copy/copy-ancestry.ts';
import { copySnapshot, moveStream } from '../../../protocol/copy/copy-snapshot.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxBackend, SnapshotImportOptions } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { RuntimeName, SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { formatBytes } from '../text/format-bytes.ts';
import type { ContinuePoint } from './continuation.ts';

const what = 'Cannot continue from the recording';

/** A sandbox that goes on from a recording, open. */
export interface Continued {
  readonly info: SandboxInfo;
  readonly connection: SandboxConnection;
}

/**
 * Makes a sandbox of a recording's snapshot, with what led to it as its history (`limits.continuedAncestors` at most), so that it can
 * be compared, raced and shared as any other. On failure nothing is left.
 * @throws what an import, a start and a checkout throw; aborted
 */
export async function continueLive(
  recorded: SandboxConnection,
  options: {
    readonly point: ContinuePoint;
    readonly backend: SandboxBackend;
    readonly runtime: RuntimeName | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: (text: string) => void;
  },
): Promise<Continued> {
  const { point, backend, runtime, signal, onProgress } = options;
  const [first = point.snapshot] = await lineOf(recorded, point.snapshot);
  const onBytes = (bytes: number): void => onProgress(`Copying its files: ${formatBytes(bytes)}`);
  const info = await copySnapshot(recorded, {
    snapshot: first,
    to: () => backend.openImport(importOptions(point, runtime)),
    onProgress: onBytes,
    signal,
  });
  let connection: SandboxConnection | undefined;
  try {
    onProgress('Starting …');
    connection = await backend.open({ id: info.id, signal }, () => undefined);
    if (first !== point.snapshot) {
      const most = limits.continuedAncestors;
      const into = connection;
      await copyAncestry(recorded, { snapshot: point.snapshot, into, onProgress: onBytes, signal, most });
      onProgress('Going there …');
      await orAborted(connection.history.checkout({ id: point.snapshot }), { signal, what });
    }
    return { info, connection };
  } catch (error) {
    await connection?.close({ discard: true }).catch(() => undefined);
    await backend.delete({ id: info.id }).catch(() => undefined);
    throw error;
  }
}

/**
 * Makes a shell with the files that the recording holds itself, laid over those that a shell begins with: for a snapshot of an image
 * that nothing here runs. Its history begins there. On failure nothing is left.
 * @throws as `continueLive`
 */
export async function continueWithFiles(
  recorded: SandboxConnection,
  options: {
    readonly point: ContinuePoint;
    readonly backend: SandboxBackend;
    readonly signal: AbortSignal;
    readonly onProgress: (text: string) => void;
  },
): Promise<Continued> {
  const { point, backend, signal, onProgress } = options;
  const { name } = importOptions(point, 'shell');
  const archive = { label: 'from a recording' };
  const info = await moveStream({
    from: () => recorded.transfer.exportTar({ at: point.snapshot, since: 'base' }),
    to: () => backend.openImport({ runtime: 'shell', archive, name }),
    onProgress: (bytes) => onProgress(`Copying its files: ${formatBytes(bytes)}`),
    signal,
  });
  try {
    return { info, connection: await backend.open({ id: info.id, signal }, () => undefined) };
  } catch (error) {
    await backend.delete({ id: info.id }).catch(() => undefined);
    throw error;
  }
}

/** A snapshot's first parents that the recording holds, and itself at the end. */
async function lineOf(recorded: SandboxConnection, snapshot: SnapshotId): Promise<SnapshotId[]> {
  const { snapshots } = await recorded.history.get();
  const parentOf = new Map(snapshots.map(({ id, parents }) => [id, parents[0]]));
  const line = [snapshot];
  for (let at = parentOf.get(snapshot); at !== undefined && parentOf.has(at); at = parentOf.get(at)) {
    if (line.length >= limits.continuedAncestors || line.includes(at)) break;
    line.unshift(at);
  }
  return line;
}

function importOptions({ header }: ContinuePoint, runtime: RuntimeName | undefined): SnapshotImportOptions {
  const { image, sandbox, memoryMiB, diskMiB, architecture } = header.coppice;
  const name = `${sandbox ?? header.title ?? 'recording'} continued`;
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(image === undefined ? {} : { imageDigest: image.digest }),
    ...(image?.tree === undefined
      ? {}
      : { imageFiles: { name: image.name, tree: image.tree, ...(image.isHeld ? { come: true } : {}) } }),
    ...(isArchitecture(architecture) ? { architecture } : {}),
    name: name.replaceAll(/\p{Cc}+/gu, ' ').slice(0, limits.sandboxNameCharacters),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(diskMiB === undefined ? {} : { diskMiB }),
  };
}
