import { createHash, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { NewToken, RenewedToken, TokenInfo } from '../../protocol/api-token.ts';
import { type ErrorCode, SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { TokenDraft, TokenOwner, TokenRecords } from '../token-contract.ts';
import { translated } from './disk-error.ts';
import { inTransaction } from './open-database.ts';
import { isTokenText, newTokenText } from './token-text.ts';

type Row = Record<string, SQLOutputValue>;

const idBytes = 8;

/** The records in the tables of registry-schema.ts. The database stays its owner's. */
export function openTokenRecords(database: DatabaseSync): TokenRecords {
  const insert = database.prepare(
    `INSERT INTO tokens (id, name, hash, everything, writes, made_by, account, created_at_ms, expires_at_ms,
       renewable_until_ms, ttl_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertSandbox = database.prepare('INSERT INTO token_sandboxes (token, sandbox) VALUES (?, ?)');
  const columns = `*, (SELECT json_group_array(sandbox) FROM token_sandboxes WHERE token = id) AS sandboxes`;
  const select = database.prepare(`SELECT ${columns} FROM tokens WHERE id = ?`);
  const selectAll = database.prepare(`SELECT ${columns} FROM tokens ORDER BY created_at_ms, id`);
  const selectValid = database.prepare(
    'SELECT expires_at_ms FROM tokens WHERE id = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)',
  );
  const prolong = database.prepare('UPDATE tokens SET expires_at_ms = ? WHERE id = ?');
  const count = database.prepare('SELECT count(*) AS count FROM tokens');
  const countOfAccount = database.prepare('SELECT count(*) AS count FROM tokens WHERE account = ?');
  const hasSandbox = database.prepare('SELECT 1 FROM sandboxes WHERE id = ?');
  const use = database.prepare('UPDATE tokens SET last_used_at_ms = ? WHERE id = ?');
  const erase = database.prepare('DELETE FROM tokens WHERE id = ?');
  const eraseExpired = database.prepare('DELETE FROM tokens WHERE expires_at_ms <= ?');

  function create(draft: TokenDraft): NewToken {
    const { name, scope, access = 'write', expiresAtMs, renewableUntilMs, madeBy } = draft;
    const nowMs = Date.now();
    assertNameAndTime(draft, nowMs);
    // Short-lived ones would fill the table otherwise.
    eraseExpired.run(nowMs);
    assertRoom(madeBy);
    const token = newTokenText();
    const hash = hashOf(token);
    const id = idOf(hash);
    const account = madeBy === undefined || isTrusted(madeBy) ? id : madeBy.account;
    const flags = [scope === 'all' ? 1 : 0, access === 'write' ? 1 : 0];
    const ttlMs = expiresAtMs === undefined ? undefined : expiresAtMs - nowMs;
    const times = [nowMs, expiresAtMs ?? null, renewableUntilMs ?? null, ttlMs ?? null];
    insert.run(id, name, hash, ...flags, madeBy?.id ?? null, account, ...times);
    if (scope !== 'all') addSandboxes(id, scope.sandboxes);
    const info = { id, name, scope, access, createdAtMs: nowMs, expiresAtMs, renewableUntilMs };
    return { ...info, lastUsedAtMs: undefined, madeBy: madeBy?.id, token };
  }

  function assertRoom(madeBy: TokenOwner | undefined): void {
    if (Number(count.get()?.count) >= limits.registryTokens) {
      throw refusal('limit-exceeded', `${limits.registryTokens} are the most`);
    }
    if (!madeBy) return;
    if (!selectValid.get(madeBy.id, Date.now())) throw refusal('unauthenticated', 'its maker is no more');
    if (isTrusted(madeBy)) return;
    if (Number(countOfAccount.get(madeBy.account)?.count) >= limits.tokensOfAccount) {
      throw refusal('limit-exceeded', `${limits.tokensOfAccount} are the most with this token`);
    }
  }

  function addSandboxes(id: string, sandboxes: readonly string[]): void {
    const distinct = new Set(sandboxes);
    if (distinct.size === 0 || distinct.size > limits.tokenSandboxes) {
      throw refusal(
        'invalid-argument',
        `it is for ${distinct.size} sandboxes, not 1 to ${limits.tokenSandboxes}`,
      );
    }
    for (const sandbox of distinct) {
      if (!hasSandbox.get(sandbox)) throw refusal('not-found', `there is no sandbox "${sandbox}"`);
      insertSandbox.run(id, sandbox);
    }
  }

  function check(token: string): TokenOwner | undefined {
    if (!isTokenText(token)) return undefined;
    const nowMs = Date.now();
    const hash = hashOf(token);
    const row = select.get(idOf(hash));
    if (!row || !(row.hash instanceof Uint8Array) || !timingSafeEqual(row.hash, hash)) return undefined;
    const { id, name, scope, access, lastUsedAtMs = 0, expiresAtMs, renewableUntilMs, madeBy } = infoOf(row);
    if (expiresAtMs !== undefined && nowMs >= expiresAtMs) return undefined;
    // Each is a durable write: not one for every request.
    if (nowMs - lastUsedAtMs >= limits.tokenUsedEveryMs) noteUse(id, nowMs);
    return { id, name, scope, access, account: String(row.account), madeBy, expiresAtMs, renewableUntilMs };
  }

  function validUntilMs(id: string): number | undefined {
    const row = selectValid.get(id, Date.now());
    return row && (numberOr(row.expires_at_ms) ?? Number.POSITIVE_INFINITY);
  }

  function renew(id: string): RenewedToken {
    const nowMs = Date.now();
    const row = validUntilMs(id) === undefined ? undefined : select.get(id);
    if (!row) throw new SandboxError('unauthenticated', 'Cannot renew the token: it is no longer valid');
    const info = infoOf(row);
    const { expiresAtMs = nowMs, renewableUntilMs, madeBy } = info;
    if (renewableUntilMs === undefined)
      throw new SandboxError('forbidden', 'Cannot renew the token: it may not be');
    const makersMs = madeBy === undefined ? Number.POSITIVE_INFINITY : (validUntilMs(madeBy) ?? nowMs);
    const mostMs = Math.min(renewableUntilMs, makersMs);
    // Never less than it had.
    const newMs = Math.max(expiresAtMs, Math.min(nowMs + Number(row.ttl_ms), mostMs));
    prolong.run(newMs, id);
    return { ...info, expiresAtMs: newMs, expiresInMs: newMs - nowMs, isRenewable: newMs < renewableUntilMs };
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
    create: (draft) => translated('make a token', () => inTransaction(database, () => create(draft))),
    check: (token) => translated('check a token', () => check(token)),
    validUntilMs: (id) => translated('check a token', () => validUntilMs(id)),
    renew: (id) => translated('renew a token', () => inTransaction(database, () => renew(id))),
    list: () => translated('list the tokens', () => selectAll.all().map(infoOf)),
    revoke: (id) => translated(`revoke token "${id}"`, () => void erase.run(id)),
  };
}

/** Whoever may do everything need not be kept from making many tokens. */
function isTrusted({ scope, access }: TokenOwner): boolean {
  return scope === 'all' && access === 'write';
}

function assertNameAndTime({ name, expiresAtMs, renewableUntilMs }: TokenDraft, nowMs: number): void {
  const nameBytes = Buffer.byteLength(name);
  if (nameBytes === 0 || nameBytes > limits.tokenNameBytes) {
    throw refusal('invalid-argument', `its name has ${nameBytes} bytes, not 1 to ${limits.tokenNameBytes}`);
  }
  if (expiresAtMs !== undefined && !(Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs)) {
    throw refusal('invalid-argument', `it would expire at ${expiresAtMs}, not at a time to come`);
  }
  if (renewableUntilMs === undefined) return;
  if (
    expiresAtMs === undefined ||
    !(Number.isSafeInteger(renewableUntilMs) && renewableUntilMs >= expiresAtMs)
  ) {
    throw refusal('invalid-argument', 'it could be renewed for less time than it lasts');
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Finds the row; it tells nothing of the token, and the whole hash decides. */
function idOf(hash: Buffer): string {
  return hash.toString('hex', 0, idBytes);
}

function infoOf(row: Row): TokenInfo {
  return {
    id: String(row.id),
    name: String(row.name),
    scope: row.everything === 1 ? 'all' : { sandboxes: JSON.parse(String(row.sandboxes)) },
    access: row.writes === 1 ? 'write' : 'read',
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: numberOr(row.expires_at_ms),
    renewableUntilMs: numberOr(row.renewable_until_ms),
    lastUsedAtMs: numberOr(row.last_used_at_ms),
    madeBy: row.made_by === null ? undefined : String(row.made_by),
  };
}

function numberOr(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function refusal(code: ErrorCode, why: string): SandboxError {
  return new SandboxError(code, `Cannot make a token: ${why}`);
}
