/**
 * What turns a registry of version n (SQLite's `user_version`) into one of version n + 1, in order.
 * What was released is never edited: a change is another entry.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sandboxes (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    image         TEXT NOT NULL,
    image_digest  TEXT NOT NULL,
    memory_mib    INTEGER NOT NULL,
    disk_mib      INTEGER NOT NULL,
    runtime       TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sandboxes_by_age ON sandboxes (created_at_ms, id);

  -- Sandboxes that are being made: their store may be there, and their row is not.
  CREATE TABLE unfinished (
    id          TEXT PRIMARY KEY,
    begun_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tokens (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    -- SHA-256 of the token; the token itself is nowhere.
    hash            BLOB NOT NULL,
    -- The one sandbox that it opens; none for all of them.
    sandbox         TEXT REFERENCES sandboxes (id) ON DELETE CASCADE,
    created_at_ms   INTEGER NOT NULL,
    expires_at_ms   INTEGER,
    last_used_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_sandbox ON tokens (sandbox);
  `,
  'ALTER TABLE sandboxes ADD COLUMN nested INTEGER NOT NULL DEFAULT 0 CHECK (nested IN (0, 1))',
];
