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
}
