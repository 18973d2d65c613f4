/** Which sandboxes a token of a bridge opens: every one, or these. */
export type TokenScope = 'all' | { readonly sandboxes: readonly string[] };

/** What may be done with them: `read` looks at files and history, `write` does everything. */
export type TokenAccess = 'read' | 'write';

/** What a bridge tells of a token; never its text. Times are milliseconds since 1970. */
export interface TokenInfo {
  readonly id: string;
  /** For people: what it is for. */
  readonly name: string;
  readonly scope: TokenScope;
  readonly access: TokenAccess;
  readonly createdAtMs: number;
  /** Absent when it does not expire. */
  readonly expiresAtMs?: number | undefined;
  /** Until when it may renew itself, each time for as long as it lasted at first; absent when it may not. */
  readonly renewableUntilMs?: number | undefined;
  /** To the minute; absent before the first use. */
  readonly lastUsedAtMs?: number | undefined;
  /** The token that made it, and that takes it along when it is revoked; absent when the operator did. */
  readonly madeBy?: string | undefined;
}

/** A token that was just made. */
export interface NewToken extends TokenInfo {
  /** The text that opens: told once, and kept nowhere. */
  readonly token: string;
}

/** What a token is to be; never more than the one it is made with. */
export interface TokenOptions {
  readonly name: string;
  readonly scope: TokenScope;
  readonly access: TokenAccess;
  /** How long it lasts, at most as long as the one it is made with: `limits.tokenTtlMs`. */
  readonly ttlMs?: number;
  /**
   * For how long it may go on by renewing itself, at most as long as the one it is made with: so long, whoever has
   * stolen it has it too. Not at all by default.
   */
  readonly renewableMs?: number | undefined;
}

/** A token that was renewed. */
export interface RenewedToken extends TokenInfo {
  /** How long it lasts from now on, whatever clock the asker has. */
  readonly expiresInMs: number;
  /** Whether it can be renewed once more, to last longer. */
  readonly isRenewable: boolean;
}
