import { SandboxError } from '../../protocol/errors.ts';
import type { TokenOwner } from '../token-contract.ts';

/**
 * Lets a client with another token go on with a session only where it cannot come to what it would not get by itself:
 * its token has the same account, or was made with the same one, and allows all that the session's does.
 * @throws forbidden
 */
export function assertHeir(owner: TokenOwner, begunBy: TokenOwner): void {
  if (owner.id === begunBy.id) return;
  if (!isKin(owner, begunBy)) throw refusal('is of another account than the one that began it');
  if (!coversAll(owner, begunBy)) throw refusal('allows less than the one that began it');
}

/** Tokens that a server makes with one of its own, one after the other for the same page, are siblings. */
function isKin(owner: TokenOwner, begunBy: TokenOwner): boolean {
  if (owner.account === begunBy.account) return true;
  return owner.madeBy !== undefined && owner.madeBy === begunBy.madeBy;
}

function coversAll({ scope, access }: TokenOwner, begunBy: TokenOwner): boolean {
  if (access === 'read' && begunBy.access === 'write') return false;
  if (scope === 'all') return true;
  return begunBy.scope !== 'all' && begunBy.scope.sandboxes.every((id) => scope.sandboxes.includes(id));
}

function refusal(why: string): SandboxError {
  return new SandboxError('forbidden', `Cannot go on with the session: this token ${why}`);
}
