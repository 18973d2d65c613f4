import { createHash, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { translated } from './disk-error.ts';
import { inTransaction } from './open-database.ts';
import { isTokenText, newTokenText } from './token-text.ts';

/** What a token opens. */
type TokenScope = 'all' | { readonly sandbox: string };

/** What whoever shows a valid token may do. */
interface TokenGrant {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
}

/** What is known of a token; times in milliseconds since 1970. */
interface TokenInfo extends TokenGrant {
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  /** To the minute. */
  readonly lastUsedAtMs: number | undefined;
}

/** The API tokens of a host, of which it keeps hashes only. */
export interface TokenRecords {
  /**
   * Makes a token, which is told here and never again.
   * @throws not-found when the sandbox is absent; invalid-argument; limit-exceeded
   */
  create(options: {
    /** For people: what it is for. */
    readonly name: string;
    readonly scope: TokenScope;
    readonly expiresAtMs?: number | undefined;
  }): { id: string; token: string };
  /** What `token` allows; `undefined` when it is none, was revoked, or has expired. */
  check(token: string): TokenGrant | undefined;
  /** Oldest first, expired ones too. */
  list(): TokenInfo[];
  /** From now on the token opens nothing; nothing to do when it is absent. */
  revoke(id: string): void;
}

const idBytes = 8;

/** The records in the tables of registry-schema.ts. The database stays its owner's. */
export function openTokenRecords(database: DatabaseSync): TokenRecords {
  const insert = database.prepare(
    'INSERT INTO tokens (id, name, hash, sandbox, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const select = database.prepare('SELECT * FROM tokens WHERE id = ?');
  const selectAll = database.prepare('SELECT * FROM tokens ORDER BY created_at_ms, id');
  const count = database.prepare('SELECT count(*) AS count FROM tokens');
  const hasSandbox = database.prepare('SELECT 1 FROM sandboxes WHERE id = ?');
  const use = database.prepare('UPDATE tokens SET last_used_at_ms = ? WHERE id = ?');
  const erase = database.prepare('DELETE FROM tokens WHERE id = ?');

  function create({ name, scope, expiresAtMs }: Parameters<TokenRecords['create']>[0]) {
    const sandbox = scope === 'all' ? null : scope.sandbox;
    const nameBytes = Buffer.byteLength(name);
    if (nameBytes === 0 || nameBytes > limits.tokenNameBytes) {
      throw refusal('invalid-argument', `its name has ${nameBytes} bytes, not 1 to ${limits.tokenNameBytes}`);
    }
    if (expiresAtMs !== undefined && !(Number.isSafeInteger(expiresAtMs) && expiresAtMs > Date.now())) {
      throw refusal('invalid-argument', `it would expire at ${expiresAtMs}, not at a time to come`);
    }
    if (Number(count.get()?.count) >= limits.registryTokens) {
      throw refusal('limit-exceeded', `${limits.registryTokens} are the most`);
    }
    if (sandbox !== null && !hasSandbox.get(sandbox)) {
      throw refusal('not-found', `there is no sandbox "${sandbox}"`);
    }
    const token = newTokenText();
    const hash = hashOf(token);
    insert.run(idOf(hash), name, hash, sandbox, Date.now(), expiresAtMs ?? null);
    return { id: idOf(hash), token };
  }

  function check(token: string): TokenGrant | undefined {
    if (!isTokenText(token)) return undefined;
    const nowMs = Date.now();
    const hash = hashOf(token);
    const row = select.get(idOf(hash));
    if (!row || !(row.hash instanceof Uint8Array) || !timingSafeEqual(row.hash, hash)) return undefined;
    const { lastUsedAtMs = 0, expiresAtMs = Number.POSITIVE_INFINITY, id, name, scope } = infoOf(row);
    if (nowMs >= expiresAtMs) return undefined;
    // Each is a durable write: not one for every request.
    if (nowMs - lastUsedAtMs >= limits.tokenUsedEveryMs) noteUse(id, nowMs);
    return { id, name, scope };
  }

  /** A full disk must not lock out whoever comes to make room. */
  function noteUse(id: string, nowMs: number): void {
    try {
      use.run(nowMs, id);
    } catch {
      // The next use is noted instead.
    }
  }

  return {
    create: (options) => translated('make a token', () => inTransaction(database, () => create(options))),
    check: (token) => translated('check a token', () => check(token)),
    list: () => translated('list the tokens', () => selectAll.all().map(infoOf)),
    revoke: (id) => translated(`revoke token "${id}"`, () => void erase.run(id)),
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Finds the row; it tells nothing of the token, and the whole hash decides. */
function idOf(hash: Buffer): string {
  return hash.toString('hex', 0, idBytes);
}

function infoOf(row: Record<string, SQLOutputValue>): TokenInfo {
  return {
    id: String(row.id),
    name: String(row.name),
    scope: row.sandbox === null ? 'all' : { sandbox: String(row.sandbox) },
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: row.expires_at_ms === null ? undefined : Number(row.expires_at_ms),
    lastUsedAtMs: row.last_used_at_ms === null ? undefined : Number(row.last_used_at_ms),
  };
}

function refusal(code: 'invalid-argument' | 'limit-exceeded' | 'not-found', why: string): SandboxError {
  return new SandboxError(code, `Cannot make a token: ${why}`);
}
