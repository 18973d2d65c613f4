import { SandboxError } from '../../protocol/errors.ts';

/** The id becomes the name of a folder. @throws invalid-argument */
export function assertSandboxId(id: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return;
  throw new SandboxError('invalid-argument', `Not the id of a sandbox: ${JSON.stringify(id.slice(0, 80))}`);
}
