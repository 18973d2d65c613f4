import { join } from 'node:path';
import type { SandboxRecords } from '../../sandbox/backend/sandbox-records.ts';
import type { UnsavedRootRecords } from '../contract.ts';
import type { TokenRecords } from '../token-contract.ts';
import { openDatabase } from './open-database.ts';
import { migrations } from './registry-schema.ts';
import { openSandboxRecords } from './sandbox-records.ts';
import { openTokenRecords } from './token-records.ts';
import { openUnsavedRootRecords } from './unsaved-root-records.ts';

/** What a host knows of its sandboxes before any is opened, and who may use them. */
export interface Registry extends Disposable {
  readonly sandboxes: SandboxRecords;
  readonly tokens: TokenRecords;
  readonly unsaved: UnsavedRootRecords;
}

/**
 * Opens the registry in `folder`, `coppice.sqlite`, and makes it when it is absent. Every change is
 * durable when its call returns. With `isToRead` nothing will be changed, so that a full disk is in nobody's way.
 * @throws corrupt-object, with what to do; version-mismatch; storage-full
 */
export function openRegistry(folder: string, options: { readonly isToRead?: boolean } = {}): Registry {
  const database = openDatabase(join(folder, 'coppice.sqlite'), { migrations, ...options });
  return {
    sandboxes: openSandboxRecords(database),
    tokens: openTokenRecords(database),
    unsaved: openUnsavedRootRecords(database),
    [Symbol.dispose]() {
      if (database.isOpen) database.close();
    },
  };
}
