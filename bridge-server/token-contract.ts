import type { NewToken, RenewedToken, TokenAccess, TokenInfo, TokenScope } from '../protocol/api-token.ts';

/** What whoever shows a valid token may do. */
export interface Grant {
  readonly scope: TokenScope;
  readonly access: TokenAccess;
}

/** Who presented a token, and what it allows. */
export interface TokenOwner extends Grant {
  /** Of the token; not a secret. */
  readonly id: string;
  /** For logs. */
  readonly name: string;
  /**
   * Whom requests, sockets and further tokens are counted to: a token that is not for everything shares
   * one account with all that descend from it, so that making more of them gains nothing.
   */
  readonly account: string;
  /** The token that it was made with. */
  readonly madeBy: string | undefined;
  readonly expiresAtMs: number | undefined;
  /** Until when it may renew itself. */
  readonly renewableUntilMs: number | undefined;
}

/** What a token is made from. */
export interface TokenDraft {
  readonly name: string;
  readonly scope: TokenScope;
  /** `write` by default. */
  readonly access?: TokenAccess;
  readonly expiresAtMs?: number | undefined;
  /** Until when it may renew itself, for as long as it lasts at first; for one that expires. */
  readonly renewableUntilMs?: number | undefined;
  /** The token that it is made with; it is revoked with that one. That it is weaker is the caller's part. */
  readonly madeBy?: TokenOwner | undefined;
}

/** The API tokens of a host, of which it keeps hashes only. */
export interface TokenRecords {
  /**
   * Makes a token, which is told here and never again.
   * @throws not-found when a sandbox is absent; unauthenticated when its maker is no more;
   * invalid-argument; limit-exceeded
   */
  create(draft: TokenDraft): NewToken;
  /**
   * Who the token belongs to; `undefined` when it is none, was revoked, or has expired. Takes the same
   * time for each.
   */
  check(token: string): TokenOwner | undefined;
  /** Until when the token of this id opens something, `Infinity` when for ever; `undefined` when it opens nothing. */
  validUntilMs(id: string): number | undefined;
  /**
   * Lets the token last as long again as it did at first, but no longer than it may be renewed, or than its maker
   * lasts. @throws forbidden when it may not be renewed; unauthenticated when it is no more
   */
  renew(id: string): RenewedToken;
  /** Oldest first; expired ones too, until another is made. */
  list(): TokenInfo[];
  /** From now on the token opens nothing, nor does any that was made with it; nothing to do when it is absent. */
  revoke(id: string): void;
}
