import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { FileDirectory } from '../../bridge-server/stores/file-directory.ts';
import { MemoryRefs } from '../../tree/history/memory-refs.ts';
import { LogStore } from '../../tree/log-store/log-store.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
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
async function openFiles(path: string): Promise<LogStore> {
  const store = await LogStore.open(new FileDirectory(path));
  paths.set(store, path);
  return store;
}
const files = {
  name: 'files of a host',
  create: () => openFiles(mkdtempSync(join(root, 'files-'))),
  async reopen(store: AsyncDisposable) {
    await store[Symbol.asyncDispose]();
    return openFiles(paths.get(store) ?? '');
  },
};
objectStoreSuite(files);
sandboxStoreSuite(files);
