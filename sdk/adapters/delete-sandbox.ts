import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { Sandbox } from '../sandbox.ts';

/** Closes a sandbox and deletes it, if nobody has deleted it before. @throws busy */
export async function deleteSandbox(sandbox: Sandbox, backend: SandboxBackend | undefined): Promise<void> {
  // What does not close as it should is deleted all the same: nothing of it can be lost.
  await sandbox.close({ discard: true }).catch(() => undefined);
  await Sandbox.delete(sandbox.id, backend ? { backend } : {}).catch((cause: unknown) => {
    if (SandboxError.from(cause).code !== 'not-found') throw cause;
  });
}
