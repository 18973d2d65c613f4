import { SandboxError } from '../../protocol/errors.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import type { SandboxHost } from './sandbox-host.ts';
import type { SandboxRecords } from './sandbox-records.ts';

/** A store that can be opened again. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

/** Keeps sandboxes in memory: they are gone with the process, or with this. */
export class MemoryHost implements SandboxHost {
  readonly drivers: SandboxHost['drivers'];
  readonly stores: Map<string, MemoryStore> = new Map();
  readonly infos: Map<string, SandboxRecord> = new Map();
  /** Sandboxes that are being made. */
  readonly begun: Set<string> = new Set();
  readonly records: SandboxRecords = {
    list: async () => [...this.infos.values()],
    get: async (id) => found(this.infos.get(id), id),
    add: async (info) => {
      this.infos.set(info.id, info);
      this.begun.delete(info.id);
    },
    remove: async (id) => void this.infos.delete(id),
    rename: async (id, name) => {
      const renamed = { ...found(this.infos.get(id), id), name };
      this.infos.set(id, renamed);
      return renamed;
    },
    begin: async (id) => void this.begun.add(id),
    unfinished: async () => [],
    forgetUnfinished: async (id) => void this.begun.delete(id),
  };

  constructor(...drivers: SandboxHost['drivers']) {
    this.drivers = drivers;
  }

  async openStore(id: string, { create = false }: { create?: boolean } = {}): Promise<MemoryStore> {
    if (create) this.stores.set(id, new KeptStore());
    return found(this.stores.get(id), id);
  }

  /** Objects are copied, unless a caller has it otherwise. */
  cloneStore: NonNullable<SandboxHost['cloneStore']> = async () => false;

  async deleteStore(id: string): Promise<void> {
    this.stores.delete(id);
  }
}

function found<T>(value: T | undefined, id: string): T {
  if (value !== undefined) return value;
  throw new SandboxError('not-found', `There is no sandbox "${id}"`);
}
