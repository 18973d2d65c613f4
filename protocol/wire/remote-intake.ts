import { SandboxError } from '../errors.ts';
import type { IntakeOptions, SnapshotIntake } from '../sandbox.ts';
import { sandboxInfo } from './answers.ts';
import type { ClientSession } from './client-session.ts';

/** Opens an intake behind `session`. */
export async function openRemoteIntake(
  session: ClientSession,
  options: IntakeOptions,
): Promise<SnapshotIntake> {
  const { id: on } = await session.call({ method: 'backend.openIntake', options });
  let isFinished = false;
  let closed: Promise<void> | undefined;
  const throwIfClosed = (): void => {
    if (closed) throw new SandboxError('connection-lost', 'Cannot take in the snapshot: it was closed here');
  };
  return {
    write: async (bytes) => {
      throwIfClosed();
      await session.call({ method: 'intake.write', on }, { bytes });
    },
    finish: async () => {
      throwIfClosed();
      isFinished = true;
      return session.ask({ method: 'intake.finish', on }, sandboxInfo);
    },
    close: () => {
      closed ??= (async () => {
        if (!isFinished) await session.call({ method: 'close', on }, { isRelease: true });
      })();
      return closed;
    },
  };
}
