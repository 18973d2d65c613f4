import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ErrorCode } from '../../protocol/errors.ts';
import type { UnsavedRoot, UnsavedRootRecords } from '../contract.ts';
import { translated } from './disk-error.ts';

/** The unsaved roots of a host, in the table of registry-schema.ts. The database stays its owner's. */
export function openUnsavedRootRecords(database: DatabaseSync): UnsavedRootRecords {
  const upsert = database.prepare(
    'INSERT OR REPLACE INTO unsaved_roots (sandbox, root, trees, since_ms, code, message) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const select = database.prepare('SELECT * FROM unsaved_roots WHERE sandbox = ?');
  const selectAll = database.prepare('SELECT * FROM unsaved_roots ORDER BY sandbox');
  const erase = database.prepare('DELETE FROM unsaved_roots WHERE sandbox = ?');
  return {
    list: () => translated('list unsaved files', () => selectAll.all().map(unsavedRootOf)),
    get: (sandbox) =>
      translated(`find unsaved files of sandbox "${sandbox}"`, () => {
        const row = select.get(sandbox);
        return row && unsavedRootOf(row);
      }),
    put: ({ sandbox, root, trees, why }) =>
      translated(`note the unsaved files of sandbox "${sandbox}"`, () => {
        const { sinceMs, code, message } = why;
        upsert.run(sandbox, JSON.stringify(root), JSON.stringify(trees), sinceMs, code, message);
      }),
    remove: (sandbox) =>
      translated(`forget unsaved files of sandbox "${sandbox}"`, () => void erase.run(sandbox)),
  };
}

/** STRICT tables hold what was put into them. */
function unsavedRootOf(row: Record<string, SQLOutputValue>): UnsavedRoot {
  return {
    sandbox: String(row.sandbox),
    root: JSON.parse(String(row.root)),
    trees: JSON.parse(String(row.trees)),
    why: { sinceMs: Number(row.since_ms), code: String(row.code) as ErrorCode, message: String(row.message) },
  };
}
