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
  `
  -- A token may be for several sandboxes, for looking only, and made with another one.
  ALTER TABLE tokens RENAME TO tokens_of_one;
  CREATE TABLE tokens (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL,
    -- SHA-256 of the token; the token itself is nowhere.
    hash            BLOB NOT NULL,
    -- Whether it opens every sandbox. Said here, because those below vanish with their sandboxes.
    everything      INTEGER NOT NULL CHECK (everything IN (0, 1)),
    writes          INTEGER NOT NULL CHECK (writes IN (0, 1)),
    made_by         TEXT REFERENCES tokens (id) ON DELETE CASCADE,
    account         TEXT NOT NULL,
    created_at_ms   INTEGER NOT NULL,
    expires_at_ms   INTEGER,
    last_used_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_maker ON tokens (made_by);
  CREATE INDEX tokens_by_account ON tokens (account);
  CREATE TABLE token_sandboxes (
    token   TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    sandbox TEXT NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
    PRIMARY KEY (token, sandbox)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX token_sandboxes_by_sandbox ON token_sandboxes (sandbox);
  -- The last sandbox of a token takes it along.
  CREATE TRIGGER tokens_of_nothing AFTER DELETE ON token_sandboxes
  WHEN NOT EXISTS (SELECT 1 FROM token_sandboxes WHERE token = OLD.token)
  BEGIN
    DELETE FROM tokens WHERE id = OLD.token;
  END;

  INSERT INTO tokens
  SELECT id, name, hash, sandbox IS NULL, 1, NULL, id, created_at_ms, expires_at_ms, last_used_at_ms
  FROM tokens_of_one;
  INSERT INTO token_sandboxes SELECT id, sandbox FROM tokens_of_one WHERE sandbox IS NOT NULL;
  DROP TABLE tokens_of_one;
  `,
  `
  -- What every jail had before it could be said.
  ALTER TABLE sandboxes ADD COLUMN cpu_shares INTEGER NOT NULL DEFAULT 256;
  ALTER TABLE sandboxes ADD COLUMN pids INTEGER NOT NULL DEFAULT 1024;
  ALTER TABLE sandboxes ADD COLUMN network TEXT NOT NULL DEFAULT 'isolated';
  `,
  'ALTER TABLE sandboxes ADD COLUMN nested INTEGER NOT NULL DEFAULT 0 CHECK (nested IN (0, 1))',
  // What every image was for before there were others.
  "ALTER TABLE sandboxes ADD COLUMN architecture TEXT NOT NULL DEFAULT 'i386'",
  `
  -- Without a number nothing holds it back.
  ALTER TABLE sandboxes ADD COLUMN cpus REAL;
  ALTER TABLE sandboxes ADD COLUMN io_mibps INTEGER;
  `,
  `
  -- Until when a token may renew itself, each time for so long; none may that were made before.
  ALTER TABLE tokens ADD COLUMN renewable_until_ms INTEGER;
  ALTER TABLE tokens ADD COLUMN ttl_ms INTEGER;
  `,
  `
  -- Roots with files that are in no snapshot. The sandbox may be one that is still being made, without a row.
  CREATE TABLE unsaved_roots (
    sandbox  TEXT PRIMARY KEY,
    -- JSON: how its maker finds it, the trees it can be compared with.
    root     TEXT NOT NULL,
    trees    TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    code     TEXT NOT NULL,
    message  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- JSON: its environment, its directory and its labels.
  ALTER TABLE sandboxes ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE sandboxes ADD COLUMN expires_at_ms INTEGER;
  CREATE INDEX sandboxes_by_end ON sandboxes (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
  `,
];
