import { limits } from '../limits.ts';
import { closed, either, list, oneOf, optional, record, type Schema, text } from '../schema.ts';
import { checkoutResult, snapshotInfo } from './history-table.ts';
import type { Table } from './row.ts';
import { noFields, objectId, path, treeRef } from './schemas.ts';
import type { RestoreOptions, TransferFacet } from './transfer.ts';

export const pieceMissing: Schema<{ readonly missing: readonly string[] }> = record({ missing: list(text) });

export const transferTable: Table<TransferFacet> = {
  exportTar: {
    access: 'read',
    ask: closed({
      at: treeRef,
      path: optional(path),
      since: optional(either(oneOf('base'), objectId)),
      except: optional(list(path, { most: limits.archiveExcept })),
    }),
    gives: 'archive',
  },
  openExport: {
    access: 'read',
    ask: closed({ id: objectId, have: optional(list(objectId, { most: limits.exportHave })) }),
    gives: 'archive',
  },
  openImport: { access: 'write', ask: noFields, gives: 'import', made: snapshotInfo },
  openRestore: {
    access: 'write',
    ask: closed<RestoreOptions>({ label: optional(path) }),
    gives: 'import',
    made: checkoutResult,
  },
};
