import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox.ts';
import type { Grant } from '../token-contract.ts';
import type { Service } from './service.ts';

/** Does `work` with the sandbox, opened if it is not, and lets go of it. */
export async function useSandbox<T>(
  service: Pick<Service, 'sandboxes'>,
  { id, signal }: { id: string; signal: AbortSignal },
  work: (connection: SandboxConnection) => Promise<T>,
): Promise<T> {
  using lease = await service.sandboxes.borrow(id, { signal });
  return await work(lease.connection);
}

/** Whether there is such a sandbox, as far as the token is concerned. */
export function sees({ scope }: Grant, id: string): boolean {
  return scope === 'all' || scope.sandboxes.includes(id);
}

/** Throws what an unknown sandbox throws: a token must not tell which others there are. @throws not-found */
export function assertSees(grant: Grant, id: string): void {
  if (!sees(grant, id)) throw unknownSandbox(id);
}

/** @throws forbidden when the token is for some sandboxes only */
export function assertSeesAll({ scope }: Grant): void {
  if (scope !== 'all')
    throw new SandboxError('forbidden', 'Cannot do this: the token is not for all sandboxes');
}

/** @throws forbidden when the token is for looking only */
export function assertWrites({ access }: Grant): void {
  if (access !== 'write')
    throw new SandboxError('forbidden', 'Cannot do this: the token is for reading only');
}

/** What is said of a sandbox that is not there. */
export function unknownSandbox(id: string): SandboxError {
  return new SandboxError('not-found', `There is no sandbox "${id}"`, { details: { sandbox: id } });
}
