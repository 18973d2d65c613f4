import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type Architecture, tabArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Network, SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import type { SandboxRecord } from '../../sandbox/sandbox-settings.ts';
import { translated } from './disk-error.ts';
import { inTransaction } from './open-database.ts';

const { hostCpuShares, hostPids } = limits;

/** What a sandbox may have nothing of, and whose columns hold something all the same, as every jail has it. */
const filledColumns = ['architecture', 'cpuShares', 'pids', 'network'] as const;

/** The column `settings`. */
interface StoredSettings extends Pick<SandboxRecord, 'envs' | 'cwd' | 'ignore' | 'metadata' | 'allow'> {
  readonly absent?: readonly (typeof filledColumns)[number][] | undefined;
}

/**
 * The sandboxes of a host, in the tables of registry-schema.ts. The database stays its owner's. Removing
 * one also removes the tokens that are for it alone.
 */
export function openSandboxRecords(database: DatabaseSync): SandboxRecords {
  const insert = database.prepare(
    `INSERT INTO sandboxes (id, name, image, image_digest, memory_mib, disk_mib, cpu_shares, pids, network,
       runtime, created_at_ms, nested, architecture, cpus, io_mibps, settings, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const select = database.prepare('SELECT * FROM sandboxes WHERE id = ?');
  const selectAll = database.prepare('SELECT * FROM sandboxes ORDER BY created_at_ms, id');
  const count = database.prepare('SELECT count(*) AS count FROM sandboxes');
  const expire = database.prepare('UPDATE sandboxes SET expires_at_ms = ? WHERE id = ?');
  const rename = database.prepare('UPDATE sandboxes SET name = ? WHERE id = ?');
  const selectExpired = database.prepare(
    'SELECT id FROM sandboxes WHERE expires_at_ms <= ? ORDER BY expires_at_ms, id',
  );
  const erase = database.prepare('DELETE FROM sandboxes WHERE id = ?');
  const begin = database.prepare('INSERT OR REPLACE INTO unfinished (id, begun_at_ms) VALUES (?, ?)');
  const selectUnfinished = database.prepare('SELECT id FROM unfinished WHERE begun_at_ms < ? ORDER BY id');
  const forget = database.prepare('DELETE FROM unfinished WHERE id = ?');

  function get(id: string): SandboxRecord {
    const row = select.get(id);
    if (row) return infoOf(row);
    throw new SandboxError('not-found', `Cannot open sandbox "${id}": it is not on this host`, {
      details: { id },
    });
  }

  function add(info: SandboxRecord): void {
    const { id, name, image, imageDigest, memoryMiB, diskMiB, runtime, createdAtMs } = info;
    const { cpuShares = hostCpuShares.usual, pids = hostPids.usual, network = 'isolated' } = info;
    const { nested = false, architecture = tabArchitecture, envs, cwd, ignore, metadata, allow } = info;
    const resources = [memoryMiB, diskMiB, cpuShares, pids, network];
    const absent = filledColumns.filter((field) => info[field] === undefined);
    const settings: StoredSettings = {
      ...{ envs, cwd, ignore, metadata, allow },
      absent: absent.length === 0 ? undefined : absent,
    };
    if (Number(count.get()?.count) >= limits.registrySandboxes) {
      throw new SandboxError(
        'limit-exceeded',
        `Cannot add a sandbox: ${limits.registrySandboxes} are the most`,
      );
    }
    const machine = [image, imageDigest, ...resources, runtime] as const;
    const { changes } = insert.run(
      ...[id, name, ...machine, createdAtMs, nested ? 1 : 0, architecture],
      ...[info.cpus ?? null, info.ioMiBps ?? null],
      ...[JSON.stringify(settings), info.expiresAtMs ?? null],
    );
    if (changes === 0) {
      throw new SandboxError('already-exists', `Cannot add sandbox "${id}": it exists`, { details: { id } });
    }
    forget.run(id);
  }

  return {
    add: async (info) =>
      translated(`add sandbox "${info.id}"`, () => inTransaction(database, () => add(info))),
    get: async (id) => translated(`find sandbox "${id}"`, () => get(id)),
    list: async () => translated('list the sandboxes', () => selectAll.all().map(infoOf)),
    setExpiry: async (id, expiresAtMs) =>
      translated(`set the end of sandbox "${id}"`, () => {
        expire.run(expiresAtMs ?? null, id);
        return get(id);
      }),
    rename: async (id, name) =>
      translated(`rename sandbox "${id}"`, () => {
        rename.run(name, id);
        return get(id);
      }),
    expired: async (nowMs) =>
      translated('list the sandboxes at their end', () =>
        selectExpired.all(nowMs).map(({ id }) => String(id)),
      ),
    remove: async (id) => translated(`forget sandbox "${id}"`, () => void erase.run(id)),
    begin: async (id) => translated(`begin sandbox "${id}"`, () => void begin.run(id, Date.now())),
    unfinished: async (beforeMs) =>
      translated('list what was begun', () => selectUnfinished.all(beforeMs).map(({ id }) => String(id))),
    forgetUnfinished: async (id) => translated(`forget sandbox "${id}"`, () => void forget.run(id)),
  };
}

/** STRICT tables hold what was put into them. */
function infoOf(row: Record<string, SQLOutputValue>): SandboxRecord {
  const { absent = [], ...settings } = JSON.parse(String(row.settings)) as StoredSettings;
  const filled = {
    architecture: String(row.architecture) as Architecture,
    cpuShares: Number(row.cpu_shares),
    pids: Number(row.pids),
    network: String(row.network) as Network,
  };
  for (const field of absent) delete (filled as Partial<typeof filled>)[field];
  return {
    id: String(row.id),
    name: String(row.name),
    image: String(row.image),
    imageDigest: String(row.image_digest),
    ...filled,
    memoryMiB: Number(row.memory_mib),
    diskMiB: Number(row.disk_mib),
    ...(row.cpus === null ? {} : { cpus: Number(row.cpus) }),
    ...(row.io_mibps === null ? {} : { ioMiBps: Number(row.io_mibps) }),
    runtime: String(row.runtime) as SandboxInfo['runtime'],
    createdAtMs: Number(row.created_at_ms),
    ...(row.nested === 1 ? { nested: true } : {}),
    ...settings,
    ...(row.expires_at_ms === null ? {} : { expiresAtMs: Number(row.expires_at_ms) }),
  };
}
