import { SandboxError } from '../../errors.ts';
import type { SnapshotImport } from '../../sandbox/transfer.ts';
import type { Schema } from '../../schema.ts';
import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';

/** Opens an import behind `session`; `made` is what it answers in the end. */
export async function openRemoteImport(
  session: ClientSession,
  { request, made }: { request: WireRequest; made: Schema<unknown> },
): Promise<SnapshotImport<unknown>> {
  const { id: on } = await session.call(request);
  let isFinished = false;
  let closed: Promise<void> | undefined;
  const throwIfClosed = (): void => {
    if (closed) throw new SandboxError('connection-lost', 'Cannot take in the snapshot: it was closed here');
  };
  return {
    write: async (bytes) => {
      throwIfClosed();
      await session.call({ method: 'import.write', on }, { bytes });
    },
    finish: async () => {
      throwIfClosed();
      isFinished = true;
      return session.ask({ method: 'import.finish', on }, made);
    },
    close: () => {
      closed ??= (async () => {
        if (!isFinished) await session.call({ method: 'close', on }, { isRelease: true });
      })();
      return closed;
    },
  };
}
