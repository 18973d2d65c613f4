import { proxy, type Remote, releaseProxy, transfer } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';

/** An import for the other side of a port: it stays here and is written to from there. */
export function importByReference<Made>(snapshotImport: SnapshotImport<Made>): SnapshotImport<Made> {
  return proxy({
    write: (bytes: Uint8Array) => snapshotImport.write(bytes),
    finish: () => snapshotImport.finish(),
    close: () => snapshotImport.close(),
  });
}

/** An import that is on the other side of a port; what is written to it is handed over where that can be. */
export function remoteImport<Made>(
  value: SnapshotImport<Made>,
  call: <T>(promise: Promise<T>) => Promise<T>,
): SnapshotImport<Made> {
  const remote = value as unknown as Remote<SnapshotImport<unknown>>;
  let closed: Promise<void> | undefined;
  const throwIfClosed = (): void => {
    if (closed) throw new SandboxError('connection-lost', 'The import was closed');
  };
  return {
    write: async (bytes) => {
      throwIfClosed();
      // A part of a larger buffer is copied: others may use the rest.
      const isWhole = bytes.byteLength === bytes.buffer.byteLength;
      await call(remote.write(isWhole ? transfer(bytes, [bytes.buffer]) : bytes));
    },
    finish: async () => {
      throwIfClosed();
      return call(remote.finish() as Promise<Made>);
    },
    close: () => {
      closed ??= call(remote.close()).finally(() => remote[releaseProxy]());
      return closed;
    },
  };
}
