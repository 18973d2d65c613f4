/** The sandboxes that a token allows: all, or these. */
export type TokenScope = 'all' | { readonly sandboxes: readonly string[] };

/** What the token allows there: `read` for files and history, `write` for everything. */
export type TokenAccess = 'read' | 'write';

/** A bridge's description of a token, without its text. Times are milliseconds since 1970. */
export interface TokenInfo {
  readonly id: string;
  /** For people: what it is for. */
  readonly name: string;
  readonly scope: TokenScope;
  readonly access: TokenAccess;
  readonly createdAtMs: number;
  /** Absent when it does not expire. */
  readonly expiresAtMs?: number | undefined;
  /** Until when its holder may renew it, each time by its first lifetime; absent if not at all. */
  readonly renewableUntilMs?: number | undefined;
  /** To the minute; absent before the first use. */
  readonly lastUsedAtMs?: number | undefined;
  /** The token that it was made with, with which it is also revoked; absent if the operator made it. */
  readonly madeBy?: string | undefined;
}

/** A token that was just made. */
export interface NewToken extends TokenInfo {
  /** The secret text: returned once, and stored nowhere. */
  readonly token: string;
}

/** Options of a new token, which can allow no more than the one it is made with. */
export interface TokenOptions {
  readonly name: string;
  readonly scope: TokenScope;
  readonly access: TokenAccess;
  /** How long it lasts, at most as long as the one it is made with: `limits.tokenTtlMs`. */
  readonly ttlMs?: number;
  /**
   * For how long its holder may renew it, at most as long as the token it is made with lasts; a thief may do so as
   * well. Not at all by default.
   */
  readonly renewableMs?: number | undefined;
}

/** A token that was renewed. */
export interface RenewedToken extends TokenInfo {
  /** Time until it expires, which does not depend on the client's clock. */
  readonly expiresInMs: number;
  /** Whether it can be renewed again. */
  readonly isRenewable: boolean;
}
