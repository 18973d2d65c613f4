import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox.ts';

/** Opens the sandboxes of this origin. */
export async function openBackend(): Promise<SandboxBackend> {
  throw new SandboxError('unsupported', 'This build has no machine', { details: { feature: 'v86' } });
}
