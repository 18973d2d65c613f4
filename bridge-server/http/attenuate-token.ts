import type { TokenOptions } from '../../protocol/api-token.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { assertSees } from '../access/allow.ts';
import type { TokenDraft, TokenOwner } from '../token-contract.ts';

/**
 * The token that `owner` may make when asked for `options`: never one that opens, does or lasts more than
 * its own. Time is cut to what is left of its own; anything else is refused.
 * @throws forbidden; not-found for a sandbox that it does not see
 */
export function attenuateToken(options: TokenOptions, owner: TokenOwner): TokenDraft {
  const { name, scope, access, ttlMs = limits.tokenTtlMs.usual, renewableMs } = options;
  const refuse = (what: string) => new SandboxError('forbidden', `Cannot make a token ${what} with this one`);
  if (scope === 'all' && owner.scope !== 'all') throw refuse('for all sandboxes');
  if (access === 'write' && owner.access !== 'write') throw refuse('that may write');
  if (scope !== 'all') for (const id of scope.sandboxes) assertSees(owner, id);
  const nowMs = Date.now();
  const ownMs = owner.expiresAtMs ?? Number.POSITIVE_INFINITY;
  const expiresAtMs = Math.min(nowMs + ttlMs, ownMs);
  const draft = { name, scope, access, expiresAtMs, madeBy: owner };
  if (renewableMs === undefined) return draft;
  const mostMs = Math.max(ownMs, owner.renewableUntilMs ?? ownMs);
  return { ...draft, renewableUntilMs: Math.max(expiresAtMs, Math.min(nowMs + renewableMs, mostMs)) };
}
