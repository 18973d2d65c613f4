import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { MemoryRefs } from '../../tree/history/memory-refs.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { OpfsStore } from '../../web/stores/opfs/opfs-store.ts';
import { NodeLogDirectory } from './node-log-directory.ts';
import { objectStoreSuite } from './object-store-suite.ts';
import { refStoreSuite } from './ref-store-suite.ts';
import { sandboxStoreSuite } from './sandbox-store-suite.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-stores-'));
afterAll(() => rmSync(root, { recursive: true }));

const memory = { name: 'memory', create: async () => new MemoryStore() };
objectStoreSuite(memory);
sandboxStoreSuite(memory);
refStoreSuite({ name: 'memory', create: async () => new MemoryRefs() });

const paths = new Map<object, string>();
async function openLog(path: string): Promise<OpfsStore> {
  const store = await OpfsStore.open(new NodeLogDirectory(path));
  paths.set(store, path);
  return store;
}
const log = {
  name: 'log in a file',
  create: () => openLog(mkdtempSync(join(root, 'log-'))),
  async reopen(store: AsyncDisposable) {
    await store[Symbol.asyncDispose]();
    return openLog(paths.get(store) ?? '');
  },
};
objectStoreSuite(log);
sandboxStoreSuite(log);
