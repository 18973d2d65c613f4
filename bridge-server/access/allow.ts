import { SandboxError } from '../../protocol/errors.ts';
import type { AnyRow } from '../../protocol/sandbox/row.ts';
import type { Grant } from '../token-contract.ts';

/** Whether there is such a sandbox, as far as the token is concerned. */
export function sees({ scope }: Grant, id: string): boolean {
  return scope === 'all' || scope.sandboxes.includes(id);
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
