import { SandboxError } from '../protocol/errors.ts';
import type { SandboxBackend } from '../protocol/sandbox/backend.ts';

/** Has the host delete a sandbox whose client dies meanwhile, where hosts do that. @throws as `SandboxBackend.setTimeout` */
export async function expireAfter(
  backend: SandboxBackend,
  ask: { readonly id: string; readonly timeoutMs: number },
): Promise<void> {
  try {
    await backend.setTimeout?.(ask);
  } catch (cause) {
    const error = SandboxError.from(cause);
    if (error.code !== 'unsupported' && error.code !== 'forbidden') throw error;
  }
}
