import { SandboxError } from '../../protocol/errors.ts';
import type { AnyRow } from '../../protocol/sandbox/row.ts';
import type { Grant } from '../token-contract.ts';

/** Whether there is such a sandbox, as far as the token is concerned. */
export function sees({ scope }: Grant, id: string): boolean {
  return scope === 'all' || scope.sandboxes.includes(id);
}

/** Throws what an unknown sandbox throws: a token must not tell which others there are. @throws not-found */
export function assertSees(grant: Grant, id: string): void {
  if (!sees(grant, id)) throw unknownSandbox(id);
}

/** What is said of a sandbox that is not there. */
export function unknownSandbox(id: string): SandboxError {
  return new SandboxError('not-found', `There is no sandbox "${id}"`, { details: { sandbox: id } });
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

/** @throws forbidden when the token does not allow a method that needs what `row` says */
export function assertAllowed(
  { scope, access }: Grant,
  row: Pick<AnyRow, 'access' | 'scope'>,
  method: string,
): void {
  if (row.scope === 'all' && scope !== 'all') throw refusal(method, 'it is for some sandboxes only');
  if (row.access !== 'read' && access !== 'write') throw refusal(method, 'it is for reading only');
}

function refusal(method: string, why: string): SandboxError {
  const message = `Cannot carry out "${method}": this token does not allow it, ${why}`;
  return new SandboxError('forbidden', message, { details: { method } });
}
